import { Result, Schema } from "effect"
import { bounds } from "./Bounds.ts"

const id = Schema.String.check(Schema.isPattern(/^[!-~]+$/), Schema.isMaxLength(bounds.executionIdCharacters))
const Amount = Schema.Number.check(Schema.isFinite(), Schema.isGreaterThanOrEqualTo(0))
const Ms = Schema.NullOr(Schema.Number.check(Schema.isFinite()))

/** `report_id` is one for each report: a report that comes twice is taken once. */
const head = { version: Schema.Literal(1), report_id: id, execution_id: id, at: Schema.Number.check(Schema.isFinite()) }

/** Who answered, in the words of LiveKit's detection of answering machines. */
export const verdicts = ["human", "machine-ivr", "machine-vm", "machine-unavailable", "uncertain"] as const

const Turn = Schema.Struct({ role: Schema.String, content: Schema.String, start_ms: Ms, end_ms: Ms })

const Cost = Schema.Struct({
  total: Amount,
  breakdown: Schema.Struct({
    llm: Amount,
    network: Amount,
    platform: Amount,
    synthesizer: Amount,
    telephony: Amount,
    transcriber: Amount,
  }),
})

/** The callee's phone rings, or was answered. LiveKit tells nobody outside the room. */
const Phase = Schema.Struct({ ...head, type: Schema.Literals(["ringing", "answered"]) })

const Machine = Schema.Struct({ ...head, type: Schema.Literal("machine"), verdict: Schema.Literals(verdicts) })

/** The conversation is over, and what only the worker knows of it. */
const Finished = Schema.Struct({
  ...head,
  type: Schema.Literal("finished"),
  /** When the callee answered; epoch milliseconds. */
  answered_at: Schema.Number.check(Schema.isFinite()),
  /** When the conversation ended, on the same clock. */
  ended_at: Schema.Number.check(Schema.isFinite()),
  hangup_by: Schema.NullOr(Schema.Literals(["agent", "customer"])),
  /** Null: nothing detected who answered. */
  machine: Schema.NullOr(Schema.Boolean),
  transcript: Schema.NullOr(Schema.Union([Schema.String, Schema.Array(Turn)])),
  /** In the organization's currency. */
  cost: Schema.NullOr(Cost),
})

const Analysis = Schema.Struct({
  ...head,
  type: Schema.Literal("analysis"),
  summary: Schema.NullOr(Schema.String),
  sentiment: Schema.NullOr(Schema.Literals(["positive", "neutral", "negative"])),
  extracted_data: Schema.NullOr(Schema.JsonObject),
})

/** What a voice worker reports of its call. */
export const WorkerReport = Schema.Union([Phase, Machine, Finished, Analysis])
export type WorkerReport = typeof WorkerReport.Type
export type Finished = typeof Finished.Type
export type Verdict = (typeof verdicts)[number]

/** Whether a verdict says that nobody was reached. A menu is talked to, and what is uncertain goes on. */
export const isMachine = (verdict: Verdict): boolean => verdict === "machine-vm" || verdict === "machine-unavailable"

const Body = Schema.fromJsonString(WorkerReport)

/** Reads a report; null where it is not of the shape. */
export const readReport = (text: string): WorkerReport | null => {
  const read = Schema.decodeUnknownResult(Body)(text)
  return Result.isSuccess(read) ? read.success : null
}

/** Whom a report's token is made out to: what LiveKit signs with the same secret is no report, and the other way round. */
export const reportSubject = "carillon-report"
