import { Effect, Result, Schema, SchemaIssue, Struct } from "effect"
import { terminalStatuses } from "../calls/CallStatus.ts"
import { InvalidField } from "../Errors.ts"
import { limits } from "../Limits.ts"
import type { CarrierReport } from "./Telephony.ts"

const Text = Schema.String.annotate({ message: "must be a string" })
const Quantity = Schema.Number.annotate({ message: "must be a number" }).check(
  Schema.isFinite({ message: "must be a number" }),
)
const NonNegative = Quantity.check(Schema.isGreaterThanOrEqualTo(0, { message: "must be a number of at least 0" }))
const Flag = Schema.Boolean.annotate({ message: "must be true or false" })
const oneOf = <const Words extends ReadonlyArray<string>>(words: Words) =>
  Schema.Literals(words).annotate({ message: `must be one of ${words.join(", ")}` })
const fields = <const Fields extends Schema.Struct.Fields>(of: Fields) =>
  Schema.Struct(of).annotate({ message: "must be an object" })
const listOf = <S extends Schema.Top>(item: S) => Schema.Array(item).annotate({ message: "must be an array" })

const idReason = `must be 1 to ${limits.executionIdCharacters} visible ASCII characters`
const ExecutionId = Text.check(
  Schema.isPattern(/^[!-~]+$/, { message: idReason }),
  Schema.isMaxLength(limits.executionIdCharacters, { message: idReason }),
)

const hangupReasons = [
  "user_hangup",
  "agent_hangup",
  "voicemail_reached",
  "inactivity_timeout",
  "max_duration_reached",
  "dial_busy",
  "dial_no_answer",
  "dial_failed",
  "invalid_destination",
  "user_request",
  "carrier_error",
  "balance_low",
] as const

const End = fields({
  status: oneOf(terminalStatuses),
  duration_seconds: Schema.NullOr(NonNegative),
  answered_by_voicemail: Schema.NullOr(Flag),
  hangup_by: Schema.NullOr(oneOf(["agent", "customer"])),
  hangup_reason: Schema.NullOr(oneOf(hangupReasons)),
  error: Schema.NullOr(Text),
})

const Cost = fields({
  total: NonNegative,
  breakdown: fields({
    llm: NonNegative,
    network: NonNegative,
    platform: NonNegative,
    synthesizer: NonNegative,
    telephony: NonNegative,
    transcriber: NonNegative,
  }),
})

const Ms = Schema.NullOr(Quantity)

const Turn = fields({ role: Text, content: Text, start_ms: Ms, end_ms: Ms })

const Setup = fields({
  stream_connect_ms: Ms,
  transcriber_connect_ms: Ms,
  language_model_connect_ms: Ms,
  synthesizer_connect_ms: Ms,
  time_to_first_audio_ms: Ms,
})

const Timing = fields({
  final_transcript_ms: Ms,
  first_token_ms: Ms,
  last_token_ms: Ms,
  first_audio_ms: Ms,
  complete_ms: Ms,
})

const Facts = fields({
  recording_url: Schema.NullOr(Text),
  cost: Schema.NullOr(Cost),
  media: Schema.NullOr(
    fields({
      transcript: Schema.NullOr(Schema.Union([Text, listOf(Turn)])),
      setup: Schema.NullOr(Setup),
      turns: Schema.NullOr(listOf(Timing)),
    }),
  ),
})

const Analysis = fields({
  summary: Schema.NullOr(Text),
  sentiment: Schema.NullOr(oneOf(["positive", "neutral", "negative"])),
  extracted_data: Schema.NullOr(Schema.JsonObject.annotate({ message: "must be an object" })),
})

const phases = ["initiated", "ringing", "answered"] as const
const types = [...phases, "ended", "final", "analysis", "corrected", "recovered"] as const

const head = { execution_id: ExecutionId, at: Quantity, call_sid: Schema.NullOr(Text) }
const Head = fields({ ...head, type: oneOf(types) })

const SomeEnd = End.mapFields(Struct.map(Schema.optional)).annotate({ message: "must be an object" })
const SomeFacts = Facts.mapFields(Struct.map(Schema.optional)).annotate({ message: "must be an object" })

/** What a report may be. Fields that are not named here are not looked at. */
const Report = Schema.Union([
  // One each: a single literal is what a report is told by.
  ...phases.map((phase) => fields({ ...head, type: Schema.Literal(phase) })),
  fields({ ...head, type: Schema.Literal("ended"), end: End }),
  fields({ ...head, type: Schema.Literal("final"), end: End, facts: Facts }),
  fields({ ...head, type: Schema.Literal("analysis"), analysis: Analysis }),
  fields({ ...head, type: Schema.Literal("corrected"), end: SomeEnd, facts: SomeFacts }),
  fields({ ...head, type: Schema.Literal("recovered"), surviving_execution_id: ExecutionId }),
])

const leafReason: SchemaIssue.LeafHook = (leaf) => {
  if (leaf._tag === "MissingKey") return "is required"
  const message = ("ast" in leaf ? leaf.ast.annotations : leaf.annotations)?.["message"]
  return typeof message === "string" ? message : "is not valid"
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leafReason })

const fieldName = (path: ReadonlyArray<unknown>): string => {
  let name = ""
  for (const segment of path) {
    const key = typeof segment === "object" && segment !== null && "key" in segment ? segment.key : segment
    name += typeof key === "number" ? `[${key}]` : `${name === "" ? "" : "."}${String(key)}`
  }
  return name
}

const invalid = ({ issue }: { readonly issue: SchemaIssue.Issue }): InvalidField => {
  const first = format(issue).issues[0]
  return new InvalidField({ field: fieldName(first?.path ?? []), reason: first?.message ?? "is not valid" })
}

const readHead = Schema.decodeUnknownResult(Head)
const readReport = Schema.decodeUnknownResult(Report)

/**
 * Checks a report whose sender's types are not proof, and names the first field that is wrong: a report that is taken in changes rows that
 * money and lines depend on.
 */
export const checkedReport = (report: CarrierReport): Effect.Effect<void, InvalidField> => {
  // Every report that the type allows is one that the schema knows; the compiler holds it to that.
  const known: typeof Report.Type = report
  // The head first: without a type it cannot be said what else is missing.
  const read = Result.flatMap(readHead(known), () => readReport(known))
  return Result.isSuccess(read) ? Effect.void : Effect.fail(invalid(read.failure))
}
