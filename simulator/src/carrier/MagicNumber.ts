import type { Script } from "./Outcome.ts"

/** What a magic number says: the outcome OO and the parameter PP, 0 to 99. */
export interface Magic {
  readonly outcome: number
  readonly parameter: number
}

/** `+999 OO PP SSSSSSSS`: a hundred million distinct contacts for each outcome. */
const long = /^\+999(\d\d)(\d\d)\d{8}$/

/** `+1 555 555 01OO`, with parameter 1: for people. */
const short = /^\+155555501(\d\d)$/

/** Reads a magic number; null for every other one. */
export const readMagic = (number: string): Magic | null => {
  const parts = long.exec(number)
  if (parts !== null) return { outcome: Number(parts[1]), parameter: Number(parts[2]) }
  const alias = short.exec(number)
  return alias === null ? null : { outcome: Number(alias[1]), parameter: 1 }
}

/** The outcome of a number that the wallet cannot carry. */
export const unfundedOutcome = 7

const secondMs = 1000
const minuteMs = 60_000

/** Later than the ten minutes that `all_processing_completed` waits. */
const lateAnalysisMs = 11 * minuteMs

/** Zero leaves the time to chance. */
const talk = (ms: number): Pick<Script, "talk_ms"> => (ms === 0 ? {} : { talk_ms: ms })

const timesThenCompleted =
  (result: "busy" | "no-answer" | "failed") =>
  (times: number, attempt: number): Script => ({ result: attempt < times ? result : "completed" })

const scripts: Readonly<Record<number, (parameter: number, attempt: number) => Script>> = {
  0: (pp) => ({ result: "completed", ...talk(pp * 10 * secondMs) }),
  1: () => ({ result: "busy" }),
  2: () => ({ result: "no-answer" }),
  3: () => ({ result: "voicemail" }),
  4: () => ({ result: "failed" }),
  5: () => ({ result: "error" }),
  6: (pp) => ({ result: "call-disconnected", ...talk(pp * secondMs) }),
  // The wallet refuses it before the carrier is asked; should the host let it through, it goes like any other.
  [unfundedOutcome]: () => ({ result: "completed" }),
  10: timesThenCompleted("busy"),
  11: timesThenCompleted("no-answer"),
  12: timesThenCompleted("failed"),
  20: () => ({ result: "unconfirmed" }),
  21: () => ({ result: "never-dialled" }),
  22: (pp) => ({ result: "completed", leg_report_ms: pp * secondMs }),
  23: () => ({ result: "completed", hangup_refused: true }),
  24: () => ({ result: "completed", duplicate_reports: true, reorder_reports: true }),
  25: () => ({ result: "completed", state_lost: true }),
  30: () => ({ result: "unreachable" }),
  31: () => ({ result: "rejected" }),
  32: (pp) => ({ result: "throttled", retry_after_seconds: pp === 0 ? null : pp }),
  33: () => ({ result: "invalid" }),
  40: () => ({ result: "completed", analysis_ms: lateAnalysisMs }),
  41: () => ({ result: "completed", corrected: true }),
  42: () => ({ result: "completed", recording: false }),
  43: () => ({ result: "completed", transcript_as_text: true }),
  50: (pp) => ({ result: "completed", ...talk(pp * minuteMs) }),
  60: () => ({ result: "silent" }),
}

/** How a leg to a magic number goes at this attempt; null where the table leaves the outcome open. */
export const magicScript = ({ outcome, parameter }: Magic, attempt: number): Script | null =>
  scripts[outcome]?.(parameter, attempt) ?? null
