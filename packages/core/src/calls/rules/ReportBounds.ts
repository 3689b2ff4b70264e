import { limits } from "../../Limits.ts"
import { fits, jsonBytes } from "../../Measure.ts"
import type { LegAnalysis, LegFacts } from "../../telephony/rules/Leg.ts"
import type { TranscriptTurn } from "./Call.ts"

type Media = NonNullable<LegFacts["media"]>

/** The first turns that fit together. */
const leading = (turns: ReadonlyArray<TranscriptTurn>): ReadonlyArray<TranscriptTurn> => {
  let bytes = 0
  const over = turns.findIndex((turn, index) => {
    bytes += jsonBytes(turn)
    return bytes > limits.transcriptBytes || index === limits.transcriptTurns
  })
  return over < 0 ? turns : turns.slice(0, over)
}

/** The beginning of a text that fits; a character takes six bytes of JSON at most. */
const opening = (text: string): string =>
  fits(text, limits.transcriptBytes) ? text : text.slice(0, Math.floor(limits.transcriptBytes / 6))

/**
 * What is kept of what was said: a conversation that is larger than a row may be ends early and says so, because a report that could not be
 * stored would hold its line for ever.
 */
export const keptMedia = (media: Media): Media & { readonly truncated?: true } => {
  const { transcript } = media
  const kept = transcript === null ? null : typeof transcript === "string" ? opening(transcript) : leading(transcript)
  const turns = media.turns?.slice(0, limits.transcriptTurns) ?? null
  return { ...media, transcript: kept, turns, ...(kept === transcript ? {} : { truncated: true }) }
}

/** What is kept of an analysis: an answer that is larger than a row may be counts as none. */
export const keptAnalysis = (analysis: LegAnalysis): LegAnalysis => ({
  ...analysis,
  summary: analysis.summary?.slice(0, limits.summaryCharacters) ?? null,
  extracted_data: fits(analysis.extracted_data, limits.settingsBytes) ? analysis.extracted_data : null,
})
