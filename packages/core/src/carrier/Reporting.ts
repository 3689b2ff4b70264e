import { Data, Effect } from "effect"
import { InvalidField } from "../Errors.ts"
import type { CarrierReport, LegEnd, LegFacts } from "../telephony/rules/Leg.ts"
import { type AsksHost, factsOf, type LegName, type Price } from "./EndedLeg.ts"

/** Where the reports go: `carillon.report`. */
export type TakesReports = (report: CarrierReport) => Promise<unknown>

/** A report was not taken: it is malformed for good, or it could not be kept and comes again. */
export class NotTaken extends Data.TaggedError("NotTaken")<{ readonly forGood: boolean }> {}

/** Gives the engine a report; it succeeds once that is kept. While nobody takes reports (null) the report comes again. */
export const tell = (report: TakesReports | null, told: CarrierReport): Effect.Effect<unknown, NotTaken> =>
  report === null
    ? Effect.fail(new NotTaken({ forGood: false }))
    : Effect.tryPromise({
        try: () => report(told),
        catch: (error) => new NotTaken({ forGood: error instanceof InvalidField }),
      })

/** The last word on a leg. */
interface LastWord extends Pick<CarrierReport, "execution_id" | "call_sid" | "at"> {
  readonly end: LegEnd
  readonly facts: LegFacts
}

/** Reports the end for good. Facts that the engine will not have are left out, loudly: without its end a call holds its line. */
export const tellLast = (
  report: TakesReports | null,
  { at, call_sid, end, execution_id, facts }: LastWord,
  mistake = "The host's facts of a call are not valid; it ends without them.",
): Effect.Effect<unknown, NotTaken> => {
  const final = (known: LegFacts) => tell(report, { execution_id, call_sid, at, type: "final", end, facts: known })
  return final(facts).pipe(
    Effect.catchIf(
      ({ forGood }) => forGood && (facts.cost !== null || facts.media !== null),
      () =>
        Effect.logError(mistake).pipe(
          Effect.annotateLogs({ execution_id }),
          Effect.andThen(final({ recording_url: facts.recording_url, cost: null, media: null })),
        ),
    ),
  )
}

/** Reports the end for good, with what the host says of the leg. */
export const tellFinal = Effect.fnUntraced(function* (
  host: AsksHost,
  report: TakesReports,
  name: LegName,
  words: { readonly at: number; readonly end: LegEnd; readonly price: Price | null; readonly recording: string | null },
) {
  const { at, end, price, recording } = words
  const said = yield* factsOf(host, name, end, price)
  const receipt = yield* tellLast(report, { ...name, at, end, facts: { ...said, recording_url: recording } })
  // Somebody was faster with the end, but perhaps not with the cost.
  if (receipt === "repeated" && said.cost !== null) yield* tellCost(report, name, at, said.cost)
})

/** What a leg cost, once its end is reported. */
export const tellCost = (
  report: TakesReports | null,
  name: Pick<CarrierReport, "execution_id" | "call_sid">,
  at: number,
  cost: NonNullable<LegFacts["cost"]>,
): Effect.Effect<unknown, NotTaken> => tell(report, { ...name, at, type: "corrected", end: {}, facts: { cost } })

/** Where the recording of a leg is fetched. */
export const tellRecording = (
  report: TakesReports | null,
  name: Pick<CarrierReport, "execution_id" | "call_sid">,
  at: number,
  recording_url: string,
): Effect.Effect<unknown, NotTaken> =>
  tell(report, { ...name, at, type: "corrected", end: {}, facts: { recording_url } })
