import { Context, Data, Effect, Layer } from "effect"
import type { Agent } from "../agents/Agent.ts"
import { agentAsRead } from "../agents/AgentAsRead.ts"
import { canPlaceCalls } from "../agents/AgentStatus.ts"
import { AgentStore } from "../agents/AgentStore.ts"
import { Activity } from "../engine/Activity.ts"
import { type CallCapsSetting, cappedUntil } from "../callees/CallCaps.ts"
import type { Callee } from "../callees/Callee.ts"
import { Callees } from "../callees/Callees.ts"
import { countingDial } from "../callees/CountedDials.ts"
import { endsThatSuppress } from "../callees/EndsThatSuppress.ts"
import { bindingOf } from "../callees/HoursRow.ts"
import { type CallScope, suppressedMessage, suppressionOf } from "../callees/Suppression.ts"
import { CurrentCallLimits } from "../CallLimits.ts"
import type { Contact } from "../contacts/Contact.ts"
import { ContactCalls } from "../contacts/ContactCalls.ts"
import { isInAttempt, isLastHold } from "../contacts/ContactProgress.ts"
import { type Decision, joined, unchanged, write } from "../engine/Commit.ts"
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
import { type Call, type HeldSlot, isBooked } from "./Call.ts"
import { callCommit } from "./CallCommit.ts"
import { applyAnswer, applyReport, type ReportOutcome } from "./CallReports.ts"
import { CallStore } from "./CallStore.ts"
import { concludeCall } from "./ConcludeCall.ts"
import { Dialler } from "./Dialler.ts"
import { type EndHeard, endsHeard } from "./EndsHeard.ts"
import { recoverCall } from "./Folding.ts"
import { type InboundCall, takeIn } from "./InboundCall.ts"
import { agentFacts, neverRings, rebooked, ringTime } from "./PlaceCall.ts"
import { rebookCall } from "./RebookCall.ts"
import { recordDial } from "./RecordDial.ts"
import { surviving } from "./Surviving.ts"
import { withdrawal } from "./Withdrawal.ts"

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

/** A call before and after a step, null where its record was taken back, and the line that it gives back. */
interface Changed {
  readonly before: Call
  readonly after: Call | null
  readonly freed: HeldSlot | null
}

/** Whether the carrier's word shows that a contact's dial was never made, and the contact may be held for it as for a carrier that is away. */
const isTakenBack = (before: Call, after: Call, contact: Contact): boolean =>
  before.dial !== "refused" &&
  after.dial === "refused" &&
  isInAttempt(contact, before.execution_id) &&
  !isLastHold(contact)

const ended = (call: Call, status: "error" | "balance-low", error: string, now: number): Call => ({
  ...call,
  status,
  error: status === "error" ? error : null,
  hangup_reason: status === "balance-low" ? "balance_low" : null,
  completed_at: now,
  updated_at: now,
  due_at: null,
})

const callerIdGone = "The phone number to call from is not registered to the organization any more."

/** Until when caps keep a booked call from being made. */
const cappedBy = (call: Call, callee: Callee | null, caps: CallCapsSetting | undefined, at: number): number | null =>
  call.overrides_call_caps === true ? null : cappedUntil(callee, caps, at)

