import { type CarrierReport, InvalidField, type LegEnd, type LegFacts } from "@carillon/core"
import { Cause, Data, Effect } from "effect"
import { told } from "./Mistakes.ts"
import type { HostFacts, Settings } from "./Settings.ts"
import type { Price } from "./Story.ts"

/** Where the reports go: `carillon.report`. */
export type TakesReports = (report: CarrierReport) => Promise<unknown>

/** A report was not taken: it is malformed for good, or it could not be kept and comes again. */
export class NotTaken extends Data.TaggedError("NotTaken")<{ readonly forGood: boolean }> {}

/** The leg of an execution, by both names. */
export interface LegName {
  readonly execution_id: string
  readonly call_sid: string
}

export const tell = (report: TakesReports, told: CarrierReport): Effect.Effect<unknown, NotTaken> =>
  Effect.tryPromise({
    try: () => report(told),
    catch: (error) => new NotTaken({ forGood: error instanceof InvalidField }),
  })

const noFacts: HostFacts = { cost: null, media: null }

/** What the host says of a leg that is over; a mistake of its own is loud, and then it has said nothing. */
export const factsOf = (
  settings: Settings,
  name: LegName,
  end: Pick<LegEnd, "status" | "duration_seconds">,
  price: Price | null,
): Effect.Effect<HostFacts> =>
  Effect.promise(async () =>
    settings.facts({ ...name, status: end.status, duration_seconds: end.duration_seconds, price }),
  ).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.logError("The host's facts of a call have a mistake.", told(cause)).pipe(
            Effect.annotateLogs({ execution_id: name.execution_id }),
            Effect.as(noFacts),
          ),
    ),
  )

/** Reports the end for good. Facts that the engine will not have are left out, loudly: without its end a call holds its line. */
export const tellFinal = Effect.fnUntraced(function* (
  settings: Settings,
  report: TakesReports,
  name: LegName,
  words: { readonly at: number; readonly end: LegEnd; readonly price: Price | null; readonly recording: string | null },
) {
  const { at, end, price, recording } = words
  const said = yield* factsOf(settings, name, end, price)
  const final = (facts: LegFacts): CarrierReport => ({ ...name, at, type: "final", end, facts })
  const told = final({ ...said, recording_url: recording })
  const receipt = yield* tell(report, told).pipe(
    Effect.catchIf(
      ({ forGood }) => forGood,
      () =>
        Effect.logError("The host's facts of a call are not valid; it ends without them.").pipe(
          Effect.annotateLogs({ execution_id: name.execution_id }),
          Effect.andThen(tell(report, final({ ...noFacts, recording_url: recording }))),
        ),
    ),
  )
  // Somebody was faster with the end, but perhaps not with the cost.
  if (receipt === "repeated" && said.cost !== null) yield* tellCost(report, name, at, said.cost)
})

/** What a leg cost, once its end is reported. */
export const tellCost = (
  report: TakesReports,
  name: LegName,
  at: number,
  cost: NonNullable<LegFacts["cost"]>,
): Effect.Effect<unknown, NotTaken> => tell(report, { ...name, at, type: "corrected", end: {}, facts: { cost } })
