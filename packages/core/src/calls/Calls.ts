import { Context, Data, Effect, Layer } from "effect"
import type { Agent } from "../agents/Agent.ts"
import { agentAsRead } from "../agents/AgentAsRead.ts"
import { canPlaceCalls } from "../agents/AgentStatus.ts"
import { AgentStore } from "../agents/AgentStore.ts"
import { Audit } from "../audit/Audit.ts"
import { Activity } from "../engine/Activity.ts"
import { cappedMessage, cappedUntil } from "../callees/CallCaps.ts"
import { Callees, type SeenCallee, type SeenHours } from "../callees/Callees.ts"
import { countingDial } from "../callees/CountedDials.ts"
import { suppressedMessage, suppressionOf } from "../callees/Suppression.ts"
import { ContactCalls } from "../contacts/ContactCalls.ts"
import { type CommitDraft, type Expectation, joined } from "../engine/Commit.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { hash32 } from "../engine/Hash.ts"
import { Ids } from "../engine/Ids.ts"
import { Steps } from "../engine/Steps.ts"
import { Wakeups } from "../engine/Wakeups.ts"
import {
  DependencyUnavailable,
  type EngineError,
  InsufficientCredits,
  InvalidField,
  NotFound,
  type PortError,
  StateConflict,
} from "../Errors.ts"
import { directSubject } from "../experiments/Assignment.ts"
import { Experiments, isRoutedSo } from "../experiments/Experiments.ts"
import type { Caller } from "../keys/Caller.ts"
import { limits } from "../Limits.ts"
import type { WithheldReason } from "../metrics/Catalogue.ts"
import { Withheld } from "../operating/Withheld.ts"
import { oversized } from "../Measure.ts"
import { callerIdNamed, stillRegistered } from "../numbers/CallerIds.ts"
import type { PhoneNumber } from "../numbers/PhoneNumber.ts"
import { AccountStore } from "../organizations/AccountStore.ts"
import { currencyOf, usualCurrency } from "../organizations/Currency.ts"
import { Funds } from "../organizations/Funds.ts"
import { Wallets } from "../organizations/Wallets.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { carrierPort } from "../telephony/CarrierPort.ts"
import type { Callee } from "../callees/Callee.ts"
import { bookCall } from "./BookCall.ts"
import type { Call, CallMedia } from "./Call.ts"
import { callCommit } from "./CallCommit.ts"
import { type CallFilter, CallStore } from "./CallStore.ts"
import { created } from "./DialAudit.ts"
import { Dialler } from "./Dialler.ts"
import {
  agentFacts,
  agentNotActive,
  booked,
  directDial,
  neverRings,
  newCall,
  type PlaceCall,
  ringTime,
} from "./PlaceCall.ts"
import { recordUnpaid } from "./RecordUnpaid.ts"
import { ringHours } from "./RingHours.ts"
import { scheduleFault, scheduleFaults } from "./ScheduleWindow.ts"
import { alreadyEnded, hangUpCall, stopCall } from "./StopCall.ts"
import { listed, surviving } from "./Surviving.ts"

/** How a call was taken: dialled (201), booked for later (202), or dialled without the carrier's word (202). */
export type PlaceReply = {
  readonly _tag: "Queued" | "Scheduled" | "Unconfirmed"
  readonly call: Call
}

/** How a call was stopped: before it was dialled (200), or by hanging up (202). */
export type StopReply =
  | { readonly _tag: "Canceled"; readonly call: Call; readonly scheduled_at: number | null }
  | { readonly _tag: "Stopped"; readonly call: Call; readonly requested_at: number; readonly reason: string }

interface CallsShape {
  /** Places a call now or books it (specification, "POST /v2/calls"). */
  readonly place: (caller: Caller, request: PlaceCall) => Effect.Effect<PlaceReply, EngineError>
  /** One call; an id that was folded answers with the surviving record. */
  readonly find: (organizationId: string, executionId: string) => Effect.Effect<Call, EngineError>
  readonly media: (organizationId: string, executionId: string) => Effect.Effect<CallMedia | null, EngineError>
  readonly page: (organizationId: string, filter: CallFilter, page: PageRequest) => Effect.Effect<Page<Call>, PortError>
  /** In which currency it is told that some of these calls have cost nothing yet. Asks once for all of them, and not where each has a cost. */
  readonly currency: (organizationId: string, calls: ReadonlyArray<Pick<Call, "cost">>) => Effect.Effect<string>
  /** The calls of one agent, which must exist in the organization. */
  readonly executionsOf: (
    organizationId: string,
    agentId: string,
    filter: CallFilter,
    page: PageRequest,
  ) => Effect.Effect<Page<Call>, EngineError>
  /** Cancels a booked call or hangs up a live one (specification, "POST /v2/calls/{execution_id}/stop"). */
  readonly stop: (caller: Caller, executionId: string, reason: string | null) => Effect.Effect<StopReply, EngineError>
}

