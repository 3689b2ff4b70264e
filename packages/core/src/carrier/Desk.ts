import { Effect, FiberSet } from "effect"
import type { Call } from "../calls/rules/Call.ts"
import { CallStore } from "../calls/ports/CallStore.ts"
import { metrics } from "../metrics/rules/Catalogue.ts"
import { CurrentMeters } from "../metrics/ports/Meters.ts"
import { allCarriers, CarrierName } from "../telephony/ports/CarrierName.ts"
import type { CarrierOperation } from "../telephony/Mistakes.ts"
import { callbackAnswers, type CallbackStatus, isRefusal, refusedCallbacks } from "./CallbackStatus.ts"
import { NotTaken, type TakesReports } from "./Reporting.ts"

/** Runs work in the engine's process, with its logs and its clock, until the engine is closed. */
export type RunsWork = <A, E>(work: Effect.Effect<A, E>) => Promise<A>

/**
 * Where a carrier and its callbacks meet: the engine starts the one (`openDesk`), its host mounts the other, and neither waits for the other
 * one. One adapter serves one engine. Every field is null before the engine has started and after it has closed, but `report`, which is null
 * before the callbacks are mounted.
 */
export class Desk {
  /** Whether a leg's id has the form that this vendor gives. An engine may have several carriers: a row with another's id is not this one's. */
  readonly isOwnSid: (callSid: string) => boolean
  run: RunsWork | null = null
  /** The same for what nobody waits for. */
  start: ((work: Effect.Effect<void>) => void) | null = null
  /** The engine's row of a call, null where there is none. Failing: it could not be had, and whatever asked for it comes again. */
  row: ((executionId: string) => Effect.Effect<Call | null, NotTaken>) | null = null
  report: TakesReports | null = null
  /** Counts a mistake of the carrier's, under its name. */
  count: ((operation: CarrierOperation) => void) | null = null
  /** Counts how a callback was answered, under the same name; that callbacks are refused is told in the log as well. */
  answered: ((status: CallbackStatus) => void) | null = null

  constructor(isOwnSid: (callSid: string) => boolean = () => true) {
    this.isOwnSid = isOwnSid
  }
}

/** Opens the desk for as long as the carrier's layer stands; returns what starts work that nobody waits for. */
export const openDesk = Effect.fnUntraced(function* (desk: Desk) {
  const calls = yield* CallStore
  const fork = yield* FiberSet.makeRuntime()
  const meters = yield* CurrentMeters
  const name = (yield* CarrierName) ?? allCarriers
  desk.count = (operation) => meters?.count(metrics.carrierMistakes, [name, operation])
  const tellRefusal = refusedCallbacks(name)
  desk.answered = (status) => {
    meters?.count(metrics.carrierCallbacks, [name, callbackAnswers[status]])
    if (isRefusal(status)) fork(tellRefusal(status))
  }
  desk.run = yield* FiberSet.makeRuntimePromise()
  desk.start = (work) => void fork(work)
  desk.row = (executionId) => Effect.mapError(calls.locate(executionId), () => new NotTaken({ forGood: false }))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      desk.run = null
      desk.start = null
      desk.row = null
      desk.count = null
      desk.answered = null
    }),
  )
  return fork
})

/** Tells of a mistake that is no throw, as loudly: an operator must mend it. Tell it once when it begins, not at each call that meets it. */
export const mistaken = ({ count }: Desk, operation: CarrierOperation, line: string): Effect.Effect<void> =>
  Effect.andThen(
    Effect.sync(() => count?.(operation)),
    Effect.logError(line),
  )

/**
 * The engine's row of a call; null where there is none, or where its leg has the id of another carrier. What is left may still be another's: a row
 * tells where to look, and only what the vendor says or was heard here is a proof. Where it cannot be had, whoever asks comes again.
 */
export const rowOf = ({ isOwnSid, row }: Desk, executionId: string): Effect.Effect<Call | null, NotTaken> =>
  row === null
    ? Effect.fail(new NotTaken({ forGood: false }))
    : Effect.map(row(executionId), (call) =>
        call !== null && call.call_sid !== null && !isOwnSid(call.call_sid) ? null : call,
      )
