import { spread } from "./ids.ts"

/** How a leg can go: the words of the control contract, and two that only magic numbers say. */
export const results = [
  "completed",
  "busy",
  "no-answer",
  "voicemail",
  "failed",
  "error",
  "call-disconnected",
  "rejected",
  "invalid",
  "unreachable",
  "unconfirmed",
  "silent",
] as const

export type Result = (typeof results)[number] | "throttled" | "never-dialled"

export interface Turn {
  readonly heard_ms?: number
  readonly first_token_ms?: number
  readonly last_token_ms?: number
  readonly first_audio_ms?: number
  readonly audio_end_ms?: number
}

/** How one leg goes. What is left out is drawn. */
export interface Script {
  readonly result: Result
  readonly ring_ms?: number
  readonly talk_ms?: number
  readonly processing_ms?: number
  readonly hangup_by?: string
  readonly recording?: boolean
  readonly sentiment?: string
  readonly transcript?: ReadonlyArray<{ readonly role: string; readonly content: string }>
  readonly cost?: { readonly total?: number; readonly breakdown?: Readonly<Record<string, number>> }
  readonly turns?: ReadonlyArray<Turn>
  readonly duplicate_reports?: boolean
  readonly reorder_reports?: boolean
  readonly hangup_refused?: boolean
  readonly ack_delay_ms?: number
  readonly leg_report_ms?: number
  readonly retry_after?: number
  readonly state_lost?: boolean
  readonly corrected?: boolean
  readonly transcript_as_text?: boolean
}

/** A leg that a rule may be for. */
export interface Subject {
  readonly to_number: string
  readonly agent_id: string
  readonly campaign_id: string | null
  readonly contact_index: number | null
  readonly attempt: number
}

export interface Rule {
  readonly match: Partial<Subject> & { readonly to_prefix?: string }
  readonly script: Script
  readonly times: number
}

const minuteMs = 60_000

/** Analysis that is so late comes after everybody stopped waiting for it. */
const lateMs = 15 * minuteMs

const plain: Readonly<Record<string, Result>> = {
  "01": "busy",
  "02": "no-answer",
  "03": "voicemail",
  "04": "failed",
  "05": "error",
  "20": "unconfirmed",
  "21": "never-dialled",
  "30": "unreachable",
  "31": "rejected",
  "33": "invalid",
  "60": "silent",
}

const untilThen: Readonly<Record<string, Result>> = { "10": "busy", "11": "no-answer", "12": "failed" }

/** Outcome and parameter of a magic number, or null. */
const readMagic = (to: string): readonly [outcome: string, parameter: number] | null => {
  const [, outcome, parameter] = /^\+999(\d\d)(\d\d)\d{8}$/.exec(to) ?? []
  if (outcome !== undefined) return [outcome, Number(parameter)]
  const [, person] = /^\+1555555 ?01(\d\d)$/.exec(to) ?? []
  return person === undefined ? null : [person, 1]
}

/** What a magic number says of a leg; null where the number has no magic. */
export const magicScript = (to: string, attempt: number): Script | null => {
  const magic = readMagic(to)
  if (magic === null) return null
  const [outcome, parameter] = magic
  const result = plain[outcome]
  if (result !== undefined) return { result }
  const first = untilThen[outcome]
  if (first !== undefined) return { result: attempt < parameter ? first : "completed" }
  switch (outcome) {
    case "00":
      return parameter === 0 ? { result: "completed" } : { result: "completed", talk_ms: parameter * 10_000 }
    case "06":
      return { result: "call-disconnected", talk_ms: parameter * 1_000 }
    case "22":
      return { result: "completed", leg_report_ms: parameter * 1_000 }
    case "23":
      return { result: "completed", hangup_refused: true, talk_ms: minuteMs }
    case "24":
      return { result: "completed", duplicate_reports: true, reorder_reports: true }
    case "25":
      return { result: "completed", state_lost: true }
    case "32":
      return { result: "throttled", retry_after: parameter }
    case "40":
      return { result: "completed", processing_ms: lateMs }
    case "41":
      return { result: "completed", corrected: true }
    case "42":
      return { result: "completed", recording: false }
    case "43":
      return { result: "completed", transcript_as_text: true }
    case "50":
      return { result: "completed", talk_ms: parameter * minuteMs }
    default:
      return null
  }
}

/** Whether a number says that the wallet cannot carry the call. */
export const isUnfunded = (to: string): boolean => readMagic(to)?.[0] === "07"

/** What an ordinary number does, as a function of number and attempt. */
export const ordinary = (to: string, attempt: number): Script => {
  const point = spread(`${to} ${attempt}`, 100)
  return { result: point < 60 ? "completed" : point < 80 ? "no-answer" : point < 90 ? "voicemail" : "busy" }
}

/** A number drawn for a purpose, between two bounds. */
export const drawn = (purpose: string, min: number, max: number): number => min + spread(purpose, max - min)
