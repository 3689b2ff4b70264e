import { type Agent, type DialCommand, type DialOutcome, Telephony } from "@carillon/core"
import { AgentStore, type CallStore } from "@carillon/core/ports"
import { notSent, openDesk, prepared } from "@carillon/core/carrier"
import { Effect, Layer } from "effect"
import { bounds } from "./Bounds.ts"
import { place } from "./Dial.ts"
import { legAmong } from "./Finding.ts"
import { hangUp } from "./Hangup.ts"
import { jobOf, roomOfCall } from "./Job.ts"
import { knownLeg } from "./LegBook.ts"
import type { DialParts } from "./Reporting.ts"
import { agentAwaited, isAlone } from "./Unspoken.ts"

const lengthOf = (text: string): number => new TextEncoder().encode(text).byteLength

/** The carrier, on the rows that say what was dialled and the agents that say who speaks. */
export const carrierLayer = (parts: DialParts): Layer.Layer<Telephony, never, CallStore | AgentStore> =>
  Layer.effect(
    Telephony,
    Effect.gen(function* () {
      const { book, clients, desk, settings } = parts
      const agents = yield* AgentStore
      const fork = yield* openDesk(desk)

      const dial = Effect.fnUntraced(function* (call: DialCommand): Effect.fn.Return<DialOutcome> {
        const { execution_id } = call
        const describe = (asked: DialCommand, agent: Agent | null) => jobOf(settings, asked, agent)
        const ready = yield* prepared(agents, call, describe, "The host's configuration has a mistake.")
        if (ready._tag === "NotSent") return ready.outcome
        if (lengthOf(ready.voice) > bounds.metadataBytes) {
          return yield* notSent(execution_id, `its worker would be told more than ${bounds.metadataBytes} bytes.`)
        }
        return yield* place(parts, call, ready.voice, fork)
      })

      return Telephony.of({
        dial,
        hangup: (executionId) => hangUp(settings, clients, book, executionId),
        find: Effect.fnUntraced(function* (executionId) {
          const read = yield* Effect.option(knownLeg(book, desk, executionId))
          if (read._tag === "None") return { _tag: "NoAnswer" }
          const leg = read.value
          if (leg !== null && leg.end !== null) {
            return { _tag: "Ended", call_sid: leg.call_sid, end: leg.end, facts: leg.facts }
          }
          const answer = yield* clients.participants(roomOfCall(settings, executionId))
          if (answer._tag !== "Done" && !(answer._tag === "Failed" && answer.code === "not_found")) {
            return { _tag: "NoAnswer" }
          }
          const found = answer._tag === "Done" ? legAmong(answer.value, executionId) : { _tag: "None" as const }
          // Its request will say what became of it.
          if (found._tag === "None" && leg?.pending === true) return { _tag: "NoAnswer" }
          if (found._tag !== "Leg") return { _tag: "Unknown" }
          if (found.phase === null) return { _tag: "NoAnswer" }
          const isSilent = found.phase === "answered" && answer._tag === "Done" && isAlone(answer.value, executionId)
          if (isSilent) desk.start?.(agentAwaited(parts, executionId))
          return { _tag: "Live", call_sid: found.call_sid ?? leg?.call_sid ?? null, phase: found.phase }
        }),
      })
    }),
  )