/** Direct dials of one (organization, agent, number) are numbered by a counter that may be shared with another: it only has to be unique. */
const dialCounters = 2 ** 16

/** The calling window was shut while a dial waited for its line. */
class WindowShut extends Data.TaggedError("WindowShut")<{
  readonly at: number
}> {}

/** The experiment, or its challenger, was changed while a dial waited for its line, and another one makes the call now. */
class Rerouted extends Data.TaggedError("Rerouted") {}

/** What a dial rests on: its caller ID, the agents as they were read, the experiment that routed it, and whom it calls. */
interface Grounds {
  readonly callerId: ReadonlyArray<PhoneNumber>
  readonly agents: ReadonlyArray<Agent>
  readonly routing: ReadonlyArray<Expectation>
  readonly seen: SeenCallee
  /** The hours of callees, and call caps. */
  readonly hours: SeenHours
}

const expectationsOf = ({ agents, callerId, hours, routing, seen }: Grounds): NonNullable<CommitDraft["expect"]> => [
  ...agents.map(agentAsRead),
  ...routing,
  ...seen.expect,
  ...hours.expect,
  ...callerId.map((number) => stillRegistered(number)),
]

/** Calls as customers place, read and stop them. What the carrier and the clock do to a call is in `CallProgress.ts`. */
export class Calls extends Context.Service<Calls, CallsShape>()("@carillon/core/calls/Calls") {
  static readonly layer = Layer.effect(
    Calls,
    Effect.gen(function* () {
      const store = yield* CallStore
      const agents = yield* AgentStore
      const accounts = yield* AccountStore
      const funds = yield* Funds
      const wallets = yield* Wallets
      const told = yield* Withheld
      const experiments = yield* Experiments
      const dialler = yield* Dialler
      const telephony = yield* carrierPort
      const wakeups = yield* Wakeups
      const activity = yield* Activity
      const steps = yield* Steps
      const audit = yield* Audit
      const clock = yield* DomainClock
      const ids = yield* Ids
      const contactCalls = yield* ContactCalls
      const callees = yield* Callees
      const dialled = new Uint32Array(dialCounters)

      const mintExecution = (organizationId: string, request: PlaceCall): string => {
        const counter = hash32(organizationId, request.agent_id, request.to_number) % dialCounters
        const nth = dialled[counter] ?? 0
        dialled[counter] = nth + 1
        return ids.mint("execution", organizationId, request.agent_id, request.to_number, counter, nth)
      }

      const agentOf = (organizationId: string, agentId: string) =>
        Effect.flatMap(agents.find(organizationId, agentId), (agent) =>
          agent === null ? Effect.fail(new NotFound({ message: "Agent not found." })) : Effect.succeed(agent),
        )

      const accountOf = (organizationId: string) =>
        Effect.flatMap(accounts.organization(organizationId), (organization) =>
          organization === null
            ? Effect.fail(new DependencyUnavailable({ dependency: "account_service" }))
            : Effect.succeed(organization),
        )

      const callOf = Effect.fnUntraced(function* (organizationId: string, executionId: string) {
        const call = yield* surviving((id) => store.find(organizationId, id), executionId)
        return call ?? (yield* new NotFound({ message: "Call not found." }))
      })

      /** The number to call from, which must be the organization's; nothing where none is named. */
      const callerIdOf = (organizationId: string, fromNumber: string | null) =>
        steps.look(() => callerIdNamed(organizationId, fromNumber))

      /** Counts a call that is not dialled, or not booked. */
      const withheld = (
        { organization_id, scheduled_at }: Pick<Call, "organization_id" | "scheduled_at">,
        reason: WithheldReason,
      ) => told.note(organization_id, scheduled_at === null ? "direct" : "booked", reason)

      const refused = <E>(call: Parameters<typeof withheld>[0], reason: WithheldReason, error: E) =>
        Effect.andThen(withheld(call, reason), Effect.fail(error))

      /** Refuses a call at a time to a number that is suppressed then. */
      const unsuppressed = (callee: Callee | null, call: Call, agents: ReadonlyArray<Agent>, at: number) => {
        const agent_ids = agents.map(({ agent_id }) => agent_id)
        return suppressionOf(callee, { campaign_id: call.campaign_id, agent_ids }, at) === null
          ? Effect.void
          : refused(call, "suppressed", new StateConflict({ message: suppressedMessage }))
      }

      /** Whom a call is made to now, who must neither be suppressed nor have been called too often, unless that is overridden. */
      const calleeOf = Effect.fnUntraced(function* (call: Call, agents: ReadonlyArray<Agent>, { setting }: SeenHours) {
        const seen = yield* callees.look(call)
        if (call.overrides_suppression !== true) yield* unsuppressed(seen.callee, call, agents, clock.now())
        if (call.overrides_call_caps === true) return seen
        const until = cappedUntil(seen.callee, setting?.caps, clock.now())
        return until === null
          ? seen
          : yield* refused(call, "caps", new StateConflict({ message: cappedMessage(until) }))
      })

      /** Refuses what is not dialled where its number is suppressed, whether or not a callee was met. Answers with what that rests on. */
      const surelyUnsuppressed = Effect.fnUntraced(function* (call: Call, agents: ReadonlyArray<Agent>) {
        if (call.overrides_suppression === true) return []
        const { callee, expect } = yield* callees.sure(call)
        yield* unsuppressed(callee, call, agents, clock.now())
        return expect
      })

      const book = Effect.fnUntraced(function* (caller: Caller, call: Call, at: number, deferred: boolean) {
        const scheduled = booked(call, at, deferred)
        // The hint goes first: without the scheduling service nothing is booked, and a hint without a call does nothing.
        const { execution_id: subject, organization_id } = call
        yield* wakeups.set({ kind: "call", subject, at, organization_id })
        yield* steps.take(bookCall, { caller, call: scheduled })
        return { _tag: "Scheduled" as const, call: scheduled }
      })

      /** Refuses a direct dial that the wallet does not carry, and keeps a record of it. */
      const paidFor = Effect.fnUntraced(function* (caller: Caller, call: Call, agents: ReadonlyArray<Agent>) {
        const organization = yield* accountOf(caller.organization_id)
        const isOpen = yield* wallets.open(organization)
        if (isOpen && (yield* funds.covers(organization, { to_number: call.to_number, direct: true }))) return
        const agent_ids = agents.map(({ agent_id }) => agent_id)
        const isKnown = yield* Effect.catchTag(
          steps.take(recordUnpaid, { caller, call, agent_ids }),
          "StateConflict",
          (error) => {
            callees.met(call.organization_id)
            return refused(call, "suppressed", error)
          },
        )
        if (isKnown) callees.met(call.organization_id)
        return yield* refused(call, "wallet", new InsufficientCredits())
      })

      /** Who makes a call, from which number, who pays, and whose calling windows bind it, for a second look. Answers with what the dial rests on now. */
      const stillRings = Effect.fnUntraced(function* (caller: Caller, agentId: string, call: Call) {
        const organizationId = caller.organization_id
        const control = yield* agentOf(organizationId, agentId)
        if (!canPlaceCalls(control.status)) return yield* refused(call, "agent", agentNotActive(control.status))
        const routed = yield* experiments.route(control, directSubject(call.to_number))
        if (!isRoutedSo(call, routed)) return yield* new Rerouted()
        const { agent, routing } = routed
        const callerId = yield* callerIdOf(organizationId, call.from_number)
        const now = clock.now()
        const { hours, ring } = yield* ringHours(callees, call, [control, agent], now)
        if (ring === null) {
          const message = neverRings([control, agent], call.execution_id, now)
          return yield* refused(call, "hours", new StateConflict({ message }))
        }
        if (ring.deferred) return yield* new WindowShut({ at: ring.at })
        const seen = yield* calleeOf(call, [control, agent], hours)
        yield* paidFor(caller, call, [control, agent])
        return { callerId, agents: [control, agent], routing, seen, hours }
      })

      const dialNow = Effect.fnUntraced(function* (
        caller: Caller,
        call: Call,
        grounds: Grounds,
        mayRing: (at: number) => boolean,
        again: ReturnType<typeof stillRings>,
      ) {
        yield* paidFor(caller, call, grounds.agents)
        const result = yield* dialler
          .dial(
            { ...call, unaudited: audit.allowed(caller, { ...created(call), http_status: null }) },
            { waitMs: limits.directDialWaitMs, whenGone: caller.whenGone, mayRing, again },
            (placed, again) => {
              const rests = again ?? grounds
              return joined(
                callCommit(null, placed),
                { expect: expectationsOf(rests) },
                countingDial(rests.hours.setting?.caps, rests.seen.callee, placed),
              )
            },
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

      /** Decides over a call and writes it, once; its id is minted when it is first needed. */
      const decided = Effect.fnUntraced(function* (caller: Caller, request: PlaceCall, executionIdOf: () => string) {
        const now = clock.now()
        const of = { organization_id: caller.organization_id, scheduled_at: request.scheduled_at }
        const control = yield* agentOf(caller.organization_id, request.agent_id)
        if (!canPlaceCalls(control.status)) return yield* refused(of, "agent", agentNotActive(control.status))
        const callerId = yield* callerIdOf(caller.organization_id, request.from_number)
        const { agent, routing, ...experiment } = yield* experiments.route(control, directSubject(request.to_number))
        const executionId = executionIdOf()
        const call = newCall(caller.organization_id, executionId, request, directDial, now)
        const wanted = request.scheduled_at ?? now
        const isBooking = request.scheduled_at !== null
        const { binding, hours, ring } = yield* ringHours(callees, call, [control, agent], wanted, isBooking)
        if (ring === null) {
          const message = neverRings([control, agent], executionId, wanted)
          return yield* refused(of, "hours", new StateConflict({ message }))
        }
        const bookFor = Effect.fnUntraced(function* (at: number, deferred: boolean) {
          if (call.overrides_suppression !== true) {
            yield* unsuppressed(yield* callees.read(call), call, [control, agent], at)
          }
          const booked = yield* book(caller, { ...call, ...agentFacts(control) }, at, deferred)
          if (deferred && request.scheduled_at === null) yield* withheld(of, "hours")
          return booked
        })
        if (isBooking || ring.deferred) return yield* bookFor(ring.at, ring.deferred)
        const routed: Call = { ...call, ...experiment, ...agentFacts(agent) }
        const seen = yield* calleeOf(routed, [control, agent], hours)
        const mayRing = (at: number) => ringTime([control, agent], executionId, at, binding)?.deferred === false
        const again = stillRings(caller, control.agent_id, routed)
        return yield* Effect.catchTag(
          dialNow(caller, routed, { callerId, agents: [control, agent], routing, seen, hours }, mayRing, again),
          "WindowShut",
          ({ at }) => bookFor(at, true),
        )
      })

      /** A dial that another agent makes by the time it has its line is decided anew, once. */
      const routedAnew = (...request: Parameters<typeof decided>) =>
        Effect.catchTag(decided(...request), "Rerouted", () =>
          Effect.catchTag(decided(...request), "Rerouted", () =>
            Effect.fail(new DependencyUnavailable({ dependency: "call_storage" })),
          ),
        )

      const place: CallsShape["place"] = Effect.fnUntraced(function* (caller, request) {
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
        const executionIdOf = () => (minted ??= mintExecution(caller.organization_id, request))
        return yield* steps.anew(caller.organization_id, "call_storage", routedAnew(caller, request, executionIdOf))
      })

      /** Hangs up, and then stops the call. */
      const hangUp = Effect.fnUntraced(function* (caller: Caller, live: Call, reason: string) {
        const answer = yield* activity.track(telephony.hangup(live.execution_id, live.call_sid))
        if (answer === "Refused") {
          return yield* new StateConflict({ message: "The telephony provider refused to hang up this call." })
        }
        const { after: call, before } = yield* steps.take(hangUpCall, { caller, live, reason })
        yield* contactCalls.committed(before, call)
        if (call.stop === null) return yield* alreadyEnded(call)
        return { _tag: "Stopped" as const, call, requested_at: call.stop.requested_at, reason }
      })

      const stop: CallsShape["stop"] = Effect.fnUntraced(function* (caller, executionId, givenReason) {
        const reason = givenReason ?? "user_request"
        const { _tag, call } = yield* steps.take(stopCall, { caller, execution_id: executionId, reason })
        return _tag === "Canceled"
          ? { _tag, call, scheduled_at: call.scheduled_at }
          : yield* Effect.uninterruptible(hangUp(caller, call, reason))
      })

      return Calls.of({
        place,
        find: callOf,
        media: (organizationId, executionId) =>
          Effect.flatMap(callOf(organizationId, executionId), (call) => store.media(organizationId, call.execution_id)),
        page: (organizationId, filter, page) => listed(store, organizationId, filter, page),
        currency: (organizationId, told) =>
          told.every(({ cost }) => cost !== null)
            ? Effect.succeed(usualCurrency)
            : currencyOf(accounts.organization(organizationId)),
        executionsOf: (organizationId, agentId, filter, page) =>
          Effect.flatMap(agentOf(organizationId, agentId), () =>
            listed(store, organizationId, { ...filter, agent_id: agentId }, page),
          ),
        stop,
      })
    }),
  )
}