/** What a report may bring to a call, by its type alone. */
const bringsOf = ({ type }: CarrierReport) => ({
  mayCost: type === "final" || type === "corrected",
  mayTell: type === "final" || type === "analysis",
  mayEnd: type === "ended" || type === "final",
  mayUndo: false,
})

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
      const suppressing = yield* endsThatSuppress
      /** Calls that are being looked at, and whether one of them was woken again meanwhile: then it is looked at once more. */
      const looking = new Map<string, boolean>()

      /** The record that goes on for this id, which is another one after a folding. */
      const current = (executionId: string) => surviving(store.locate, executionId)

      /** Applies a word of the carrier and gives the line back when it was the last. */
      const apply = Effect.fnUntraced(function* (
        executionId: string,
        /** What the word may bring: only then are the account and the contact asked, so that their absence holds up nothing else. */
        { mayCost, mayEnd, mayTell, mayUndo }: ReturnType<typeof bringsOf>,
        heard: EndHeard | null,
        rule: (call: Call, currency: string, now: number) => ReportOutcome,
      ) {
        const view = Effect.gen(function* () {
          const call = yield* current(executionId)
          if (call === null) return null
          const organization = mayCost || mayTell ? yield* accounts.organization(call.organization_id) : null
          const suppressed = yield* suppressing(call, mayTell ? organization : null)
          const contact = mayEnd ? yield* contactCalls.context(call) : null
          const callee = mayUndo ? yield* callees.read(call) : null
          return { call, currency: organization?.wallet.currency ?? "USD", contact, suppressed, callee }
        })
        const { reply } = yield* steps.run(
          view,
          (loaded, now): Decision<Changed | Exclude<ReportReceipt, "applied">> => {
            if (loaded === null) return unchanged("unknown_execution")
            const { call, callee, currency, contact, suppressed } = loaded
            const outcome = rule(call, currency, now)
            if (outcome.call === call) return unchanged("repeated")
            if (contact !== null && isTakenBack(call, outcome.call, contact.contact)) {
              return write(withdrawal(call, contact, callee, "held", now), {
                before: call,
                after: null,
                freed: call.slot,
              })
            }
            const over = outcome.call.final_report_at !== null && call.final_report_at === null
            const changed = { before: call, after: outcome.call }
            const freed = over ? outcome.call.slot : null
            const draft = callCommit(call, outcome.call, { ...outcome, contact })
            return write(joined(draft, suppressed(call, outcome.call, now)), { ...changed, freed })
          },
          // A carrier is often so fast that its word comes while what became of the dial is being written.
          { kind: "call", id: executionId },
        )
        if (typeof reply === "string") return reply
        const { before, after, freed } = reply
        if (freed !== null) yield* gate.release(before.organization_id, freed.member, freed.fence)
        if (after !== null) yield* contactCalls.committed(before, after)
        if (after !== null && heard !== null) yield* ends(heard, before, after)
        return "applied" as const
      })

      const ask = Effect.fnUntraced(function* (call: Call) {
        const asked = clock.now()
        const answer = yield* activity.track(telephony.find(call.execution_id))
        const heard = answer._tag === "Ended" ? "asked" : null
        const brings = { mayCost: true, mayEnd: true, mayTell: true, mayUndo: answer._tag === "NeverDialled" }
        yield* apply(call.execution_id, brings, heard, (row, currency, now) => {
          // A report that came while the carrier was being asked has moved the time to look.
          return row.due_at === null || row.due_at > now
            ? { call: row, media: null, debit: 0 }
            : applyAnswer(row, answer, now, currency, times, asked)
        })
      })

      /**
       * Books a call anew that is due while its number rests. It rests on the attempts and the caps, and is looked at again within a day: one of the
       * attempts may be taken back, and caps may be loosened.
       */
      const rests = (call: Call, control: Agent, ring: (at: number) => ReturnType<typeof ringTime>) =>
        Effect.asVoid(
          steps.run(
            Effect.all([store.locate(call.execution_id), callees.sure(call), callees.sureHours(call.organization_id)]),
            ([row, { callee, expect }, hours], now) => {
              if (row === null || !isBooked(row)) return unchanged(undefined)
              const until = cappedBy(row, callee, hours.setting?.caps, now) ?? now
              const next = Math.min(until, now + limits.callCapLookMs)
              const after = rebooked(row, control, ring(next)?.at ?? next, now)
              return write(joined(callCommit(row, after), { expect: [...expect, ...hours.expect] }), undefined)
            },
          ),
        )

      const outdated = Effect.fnUntraced(function* (agent: Agent) {
        const row = yield* agents.find(agent.organization_id, agent.agent_id)
        if (row?.revision !== agent.revision) return yield* new Outdated()
      })

      const dialBooked = Effect.fnUntraced(function* (call: Call) {
        const { execution_id, organization_id } = call
        const scopeOf = (...agent_ids: ReadonlyArray<string>) => ({ campaign_id: call.campaign_id, agent_ids })
        // Whom nobody dials is told as much of a suppression as whom somebody would: what is not dialled rests on the callee, too.
        const undialled = (scope: CallScope, change: (row: Call, now: number) => Call) =>
          Effect.asVoid(
            steps.run(
              Effect.zip(store.locate(call.execution_id), callees.sure(call)),
              ([row, { callee, expect }], now) => {
                if (row === null || !isBooked(row)) return unchanged(undefined)
                const isBarred = row.overrides_suppression !== true && suppressionOf(callee, scope, now) !== null
                const after = isBarred ? ended(row, "error", suppressedMessage, now) : change(row, now)
                return write(joined(callCommit(row, after), { expect }), undefined)
              },
            ),
          )
        const withheld = (reason: WithheldReason) => told.note(organization_id, "booked", reason)
        const end = (reason: WithheldReason, error: string, scope: CallScope = scopeOf(call.agent_id)) => {
          const status = reason === "wallet" ? "balance-low" : "error"
          return Effect.andThen(
            undialled(scope, (row, now) => ended(row, status, error, now)),
            withheld(reason),
          )
        }
        const control = yield* agents.find(call.organization_id, yield* experiments.addressed(call))
        if (control === null || !canPlaceCalls(control.status)) return yield* end("agent", "The agent was not active.")
        const subject = directSubject(call.to_number)
        const { agent, routing, ...experiment } = yield* experiments.route(control, subject)
        const hours = yield* callees.hours(call.organization_id)
        const asked = { campaign_id: call.campaign_id, agent_id: control.agent_id }
        const binding = call.overrides_callee_hours === true ? [] : bindingOf(hours.setting, asked, call)
        const ring = (at: number) => ringTime([control, agent], call.execution_id, at, binding)
        const mayRing = (at: number) => ring(at)?.deferred === false
        const rebook = (at: number) => steps.take(rebookCall, { organization_id, execution_id, agent: control, at })
        // It may come late, or the window may have been changed since it was booked.
        const due = clock.now()
        const now = ring(due)
        if (now === null) return yield* end("hours", neverRings([control, agent], call.execution_id, due))
        if (now.deferred) return yield* Effect.andThen(rebook(now.at), withheld("hours"))
        const isPaidFor = Effect.gen(function* () {
          const organization = yield* accounts.organization(call.organization_id)
          if (organization === null) return true
          const isOpen = yield* wallets.open(organization)
          return isOpen && (yield* funds.covers(organization, { to_number: call.to_number, direct: false }))
        })
        const caps = hours.setting?.caps
        const seen = yield* callees.look(call)
        const scope = scopeOf(control.agent_id, agent.agent_id)
        if (call.overrides_suppression !== true && suppressionOf(seen.callee, scope, clock.now()) !== null) {
          return yield* end("suppressed", suppressedMessage, scope)
        }
        if (cappedBy(call, seen.callee, caps, clock.now()) !== null) {
          return yield* Effect.andThen(rests(call, control, ring), withheld("caps"))
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
              return undialled(scope, (row, now) => rebooked(row, control, ring(again)?.at ?? again, now))
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
            : apply(report.execution_id, bringsOf(report), "told", (call, currency, now) =>
                applyReport(call, report, now, currency, times),
              ),
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
