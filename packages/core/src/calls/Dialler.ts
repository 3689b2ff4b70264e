import { Context, Effect, Fiber, Layer } from "effect"
import { Activity } from "../engine/Activity.ts"
import { uncountingDial } from "../callees/CountedDials.ts"
import { Callees } from "../callees/Callees.ts"
import { CurrentCallLimits } from "../CallLimits.ts"
import { ContactCalls } from "../contacts/ContactCalls.ts"
import { isLastHold } from "../contacts/ContactProgress.ts"
import { type CommitDraft, type Decision, joined, unchanged, write } from "../engine/Commit.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { Parking } from "../engine/Parking.ts"
import { raised } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import { Conflict } from "../engine/Store.ts"
import { DependencyTimeout, LimitExceeded, type PortError } from "../Errors.ts"
import { Gate, type Line } from "../limits/Gate.ts"
import { concurrencyMessage, type SlotLevel } from "../limits/SlotLevels.ts"
import type { WhenGone } from "../keys/Caller.ts"
import { type Requester, watchRequester } from "./Requester.ts"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/Catalogue.ts"
import { CurrentMeters } from "../metrics/Meters.ts"
import { carrierPort } from "../telephony/CarrierPort.ts"
import { Dialling } from "../telephony/Dialling.ts"
import type { DialCommand, DialOutcome } from "../telephony/Telephony.ts"
import { type Call, isBooked } from "./Call.ts"
import { callCommit } from "./CallCommit.ts"
import { isTerminal } from "./CallStatus.ts"
import { CallStore } from "./CallStore.ts"
import { countLine } from "./CountLine.ts"
import { answeredStatus, onlyRecorded } from "./DialAudit.ts"
import { applyDialOutcome, closed, type DialEnding, type DialResult, tooLate } from "./DialOutcomes.ts"
import { intended } from "./PlaceCall.ts"
import { erasure, withdrawal } from "./Withdrawal.ts"

/** From so long before the carrier is asked about a call it is not dialled any more. */
const dialMarginMs = limits.questionDelayMs - limits.dialAcknowledgementMs

/** No line at any price: what the requester of a direct dial is told, and why a scheduled call is booked anew. */
const noLine = (figures: { readonly used: number; readonly max: number } | null): LimitExceeded =>
  new LimitExceeded({
    message: concurrencyMessage(figures),
    retryAfterSeconds: limits.directDialRetryAfterSeconds,
  })

interface DiallerShape {
  /**
   * Takes a line for the call, commits it with its intent to dial, dials, and commits the outcome. `commitOf` makes the commit
   * of the intended call. Fails with `Conflict` when a row has changed on which that commit rests: nothing stands, and whoever asked
   * decides anew. Fails with `LimitExceeded` when no line came free in time, or the line was lost before it was held, or
   * nobody waits for the answer any more, or while dialling is held: a direct dial leaves no record then, and a booked one is booked as it was.
   */
  readonly dial: <E = never, Seen = never>(
    call: Call,
    waiting: {
      readonly waitMs: number
      readonly whenGone?: WhenGone | undefined
      /** Whether the call may ring at a moment, by what was read. */
      readonly mayRing: (at: number) => boolean
      /**
       * Looks once more at what the dial rests on, where it had to wait for its line, or may not ring any more. If that fails the line goes back, and so does
       * the call where it is committed already.
       */
      readonly again: Effect.Effect<Seen, E>
    },
    /** `seen` is what `again` found, where it looked: the commit rests on that. */
    commitOf: (intended: Call, seen: Seen | undefined) => CommitDraft,
  ) => Effect.Effect<DialResult, E | LimitExceeded | Conflict | PortError>
  /**
   * The same for a batch contact, in two parts and without waiting: takes a line and commits the call with its contact; `finish` then
   * dials. A dial that is definitely refused for what is not the contact's fault is withdrawn: its record goes and the contact is held.
   */
  readonly begin: (
    call: Call,
    lane: {
      readonly campaign_id: string
      readonly max_concurrent_calls: number | null
      /** Since when the contact could have been dialled (epoch milliseconds). */
      readonly due_at: number
      /** From when on it may not ring any more (epoch milliseconds): then it is stale, or taken back where it is committed. */
      readonly until: number
    },
    commitOf: (intended: Call) => CommitDraft,
  ) => Effect.Effect<Begun, PortError>
}

