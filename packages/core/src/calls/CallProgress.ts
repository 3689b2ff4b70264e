import { Context, Data, Effect, Layer } from "effect"
import type { Agent } from "../agents/Agent.ts"
import { agentAsRead } from "../agents/AgentAsRead.ts"
import { canPlaceCalls } from "../agents/AgentStatus.ts"
import { AgentStore } from "../agents/AgentStore.ts"
import { Activity } from "../engine/Activity.ts"
import { Callees } from "../callees/Callees.ts"
import { countingDial } from "../callees/CountedDials.ts"
import { type CallScope, suppressedMessage, suppressionOf } from "../callees/Suppression.ts"
import { CurrentCallLimits } from "../CallLimits.ts"
import { ContactCalls } from "../contacts/ContactCalls.ts"
import { joined } from "../engine/Commit.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { raised } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import { Wakeups } from "../engine/Wakeups.ts"
import { NotFound, type PortError, type StateConflict } from "../Errors.ts"
import { directSubject } from "../experiments/Assignment.ts"
import { Experiments, isRoutedSo } from "../experiments/Experiments.ts"
import { Gate } from "../limits/Gate.ts"
import { limits } from "../Limits.ts"
import type { WithheldReason } from "../metrics/Catalogue.ts"
import { Withheld } from "../operating/Withheld.ts"
import { stillRegistered } from "../numbers/CallerIds.ts"
import { AccountStore } from "../organizations/AccountStore.ts"
import { Funds } from "../organizations/Funds.ts"
import { Wallets } from "../organizations/Wallets.ts"
import { Dialling } from "../telephony/Dialling.ts"
import { carrierPort } from "../telephony/CarrierPort.ts"
import type { CarrierReport, ReportReceipt } from "../telephony/Telephony.ts"
import { type Call, isBooked } from "./Call.ts"
import { callCommit } from "./CallCommit.ts"
import { CallStore } from "./CallStore.ts"
import { concludeCall } from "./ConcludeCall.ts"
import { Dialler } from "./Dialler.ts"
import { type EndHeard, endsHeard } from "./EndsHeard.ts"
import { recoverCall } from "./Folding.ts"
import { hearWord, type Word } from "./HearWord.ts"
import { type InboundCall, takeIn } from "./InboundCall.ts"
import { agentFacts, neverRings, ringTime } from "./PlaceCall.ts"
import { rebookCall } from "./RebookCall.ts"
import { ringHours } from "./RingHours.ts"
import { recordDial } from "./RecordDial.ts"
import { cappedBy, type Instead, restCall, undialCall } from "./UndialledCall.ts"

interface CallProgressShape {
  /** Takes in a carrier's report. Reports of calls that nobody knows are dropped; a repeated one does nothing. */
  readonly report: (report: CarrierReport) => Effect.Effect<ReportReceipt, PortError>
  /** Takes in a call that arrives: for the agent it names, or the one that is bound to its number. It needs an ACTIVE agent and no line. */
  readonly arrive: (inbound: InboundCall) => Effect.Effect<Call, NotFound | StateConflict | PortError>
  /**
   * Looks at a call whose time may have come: dials what was booked, asks the carrier about what is silent. Returns when to look again
   * where its time is still to come, or where somebody of this process is looking still, and may yet fail; else null.
   */
  readonly wake: (executionId: string) => Effect.Effect<number | null, PortError>
  /** Declares a call processed whose missing facts have been waited for long enough; returns until when they are, if that is still to come. */
  readonly conclude: (executionId: string) => Effect.Effect<number | null, PortError>
}

const callerIdGone = "The phone number to call from is not registered to the organization any more."

/** An agent was changed, or a calling window was shut, while a booked call waited for its line. */
class Outdated extends Data.TaggedError("Outdated")<{}> {}

