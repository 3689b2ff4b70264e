import { Effect } from "effect"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/rules/Catalogue.ts"
import type { Meters } from "../metrics/ports/Meters.ts"
import * as E164 from "../phone/E164.ts"
import { parseUrl } from "../WebUrl.ts"
import { allCarriers } from "./ports/CarrierName.ts"
import type { CarrierReport, LegFacts } from "./rules/Leg.ts"

/** Characters that the parser of addresses drops without a word. */
const dropped = /\p{Cc}/u

/** Whether a text is an address at which a customer may be sent to a recording: absolute, of http or https, and no longer than is kept. */
export const isRecordingAddress = (text: string): boolean =>
  text.length <= limits.recordingAddressCharacters &&
  /^https?:\/\//i.test(text) &&
  !dropped.test(text) &&
  parseUrl(text) !== null

/** Where an address that is none was met, and what counts it. */
interface Met {
  readonly operation: "find" | "report"
  readonly execution_id: string
  readonly count: () => void
}

/**
 * Whether facts of a leg have an address of its recording to which nobody can be sent, which is told as an error then, by its field and never by its
 * value. They are taken without it: a call is over, whatever is said of its recording.
 */
export const hasWrongAddress = (
  { recording_url = null }: Partial<LegFacts>,
  { count, execution_id, operation }: Met,
): Effect.Effect<boolean> => {
  if (recording_url === null || isRecordingAddress(recording_url)) return Effect.succeed(false)
  const most = limits.recordingAddressCharacters
  const must = `facts.recording_url must be an absolute http or https address of at most ${most} characters`
  return Effect.sync(count).pipe(
    Effect.andThen(Effect.logError(`The carrier's ${operation} has a mistake: ${must}. It is taken without it.`)),
    Effect.annotateLogs({ execution_id: E164.maskDigits(execution_id), operation }),
    Effect.as(true),
  )
}

/** A report as it is taken: without an address of a recording to which nobody can be sent. */
export const withoutWrongAddress = (report: CarrierReport, meters: Meters | null): Effect.Effect<CarrierReport> => {
  if (report.type !== "final" && report.type !== "corrected") return Effect.succeed(report)
  const { execution_id } = report
  // Which of several carriers reports is not known.
  const count = () => meters?.count(metrics.carrierMistakes, [allCarriers, "report"])
  return Effect.map(hasWrongAddress(report.facts, { operation: "report", execution_id, count }), (isWrong) => {
    if (!isWrong) return report
    return report.type === "final"
      ? { ...report, facts: { ...report.facts, recording_url: null } }
      : { ...report, facts: { ...report.facts, recording_url: null } }
  })
}