/**
 * How a contact's dial ended: it was taken, or at least asked for; it was refused, and the contact is held; or refused once more, which ended its attempt;
 * or its hours closed before it was asked for, and the contact waits as it did.
 */
export type DialEnd = "dialled" | "held" | "burned" | "closed"

/**
 * A contact's call that has its line and is committed, or the level at which there was none, with its ceiling where that is known. `Stale`:
 * somebody has changed meanwhile what the dial rests on: the contact, its batch, its campaign, its agent or its caller ID; or the clock has closed its hours.
 */
export type Begun =
  | { readonly _tag: "Stale" }
  | { readonly _tag: "Full"; readonly level: SlotLevel; readonly max: number | null }
  | { readonly _tag: "Begun"; readonly finish: Effect.Effect<DialEnd> }

const commandOf = (call: Call): DialCommand => ({
  execution_id: call.execution_id,
  organization_id: call.organization_id,
  agent_id: call.agent_id,
  campaign_id: call.campaign_id,
  contact_id: call.contact_id,
  retry_count: call.retry_count,
  is_follow_up: call.is_follow_up,
  prompt: call.prompt,
  to_number: call.to_number,
  from_number: call.from_number,
  timeout_seconds: call.timeout_seconds,
  record: call.record,
  variables: call.variables,
})

/** What became of a dial's outcome. */
type Settled =
  | { readonly _tag: "Stale" | "Withdrawn" }
  | { readonly _tag: "Stored"; readonly before: Call; readonly after: Call }

const stale: Settled = { _tag: "Stale" }

const originOf = ({ contact_id, scheduled_at }: Call) =>
  contact_id !== null ? "contact" : scheduled_at !== null ? "booked" : "direct"

/** A definite refusal that has nothing to do with who was dialled. */
const isNobodysFault = (outcome: DialEnding): boolean =>
  outcome._tag === "TooLate" ||
  outcome._tag === "Closed" ||
  (outcome._tag === "Refused" && outcome.kind !== "invalid_destination" && outcome.kind !== "insufficient_funds")

/** Whether it ends the dial for good. */
const definite = (outcome: DialEnding): boolean =>
  outcome._tag === "TooLate" || outcome._tag === "Closed" || outcome._tag === "Refused"

/**
 * The one path to the carrier. Its order is fixed (reserve, commit, hold, dial, commit) so that whatever crashes where, a
 * line is never leaked and nobody is rung twice.
 */
