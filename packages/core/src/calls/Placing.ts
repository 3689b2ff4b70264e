import { Effect } from "effect"
import { canPlaceCalls } from "../agents/rules/AgentStatus.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { hash32 } from "../engine/rules/Hash.ts"
import { Ids } from "../engine/ports/Ids.ts"
import { Steps } from "../engine/Steps.ts"
import { Wakeups } from "../engine/ports/Wakeups.ts"
import { DependencyUnavailable, type EngineError, InvalidField, StateConflict } from "../Errors.ts"
import { directSubject } from "../experiments/rules/Assignment.ts"
import { Experiments } from "../experiments/Experiments.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import { limits } from "../Limits.ts"
import { oversized } from "../Measure.ts"
import { bookCall } from "./steps/BookCall.ts"
import type { Call } from "./rules/Call.ts"
import type { PlaceReply } from "./rules/CallReplies.ts"
import { makeDirectDials } from "./DirectDials.ts"
import {
  agentFacts,
  agentNotActive,
  booked,
  directDial,
  neverRings,
  newCall,
  type PlaceCall,
} from "./rules/PlaceCall.ts"
import type { PlacingChecks } from "./PlacingChecks.ts"
import { scheduleFault, scheduleFaults } from "./rules/ScheduleWindow.ts"

/** Direct dials of one (organization, agent, number) are numbered by a counter that may be shared with another: it only has to be unique. */
const dialCounters = 2 ** 16

/** Mints ids of calls that are placed. */
const makeMinting = Effect.gen(function* () {
  const ids = yield* Ids
  const dialled = new Uint32Array(dialCounters)

  return (organizationId: string, request: PlaceCall): string => {
    const counter = hash32(organizationId, request.agent_id, request.to_number) % dialCounters
    const nth = dialled[counter] ?? 0
    dialled[counter] = nth + 1
    return ids.mint("execution", organizationId, request.agent_id, request.to_number, counter, nth)
  }
})

/** Books calls. */
const makeBooking = Effect.gen(function* () {
  const wakeups = yield* Wakeups
  const steps = yield* Steps

  return Effect.fnUntraced(function* (caller: Caller, call: Call, at: number, deferred: boolean) {
    const scheduled = booked(call, at, deferred)
    // The hint goes first: without the scheduling service nothing is booked, and a hint without a call does nothing.
    const { execution_id: subject, organization_id } = call
    yield* wakeups.set({ kind: "call", subject, at, organization_id })
    yield* steps.take(bookCall, { caller, call: scheduled })
    return { _tag: "Scheduled" as const, call: scheduled }
  })
})

/** Decides over calls and writes them, once; the id of one is minted when it is first needed. */
const makeDeciding = Effect.fnUntraced(function* (checks: PlacingChecks) {
  const experiments = yield* Experiments
  const clock = yield* DomainClock
  const book = yield* makeBooking
  const dial = yield* makeDirectDials(checks)
  const { agentOf, bookable, calleeOf, callerIdOf, refused, ringOf, withheld } = checks

  return Effect.fnUntraced(function* (caller: Caller, request: PlaceCall, executionIdOf: () => string) {
    const now = clock.now()
    const of = { organization_id: caller.organization_id, scheduled_at: request.scheduled_at }
    const control = yield* agentOf(caller.organization_id, request.agent_id)
    if (!canPlaceCalls(control.status)) return yield* refused(of, "agent", agentNotActive(control.status))
    const callerId = yield* callerIdOf(caller.organization_id, request.from_number)
    const { agent, routing, ...experiment } = yield* experiments.route(control, directSubject(request.to_number))
    const agents = [control, agent] as const
    const executionId = executionIdOf()
    const call = newCall(caller.organization_id, executionId, request, directDial, now)
    const wanted = request.scheduled_at ?? now
    const isBooking = request.scheduled_at !== null
    const { hours, ring } = yield* ringOf(call, agents, wanted, isBooking)
    if (ring === null) {
      const message = neverRings(agents, executionId, wanted)
      return yield* refused(of, "hours", new StateConflict({ message }))
    }
    const bookFor = Effect.fnUntraced(function* (at: number, deferred: boolean) {
      yield* bookable(call, agents, at)
      const reply = yield* book(caller, { ...call, ...agentFacts(control) }, at, deferred)
      if (deferred && request.scheduled_at === null) yield* withheld(of, "hours")
      return reply
    })
    if (isBooking || ring.deferred) return yield* bookFor(ring.at, ring.deferred)
    const routed: Call = { ...call, ...experiment, ...agentFacts(agent) }
    const callee = yield* calleeOf(routed, agents, hours)
    const grounds = { agents, routing, callee, hours, callerId, until: ring.until }
    return yield* Effect.catchTag(dial(caller, control.agent_id, routed, grounds), "WindowShut", ({ at }) =>
      bookFor(at, true),
    )
  })
})

/** Places calls: now, or for later. */
export const makePlacing = Effect.fnUntraced(function* (checks: PlacingChecks) {
  const steps = yield* Steps
  const clock = yield* DomainClock
  const mint = yield* makeMinting
  const decided = yield* makeDeciding(checks)

  /** A dial that another agent makes by the time it has its line is decided anew, once. */
  const routedAnew = (...request: Parameters<typeof decided>) =>
    Effect.catchTag(decided(...request), "Rerouted", () =>
      Effect.catchTag(decided(...request), "Rerouted", () =>
        Effect.fail(new DependencyUnavailable({ dependency: "call_storage" })),
      ),
    )

  return Effect.fnUntraced(function* (caller: Caller, request: PlaceCall): Effect.fn.Return<PlaceReply, EngineError> {
    const fault = request.scheduled_at === null ? null : scheduleFault(request.scheduled_at, clock.now())
    if (fault !== null) {
      return yield* new InvalidField({ field: "scheduled_at", reason: scheduleFaults[fault] })
    }
    const { metadata, variables } = request
    const tooLarge = oversized(
      "call's variables",
      { variables, metadata },
      ["variables", "metadata"],
      limits.callVariablesBytes,
    )
    if (tooLarge !== null) return yield* tooLarge
    let minted: string | null = null
    const executionIdOf = () => (minted ??= caller.keyed?.subject ?? mint(caller.organization_id, request))
    return yield* steps.anew(caller.organization_id, "call_storage", routedAnew(caller, request, executionIdOf))
  })
})
