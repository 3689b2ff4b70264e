import type { LegEnd } from "@carillon/core"
import {
  factsOf,
  type LegName,
  type NotTaken,
  type Price,
  type TakesReports,
  tellCost,
  tellFinal,
  told,
} from "@carillon/core/carrier"
import { Cause, Clock, Effect } from "effect"
import { bounds } from "./Bounds.ts"
import { fetchCall } from "./Calls.ts"
import { meaningOf, priceOf, wordsOf } from "./CallWords.ts"
import type { Settings } from "./Settings.ts"

/**
 * Asks at each of these times, counted from now, until Twilio says. `isPatient`: also while it says nothing at all; a line need not wait for a price
 * that nobody can ask for.
 */
const awaitedPrice = Effect.fnUntraced(function* (
  settings: Settings,
  sid: string,
  times: ReadonlyArray<number>,
  isPatient: boolean,
): Effect.fn.Return<Price | null> {
  let waited = 0
  for (const ms of times) {
    yield* Effect.sleep(ms - waited)
    waited = ms
    const fetched = yield* fetchCall(settings, sid)
    const price = fetched._tag === "Found" ? priceOf(fetched.call) : null
    if (price !== null) return price
    if (fetched._tag === "Silent" && fetched.isAway && !isPatient) return null
  }
  return null
})

/**
 * The prices that ended calls wait for, in this process and in bounded number. Nothing hangs on them but the cost: a call whose process died
 * gets its end from the engine's own question, and its price from `settle`.
 */
export class Prices {
  readonly #settings: Settings
  readonly #waiting = new Set<string>()

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** Waits for the price of a leg whose end is reported, but not its final word; then says that, with the price or without. */
  closing(report: TakesReports, name: LegName, at: number, end: LegEnd): Effect.Effect<void> {
    const settings = this.#settings
    const times = bounds.priceQuestionsMs.filter((ms) => ms <= settings.priceWaitMs)
    return this.#once(
      name,
      Effect.gen(function* () {
        const price = yield* awaitedPrice(settings, name.call_sid, times, false)
        // What could not be stored is handed in again by the engine; the price is asked for all the same.
        yield* Effect.catchIf(
          tellFinal(settings, report, name, { at, end, price, recording: null }),
          ({ forGood }) => !forGood,
          () => Effect.void,
        )
        if (price === null) yield* late(settings, report, name, end)
      }),
    )
  }

  /** Waits for the price of a leg whose final word was said without it. */
  correcting(report: TakesReports, name: LegName, end: LegEnd): Effect.Effect<void> {
    return this.#once(name, late(this.#settings, report, name, end))
  }

  #once(name: LegName, waiting: Effect.Effect<void, NotTaken>): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#waiting.has(name.execution_id)) return Effect.void
      if (this.#waiting.size >= bounds.pricesWaitedFor) {
        return Effect.logWarning("Too many ended calls wait for their price; this one's is not asked for.").pipe(
          Effect.annotateLogs({ execution_id: name.execution_id }),
        )
      }
      this.#waiting.add(name.execution_id)
      return waiting.pipe(
        Effect.catchTag("NotTaken", ({ forGood }) =>
          forGood
            ? Effect.logWarning("The price of an ended call was refused: its report is malformed.")
            : Effect.logDebug("The price of an ended call could not be stored now: it is handed in again."),
        ),
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.void
            : Effect.logWarning("The price of an ended call could not be reported.", told(cause)),
        ),
        Effect.annotateLogs({ execution_id: name.execution_id }),
        Effect.ensuring(Effect.sync(() => this.#waiting.delete(name.execution_id))),
      )
    })
  }
}

const late = Effect.fnUntraced(function* (settings: Settings, report: TakesReports, name: LegName, end: LegEnd) {
  const price = yield* awaitedPrice(settings, name.call_sid, bounds.latePriceQuestionsMs, true)
  if (price !== null) yield* costKnown(settings, report, name, end, price)
})

const costKnown = Effect.fnUntraced(function* (
  settings: Settings,
  report: TakesReports,
  name: LegName,
  end: LegEnd,
  price: Price,
) {
  const { cost } = yield* factsOf(settings, name, end, price)
  if (cost !== null) yield* tellCost(report, name, yield* Clock.currentTimeMillis, cost)
})

/** Asks once for the price of a leg that ended long ago, and reports it; true where Twilio said. */
export const settled = Effect.fnUntraced(function* (settings: Settings, report: TakesReports, name: LegName) {
  const fetched = yield* fetchCall(settings, name.call_sid)
  if (fetched._tag !== "Found") return false
  const meaning = meaningOf(wordsOf(fetched.call, null))
  const price = priceOf(fetched.call)
  if (price === null || !("end" in meaning)) return false
  yield* costKnown(settings, report, name, meaning.end, price)
  return true
})