export class Dialler extends Context.Service<Dialler, DiallerShape>()("@carillon/core/calls/Dialler") {
  static readonly layer = Layer.effect(
    Dialler,
    Effect.gen(function* () {
      const gate = yield* Gate
      const steps = yield* Steps
      const calls = yield* CallStore
      const telephony = yield* carrierPort
      const dialling = yield* Dialling
      const parking = yield* Parking
      const activity = yield* Activity
      const clock = yield* DomainClock
      const contactCalls = yield* ContactCalls
      const callees = yield* Callees
      const meters = yield* CurrentMeters
      const times = yield* CurrentCallLimits

      /** Asks the carrier to dial and waits for its word for at most eight seconds of domain time. */
      const acknowledged = Effect.fnUntraced(function* (
        call: Call,
        due: number,
      ): Effect.fn.Return<DialOutcome | typeof tooLate> {
        // Once the carrier may be asked about the call, it takes it for one that was never placed: too late to ring anybody. A process that
        // was paused, or whose clock is behind, must notice long before another asks.
        if (call.due_at === null || clock.now() >= call.due_at - dialMarginMs) {
          meters?.count(metrics.dialsTooLate, [])
          yield* Effect.logWarning(
            "A call is not dialled: it is so late that the carrier may be asked about it already.",
          ).pipe(Effect.annotateLogs({ execution_id: call.execution_id }))
          return tooLate
        }
        meters?.record(metrics.dialDelay, [originOf(call)], (clock.now() - due) / 1_000)
        const key = `dial:${call.execution_id}`
        const ticket = parking.park(key, clock.now() + limits.dialAcknowledgementMs)
        let outcome: DialOutcome = { _tag: "Unknown" }
        const dialling = yield* activity.begin(
          Effect.map(telephony.dial(commandOf(call)), (answer) => {
            outcome = answer
            parking.wake(key)
          }),
        )
        const answered = yield* ticket.wait
        if (!answered) yield* Fiber.interrupt(dialling)
        return outcome
      })

      /** Commits the outcome on the row as it is by now. A report may have been faster; a failure leaves the row to be asked about. */
      const settle = Effect.fnUntraced(function* (call: Call, outcome: DialEnding) {
        let known: Call | null = call
        const load = Effect.suspend(() => {
          const first = known
          known = null
          const row = first === null ? calls.find(call.organization_id, call.execution_id) : Effect.succeed(first)
          return Effect.all([
            row,
            // Nothing else ends a dial, and with it the attempt on the contact.
            definite(outcome) ? contactCalls.context(call) : Effect.succeed(null),
            isNobodysFault(outcome) && call.contact_id !== null ? callees.read(call) : Effect.succeed(null),
          ])
        })
        // The line goes back only with a row that says so: one that is still live, or could not be written, keeps it.
        const stored = steps.run(load, ([row, contact, callee], now): Decision<Settled> => {
          if (row === null || row.dial !== "intended" || isTerminal(row.status)) {
            // A report was faster than the carrier's word; the answer is on record all the same.
            if (row?.unaudited === undefined) return unchanged(stale)
            const answered = answeredStatus(applyDialOutcome(call, outcome, now, times))
            return write(callCommit(row, onlyRecorded(row, now), { answered }), stale)
          }
          if (contact !== null && isNobodysFault(outcome)) {
            const withdrawn: Settled = { _tag: "Withdrawn" }
            // Hours that are closed use no hold up.
            if (outcome._tag === "Closed") return write(withdrawal(row, contact, callee, "due", now), withdrawn)
            if (!isLastHold(contact.contact)) return write(withdrawal(row, contact, callee, "held", now), withdrawn)
          }
          const result = applyDialOutcome(row, outcome, now, times)
          const { call: after } = result
          return write(callCommit(row, after, { contact, answered: answeredStatus(result) }), {
            _tag: "Stored",
            before: row,
            after,
          })
        })
        const settled = yield* stored.pipe(
          Effect.map(({ reply }) => reply),
          Effect.catch(() =>
            Effect.as(
              Effect.logWarning("The outcome of a dial could not be stored; the carrier will be asked.").pipe(
                Effect.annotateLogs({ execution_id: call.execution_id }),
              ),
              stale,
            ),
          ),
        )
        const isOver =
          settled._tag === "Withdrawn" || (settled._tag === "Stored" && settled.after.final_report_at !== null)
        if (isOver) yield* gate.release(call.organization_id, call.execution_id, call.slot?.fence ?? null)
        if (settled._tag === "Stored") yield* contactCalls.committed(settled.before, settled.after)
        const told = applyDialOutcome(call, outcome, clock.now(), times)
        return { told: { ...told, call: raised(call, told.call) }, withdrawn: settled._tag === "Withdrawn" }
      })

      /** Gives back the line of a call that was not committed, unless it was committed under this very line by someone else. */
      const giveBack = (call: Call, fence: number) =>
        calls.locate(call.execution_id).pipe(
          Effect.flatMap((row) => {
            if (row?.slot?.fence === fence) return Effect.void
            // The dispatcher hears of it from its own dial: told of a free line it would ask for it again, at the same moment and for ever.
            return call.contact_id === null
              ? gate.release(call.organization_id, call.execution_id, fence)
              : gate.decline(call.execution_id, fence)
          }),
          Effect.catch(() => Effect.logDebug("A line could not be given back now; the reservation will lapse.")),
        )

      /**
       * Commits the intent to dial while the committed calls leave room. A reservation alone does not do: a process that has lost the slot
       * store admits by count, and cannot see what others have reserved.
       */
      const committed = (
        placed: Call,
        line: Exclude<Line, { readonly _tag: "Full" }>,
        commitOf: (intended: Call) => CommitDraft,
        requester?: Requester,
      ) =>
        Effect.tapErrorTag(
          line._tag === "Counted"
            ? gate.admit(commitOf(placed), line, placed.execution_id, requester?.whenGone)
            : Effect.onError(steps.admit(commitOf(placed), line.levels), () => giveBack(placed, line.fence)),
          "Conflict",
          (conflict) => Effect.sync(() => callees.refused(conflict)),
        )

      /** Takes back the record of a dial that was never made, from the row as it is by now. One that has ended meanwhile stays. */
      const takeBack = (call: Call, placed: Call, answered: number) => {
        let known: Call | null = placed
        const load = Effect.suspend(() => {
          const first = known
          known = null
          const row = first === null ? calls.find(call.organization_id, call.execution_id) : Effect.succeed(first)
          return Effect.zip(row, callees.read(call))
        })
        return steps.run(load, ([row, callee], now) => {
          if (row === null) return unchanged(undefined)
          if (row.dial === "intended" && !isTerminal(row.status)) {
            const undone = isBooked(call) ? callCommit(row, call) : erasure(row)
            return write(joined(undone, uncountingDial(callee, call)), undefined)
          }
          if (row.unaudited === undefined) return unchanged(undefined)
          return write(callCommit(row, onlyRecorded(row, now), { answered }), undefined)
        })
      }

      /** The row of a call that is on a line which the slot store did not answer for: it was admitted by count, too. Null where it is not dialled. */
      const onCountedLine = Effect.fnUntraced(function* (placed: Call, fence: number) {
        const { execution_id, organization_id } = placed
        const counted = yield* steps.take(countLine, { execution_id, organization_id, fence })
        // Where the reservation is there yet it would stand beside the line that the reconciler enters.
        if (counted !== null) yield* gate.decline(execution_id, fence)
        return counted
      })

      /** The row of a call whose line lasts from now on; null where it does not, or nobody can say. */
      const heldRow = Effect.fnUntraced(function* (placed: Call, fence: number) {
        const outcome = yield* gate.hold(placed.execution_id, fence)
        if (outcome === "Held") return placed
        if (outcome === "Lapsed") return null
        return yield* Effect.catch(onCountedLine(placed, fence), () => Effect.succeed(null))
      })

      /** Commits the intent to dial on a line that lasts. Null: it may not ring any more, and is taken back. */
      const commitIntended = Effect.fnUntraced(function* (
        call: Call,
        line: Exclude<Line, { readonly _tag: "Full" }>,
        commitOf: (intended: Call) => CommitDraft,
        requester: Requester,
        mayRing: (at: number) => boolean,
      ) {
        const fence = line._tag === "Reserved" ? line.fence : null
        const placed = intended(call, fence, line.levels, clock.now() + limits.questionDelayMs)
        yield* committed(placed, line, commitOf, requester).pipe(
          Effect.catchTag("AdmissionRefused", () => Effect.fail(noLine(null))),
        )
        // A reservation that ended meanwhile may be somebody else's line by now, even where the reconciler has restored this one.
        const isInTime = line._tag === "Counted" || clock.now() < line.until
        const held = !isInTime ? null : fence === null ? placed : yield* heldRow(placed, fence)
        const isWaitedFor = !(yield* requester.isGone)
        // A store may take its time, and the clock closes hours without a row that could conflict.
        const isShut = !mayRing(clock.now())
        if (held !== null && isWaitedFor && !isShut) return held
        const last = held ?? placed
        // First the line, which the reconciler may have restored: none may be held without a row.
        yield* gate.release(call.organization_id, call.execution_id, last.slot?.fence ?? null)
        const refusal = isInTime ? noLine(null) : new DependencyTimeout({ dependency: "call_storage" })
        yield* takeBack(call, last, answeredStatus({ confirmed: false, refusal }))
        return isShut && isWaitedFor ? null : yield* refusal
      })

      return Dialler.of({
        dial: Effect.fnUntraced(function* (call, { again, mayRing, waitMs, whenGone }, commitOf) {
          yield* dialling.expected
          const asked = clock.now()
          const requester = yield* watchRequester(whenGone)
          const line = yield* gate.take({
            execution_id: call.execution_id,
            organization_id: call.organization_id,
            agent_id: call.agent_id,
            campaign: null,
            waitMs,
            whenGone: requester.whenGone,
          })
          if (line._tag === "Full") return yield* noLine(line.figures)
          return yield* Effect.uninterruptible(
            Effect.gen(function* () {
              // It may have waited longer than a hold takes to become known.
              const now = clock.now()
              const isOld = now - asked >= limits.lineWaitedMs || !mayRing(now)
              const look = Effect.andThen(dialling.expected, isOld ? again : Effect.succeed(undefined))
              const seen = yield* Effect.onError(look, () =>
                line._tag === "Reserved" ? giveBack(call, line.fence) : Effect.void,
              )
              const placed = yield* commitIntended(call, line, (placing) => commitOf(placing, seen), requester, mayRing)
              // Whoever finds nothing against it now decides anew.
              if (placed === null)
                return yield* Effect.andThen(again, new Conflict({ kind: "call", id: call.execution_id }))
              return (yield* settle(placed, yield* acknowledged(placed, call.scheduled_at ?? asked))).told
            }),
          )
        }, Effect.scoped),
        begin: Effect.fnUntraced(function* (call, lane, commitOf) {
          yield* dialling.expected
          const line = yield* gate.take({ ...call, campaign: lane, waitMs: 0 })
          if (line._tag === "Full") return { _tag: "Full", level: line.level, max: line.figures?.max ?? null }
          const fence = line._tag === "Reserved" ? line.fence : null
          if (clock.now() >= lane.until) {
            if (fence !== null) yield* giveBack(call, fence)
            return { _tag: "Stale" }
          }
          const placed = intended(call, fence, line.levels, clock.now() + limits.questionDelayMs)
          const refused = yield* committed(placed, line, commitOf).pipe(
            Effect.as(null),
            Effect.catchTag("AdmissionRefused", ({ level, max }) =>
              Effect.succeed({ _tag: "Full" as const, level, max }),
            ),
            Effect.catchTag("Conflict", () => Effect.succeed({ _tag: "Stale" as const })),
          )
          if (refused !== null) return refused
          return {
            _tag: "Begun",
            finish: Effect.uninterruptible(
              Effect.gen(function* () {
                const isHeld =
                  line._tag === "Counted" ||
                  (clock.now() < line.until && (yield* gate.hold(call.execution_id, line.fence)) === "Held")
                // Whoever lost a line before it was held came too late for it.
                const outcome =
                  clock.now() >= lane.until ? closed : isHeld ? yield* acknowledged(placed, lane.due_at) : tooLate
                const { withdrawn } = yield* settle(placed, outcome)
                if (outcome._tag === "Closed") return "closed"
                return withdrawn ? "held" : isNobodysFault(outcome) ? "burned" : "dialled"
              }),
            ),
          }
        }),
      })
    }),
  )
}