/** What the carrier and the clock do to calls: reports, booked times, questions about silent legs (decisions.md, "Calls"). */
export class CallProgress extends Context.Service<CallProgress, CallProgressShape>()(
  "@carillon/core/calls/CallProgress",
) {
  static readonly layer = Layer.effect(
    CallProgress,
    Effect.gen(function* () {
      const store = yield* CallStore
      const agents = yield* AgentStore
      const experiments = yield* Experiments
      const accounts = yield* AccountStore
      const funds = yield* Funds
      const wallets = yield* Wallets
      const told = yield* Withheld
      const dialler = yield* Dialler
      const gate = yield* Gate
      const telephony = yield* carrierPort
      const dialling = yield* Dialling
      const wakeups = yield* Wakeups
      const activity = yield* Activity
      const steps = yield* Steps
      const clock = yield* DomainClock
      const contactCalls = yield* ContactCalls
      const callees = yield* Callees
      const times = yield* CurrentCallLimits
      const ends = yield* endsHeard
      /** Calls that are being looked at, and whether one of them was woken again meanwhile: then it is looked at once more. */
      const looking = new Map<string, boolean>()

      /** Applies a word of the carrier and gives the line back when it was the last. */
      const hear = Effect.fnUntraced(function* (execution_id: string, word: Word, heard: EndHeard | null) {
        const reply = yield* steps.take(hearWord, { organization_id: null, execution_id, word, times })
        if (typeof reply === "string") return reply
        const { after, before, freed, maySuppress } = reply
        if (maySuppress) callees.met(before.organization_id)
        if (freed !== null) yield* gate.release(before.organization_id, freed.member, freed.fence)
        if (after !== null) yield* contactCalls.committed(before, after)
        if (after !== null && heard !== null) yield* ends(heard, before, after)
        return "applied" as const
      })

      const ask = Effect.fnUntraced(function* ({ execution_id }: Call) {
        const at = clock.now()
        const answer = yield* activity.track(telephony.find(execution_id))
        yield* hear(execution_id, { _tag: "Asked", answer, at }, answer._tag === "Ended" ? "asked" : null)
      })

      const outdated = Effect.fnUntraced(function* (agent: Agent) {
        const row = yield* agents.find(agent.organization_id, agent.agent_id)
        if (row?.revision !== agent.revision) return yield* new Outdated()
      })

      const dialBooked = Effect.fnUntraced(function* (call: Call) {
        const { execution_id, organization_id } = call
        const scopeOf = (...agent_ids: ReadonlyArray<string>) => ({ campaign_id: call.campaign_id, agent_ids })
        const due = { organization_id, execution_id, to_number: call.to_number }
        const undialled = (scope: CallScope, instead: Instead) =>
          Effect.map(steps.take(undialCall, { ...due, scope, instead }), (isKnown) => {
            if (isKnown) callees.met(organization_id)
          })
        const withheld = (reason: WithheldReason) => told.note(organization_id, "booked", reason)
        const end = (reason: WithheldReason, error: string, scope: CallScope = scopeOf(call.agent_id)) => {
          const status = reason === "wallet" ? "balance-low" : "error"
          return Effect.andThen(undialled(scope, { _tag: "Ends", status, error }), withheld(reason))
        }
        const control = yield* agents.find(call.organization_id, yield* experiments.addressed(call))
        if (control === null || !canPlaceCalls(control.status)) return yield* end("agent", "The agent was not active.")
        const subject = directSubject(call.to_number)
        const { agent, routing, ...experiment } = yield* experiments.route(control, subject)
        const rebook = (at: number) => steps.take(rebookCall, { organization_id, execution_id, agent: control, at })
        // It may come late, or the window may have been changed since it was booked.
        const dueAt = clock.now()
        const { binding, hours, ring } = yield* ringHours(callees, call, [control, agent], dueAt)
        if (ring === null) return yield* end("hours", neverRings([control, agent], call.execution_id, dueAt))
        if (ring.deferred) return yield* Effect.andThen(rebook(ring.at), withheld("hours"))
        const mayRing = (at: number) => ringTime([control, agent], call.execution_id, at, binding)?.deferred === false
        const isPaidFor = Effect.gen(function* () {
          const organization = yield* accounts.organization(call.organization_id)
          if (organization === null) return true
          const isOpen = yield* wallets.open(organization)
          return isOpen && (yield* funds.covers(organization, { to_number: call.to_number, direct: false }))
        })
        const rest = steps.take(restCall, { ...due, agent: control, agents: [control, agent], binding })
        const caps = hours.setting?.caps
        const seen = yield* callees.look(call)
        const scope = scopeOf(control.agent_id, agent.agent_id)
        if (call.overrides_suppression !== true && suppressionOf(seen.callee, scope, clock.now()) !== null) {
          return yield* end("suppressed", suppressedMessage, scope)
        }
        if (cappedBy(call, seen.callee, caps, clock.now()) !== null) {
          return yield* Effect.andThen(rest, withheld("caps"))
        }
        if (!(yield* isPaidFor)) return yield* end("wallet", "", scope)
        const number = call.from_number === null ? null : yield* accounts.number(call.organization_id, call.from_number)
        if (number === null && call.from_number !== null) return yield* end("caller_id", callerIdGone, scope)
        const callerId = number === null ? [] : [stillRegistered(number)]
        const expect = [agentAsRead(control), agentAsRead(agent), ...callerId]
        // What is dialled goes on from the row that the dial writes.
        const routed: Call = raised(call, { ...call, ...agentFacts(agent), ...experiment })
        const again = Effect.gen(function* () {
          yield* outdated(control)
          yield* outdated(agent)
          if (!isRoutedSo(routed, yield* experiments.route(control, subject))) return yield* new Outdated()
          if (number !== null) {
            const now = yield* accounts.number(call.organization_id, number.phone_number)
            if (now?.revision !== number.revision) return yield* new Outdated()
          }
          if (!mayRing(clock.now()) || !(yield* isPaidFor)) return yield* new Outdated()
        })
        yield* dialler
          .dial(routed, { waitMs: limits.queuedDialWaitMs, mayRing, again }, (placed) =>
            joined(
              callCommit(call, placed),
              { expect },
              { expect: routing },
              { expect: [...seen.expect, ...hours.expect] },
              countingDial(caps, seen.callee, placed),
            ),
          )
          .pipe(
            // Its row stands as it was: it is judged anew at once.
            Effect.catchTag(["Outdated", "Conflict"], () =>
              Effect.sync(() => void looking.set(call.execution_id, true)),
            ),
            Effect.catchTag("LimitExceeded", () => {
              const again = clock.now() + limits.rescheduleMs
              return Effect.flatMap(ringHours(callees, call, [control, agent], again, true), (then) =>
                undialled(scope, { _tag: "Rebooked", agent: control, at: then.ring?.at ?? again }),
              )
            }),
          )
      })

      /** Sees to a call that is due; answers when it will be, where it is not yet: a hint that came early may have taken the place of the one that is on time. */
      const look = Effect.fnUntraced(function* (executionId: string) {
        const call = yield* store.locate(executionId)
        if (call === null || call.due_at === null) return null
        if (call.due_at > clock.now()) return call.due_at
        if (call.final_report_at !== null)
          yield* steps.take(recordDial, { organization_id: null, execution_id: executionId })
        else if (!isBooked(call)) yield* ask(call)
        else if ((yield* dialling.standing) === null) yield* dialBooked(call)
        // Booked as it was: its row says nothing of the hold.
        else yield* wakeups.set({ kind: "call", subject: executionId, at: clock.now() + limits.heldLookMs })
        return null
      })

      const lookUntilStill = Effect.fnUntraced(function* (executionId: string) {
        let again: number | null
        do {
          looking.set(executionId, false)
          again = yield* look(executionId)
        } while (looking.get(executionId) === true)
        return again
      })

      return CallProgress.of({
        report: (report) =>
          report.type === "recovered"
            ? steps.take(recoverCall, { ...report, organization_id: null })
            : hear(report.execution_id, { _tag: "Told", report }, "told"),
        arrive: (inbound) => steps.take(takeIn, { ...inbound, times }),
        conclude: (executionId) => steps.take(concludeCall, { organization_id: null, execution_id: executionId }),
        wake: (executionId) =>
          Effect.suspend(() => {
            const isLookedAt = looking.has(executionId)
            looking.set(executionId, isLookedAt)
            if (isLookedAt) return Effect.succeed(clock.now() + limits.wakeupRetryMs)
            return Effect.ensuring(
              lookUntilStill(executionId),
              Effect.sync(() => looking.delete(executionId)),
            )
          }),
      })
    }),
  )
}
