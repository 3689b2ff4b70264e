import { Effect } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { ceilingsOf } from "../limits/rules/ConcurrencyFigures.ts"
import { Gate } from "../limits/Gate.ts"
import { Dialling } from "../telephony/Dialling.ts"
import { CallStore } from "./ports/CallStore.ts"
import { type CallExplanation, callWait } from "./rules/CallWaiting.ts"
import { surviving } from "./steps/Surviving.ts"

/** Looks at what surrounds a call, and says what it waits for; null where there is no such call. */
export const makeCallExplanation = Effect.gen(function* () {
  const calls = yield* CallStore
  const gate = yield* Gate
  const dialling = yield* Dialling
  const clock = yield* DomainClock

  return Effect.fnUntraced(function* (executionId: string) {
    const call = yield* surviving(calls.locate, executionId)
    if (call === null) return null
    const { agent_id, due_at, organization_id } = call
    const ceilings = ceilingsOf(yield* gate.figures(organization_id), null)
    const inUse = Effect.fnUntraced(function* (level: "platform" | "organization" | "agent", key: string) {
      const ceiling = ceilings[level]
      const [used = 0] = yield* calls.holding([{ level, key, ceiling }])
      return { used, ceiling }
    })
    const surroundings = {
      isHeld: (yield* dialling.standing) !== null,
      platform: yield* inUse("platform", "platform"),
      organization: yield* inUse("organization", organization_id),
      agent: yield* inUse("agent", agent_id),
    }
    const wait = callWait(call, surroundings, clock.now())
    return { call, wait, until: due_at, surroundings } satisfies CallExplanation
  })
})
