import { Data, Effect } from "effect"
import { canPlaceCalls } from "../agents/rules/AgentStatus.ts"
import { Audit } from "../audit/Audit.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Steps } from "../engine/Steps.ts"
import { StateConflict } from "../Errors.ts"
import { directSubject } from "../experiments/rules/Assignment.ts"
import { Experiments, isRoutedSo } from "../experiments/Experiments.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import { limits } from "../Limits.ts"
import type { Call } from "./rules/Call.ts"
import { created } from "./rules/DialAudit.ts"
import type { DialGrounds } from "./rules/DialGrounds.ts"
import { Dialler } from "./Dialler.ts"
import { dialNow } from "./steps/DialNow.ts"
import { agentNotActive, neverRings } from "./rules/PlaceCall.ts"
import type { PlacingChecks } from "./PlacingChecks.ts"

/** The calling window was shut while a dial waited for its line. */
class WindowShut extends Data.TaggedError("WindowShut")<{
  readonly at: number
}> {}

/** The experiment, or its challenger, was changed while a dial waited for its line, and another one makes the call now. */
class Rerouted extends Data.TaggedError("Rerouted") {}

/** Who asks for a call and makes it, from which number, who pays, and whose calling windows bind it, for a second look. Answers with what the dial rests on now. */
const makeSecondLook = Effect.fnUntraced(function* (checks: PlacingChecks) {
  const experiments = yield* Experiments
  const clock = yield* DomainClock
  const { agentOf, calleeOf, callerIdOf, heldStill, paidFor, refused, ringOf } = checks

  return Effect.fnUntraced(function* (caller: Caller, agentId: string, call: Call) {
    const organizationId = caller.organization_id
    yield* heldStill(caller)
    const control = yield* agentOf(organizationId, agentId)
    if (!canPlaceCalls(control.status)) return yield* refused(call, "agent", agentNotActive(control.status))
    const routed = yield* experiments.route(control, directSubject(call.to_number))
    if (!isRoutedSo(call, routed)) return yield* new Rerouted()
    const { agent, routing } = routed
    const callerId = yield* callerIdOf(organizationId, call.from_number)
    const now = clock.now()
    const { hours, ring } = yield* ringOf(call, [control, agent], now)
    if (ring === null) {
      const message = neverRings([control, agent], call.execution_id, now)
      return yield* refused(call, "hours", new StateConflict({ message }))
    }
    if (ring.deferred) return yield* new WindowShut({ at: ring.at })
    const callee = yield* calleeOf(call, [control, agent], hours)
    yield* paidFor(caller, call, [control, agent])
    return { agents: [control, agent], routing, callee, hours, callerId, until: ring.until } satisfies DialGrounds
  })
})

/** Dials calls at once that are asked for. */
export const makeDirectDials = Effect.fnUntraced(function* (checks: PlacingChecks) {
  const dialler = yield* Dialler
  const steps = yield* Steps
  const audit = yield* Audit
  const stillRings = yield* makeSecondLook(checks)
  const { paidFor, surelyUnsuppressed, withheld } = checks

  /** Dials a call of an agent that was judged. It may have to wait for its line: then it rests on what a second look finds. */
  return Effect.fnUntraced(function* (caller: Caller, agentId: string, call: Call, grounds: DialGrounds) {
    yield* paidFor(caller, call, grounds.agents)
    const again = stillRings(caller, agentId, call)
    const result = yield* dialler
      .dial(
        { ...call, unaudited: audit.allowed(caller, { ...created(call), http_status: null }) },
        { waitMs: limits.directDialWaitMs, whenGone: caller.whenGone, until: grounds.until, again },
        (lined, seen) =>
          steps.drafted(dialNow, {
            organization_id: call.organization_id,
            ...(seen ?? grounds),
            ...lined,
            keyed: caller.keyed,
          }),
      )
      .pipe(
        // Whoever has waited for a line in vain would try again.
        Effect.tapErrorTag("LimitExceeded", () => surelyUnsuppressed(call, grounds.agents)),
        Effect.tapErrorTag("LimitExceeded", () => withheld(call, "lines")),
        Effect.tapErrorTag("DependencyUnavailable", ({ dependency }) =>
          dependency === "telephony_service" ? withheld(call, "held") : Effect.void,
        ),
      )
    if (result.refusal !== null) {
      caller.onRecorded?.()
      // One that came too late is counted where that is found.
      if (result.refusal._tag !== "DependencyTimeout") yield* withheld(call, "carrier")
      return yield* result.refusal
    }
    return { _tag: result.confirmed ? ("Queued" as const) : ("Unconfirmed" as const), call: result.call }
  })
})
