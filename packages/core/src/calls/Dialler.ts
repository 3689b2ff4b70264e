import { Context, Effect, Fiber, Layer } from "effect"
import { Activity } from "../engine/Activity.ts"
import { CurrentCallLimits } from "../CallLimits.ts"
import { ContactCalls } from "../contacts/ContactCalls.ts"
import type { CommitDraft } from "../engine/Commit.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { Parking } from "../engine/Parking.ts"
import { raised } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import { Conflict } from "../engine/Store.ts"
import { DependencyTimeout, LimitExceeded, type PortError } from "../Errors.ts"
import { Gate } from "../limits/Gate.ts"
import { concurrencyMessage, type SlotLevel } from "../limits/SlotLevels.ts"
import type { WhenGone } from "../keys/Caller.ts"
import { type Requester, watchRequester } from "./Requester.ts"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/Catalogue.ts"
import { CurrentMeters } from "../metrics/Meters.ts"
import { carrierPort } from "../telephony/CarrierPort.ts"
import { Dialling } from "../telephony/Dialling.ts"
import type { DialCommand, DialOutcome } from "../telephony/Telephony.ts"
import type { Call } from "./Call.ts"
import { readAnew } from "./CallReads.ts"
import { countLine } from "./CountLine.ts"
import { dialCommits, type LineTaken } from "./DialCommits.ts"
import { answeredStatus } from "./DialAudit.ts"
import { applyDialOutcome, closed, type DialEnding, type DialResult, isNobodysFault, tooLate } from "./DialOutcomes.ts"
import { intended } from "./PlaceCall.ts"
import { type Settled, settleDial } from "./SettleDial.ts"
import { takeBackDial } from "./TakeBackDial.ts"

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

const originOf = ({ contact_id, scheduled_at }: Call) =>
  contact_id !== null ? "contact" : scheduled_at !== null ? "booked" : "direct"

/**
 * The one path to the carrier. Its order is fixed (reserve, commit, hold, dial, commit) so that whatever crashes where, a
 * line is never leaked and nobody is rung twice.
 */
export class Dialler extends Context.Service<Dialler, DiallerShape>()("@carillon/core/calls/Dialler") {
  static readonly layer = Layer.effect(
    Dialler,
    Effect.gen(function* () {
      const gate = yield* Gate
      const { commit, giveBack } = yield* dialCommits
      const steps = yield* Steps
      const telephony = yield* carrierPort
      const dialling = yield* Dialling
      const parking = yield* Parking
      const activity = yield* Activity
      const clock = yield* DomainClock
      const contactCalls = yield* ContactCalls
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
        const { execution_id, organization_id } = call
        const settling = { organization_id, execution_id, placed: call, known: call, ending: outcome, times }
        // The line goes back only with a row that says so: one that is still live, or could not be written, keeps it.
        const settled: Settled = yield* steps
          .take(settleDial, settling, readAnew(settling))
          .pipe(
            Effect.catch(() =>
              Effect.as(
                Effect.logWarning("The outcome of a dial could not be stored; the carrier will be asked.").pipe(
                  Effect.annotateLogs({ execution_id }),
                ),
                { _tag: "Stale" as const },
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

      /** Takes back the record of a dial that was never made. */
      const takeBack = (call: Call, placed: Call, answered: number) => {
        const { execution_id, organization_id } = call
        const taking = { organization_id, execution_id, call, known: placed, answered }
        return steps.take(takeBackDial, taking, readAnew(taking))
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
        line: LineTaken,
        commitOf: (intended: Call) => CommitDraft,
        requester: Requester,
        mayRing: (at: number) => boolean,
      ) {
        const fence = line._tag === "Reserved" ? line.fence : null
        const placed = intended(call, fence, line.levels, clock.now() + limits.questionDelayMs)
        yield* commit(placed, line, commitOf, requester).pipe(
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
          const refused = yield* commit(placed, line, commitOf).pipe(
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
