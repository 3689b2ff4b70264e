import { type Effect, Schema, Struct } from "effect"
import { hangupReasons } from "../../calls/rules/HangupReason.ts"
import { terminalStatuses } from "../../calls/rules/CallStatus.ts"
import type { InboundCall } from "../../calls/rules/InboundCall.ts"
import type { InvalidField } from "../../Errors.ts"
import {
  fields,
  Flag,
  listOf,
  NonNegative,
  oneOf,
  optional,
  orNull,
  Quantity,
  reader,
  says,
  Text,
} from "../../HostWords.ts"
import { counted } from "../../Counted.ts"
import { limits } from "../../Limits.ts"
import type { Asked, CarrierReport } from "./Leg.ts"
import type { DialOutcome } from "./Dial.ts"

const idReason = `must be 1 to ${limits.executionIdCharacters} visible ASCII characters`
const ExecutionId = Text.check(
  Schema.isPattern(/^[!-~]+$/, { message: idReason }),
  Schema.isMaxLength(limits.executionIdCharacters, { message: idReason }),
)

const Amount = NonNegative.check(
  Schema.isLessThanOrEqualTo(limits.reportedAmount, {
    message: `must be a number of at most ${counted(limits.reportedAmount)}`,
  }),
)

const End = fields({
  status: oneOf(terminalStatuses),
  duration_seconds: orNull(Amount),
  answered_by_voicemail: orNull(Flag),
  hangup_by: orNull(oneOf(["agent", "customer"])),
  hangup_reason: orNull(oneOf(hangupReasons)),
  error: orNull(Text),
})

const Cost = fields({
  total: Amount,
  breakdown: fields({
    llm: Amount,
    network: Amount,
    platform: Amount,
    synthesizer: Amount,
    telephony: Amount,
    transcriber: Amount,
  }),
})

const Ms = orNull(Quantity)

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
  recording_url: orNull(Text),
  cost: orNull(Cost),
  media: orNull(
    fields({
      transcript: orNull(Schema.Union([Text, listOf(Turn)])),
      setup: orNull(Setup),
      turns: orNull(listOf(Timing)),
    }),
  ),
})

const Analysis = fields({
  summary: orNull(Text),
  sentiment: orNull(oneOf(["positive", "neutral", "negative"])),
  extracted_data: orNull(says(Schema.JsonObject, "must be an object")),
})

const phases = ["initiated", "ringing", "answered"] as const
const types = [...phases, "ended", "final", "analysis", "corrected", "recovered"] as const

const head = { execution_id: ExecutionId, at: Quantity, call_sid: orNull(Text) }
const Head = fields({ ...head, type: oneOf(types) })

const inPart = Struct.lambda<typeof Schema.optional>(optional)
const SomeEnd = says(End.mapFields(Struct.map(inPart)), "must be an object")
const SomeFacts = says(Facts.mapFields(Struct.map(inPart)), "must be an object")

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

const tagged = <const Tag extends string>(tag: Tag) => fields({ _tag: Schema.Literal(tag) })

const refusals = ["unreachable", "rejected", "invalid_destination", "insufficient_funds"] as const
const Refused = fields({ _tag: Schema.Literal("Refused"), kind: oneOf([...refusals, "throttled"]) })

/** What a dial may be answered with. */
const Dialled = Schema.Union([
  fields({
    _tag: Schema.Literal("Accepted"),
    call_sid: orNull(Text),
    from_number: optional(Text),
  }),
  ...refusals.map((kind) => fields({ _tag: Schema.Literal("Refused"), kind: Schema.Literal(kind) })),
  fields({
    _tag: Schema.Literal("Refused"),
    kind: Schema.Literal("throttled"),
    retryAfterSeconds: orNull(NonNegative),
  }),
  tagged("Unknown"),
])

/** What a question may be answered with. */
const Found = Schema.Union([
  tagged("NoAnswer"),
  tagged("Unknown"),
  tagged("NeverDialled"),
  fields({ _tag: Schema.Literal("Live"), call_sid: orNull(Text), phase: oneOf(phases) }),
  fields({ _tag: Schema.Literal("Ended"), call_sid: orNull(Text), end: End, facts: Facts }),
])

const readReport = reader(Report, Head)
const readDialled = reader(
  Dialled,
  fields({ _tag: oneOf(["Accepted", "Refused", "Unknown"]) }),
  Schema.Union([tagged("Accepted"), Refused, tagged("Unknown")]),
)
const readFound = reader(Found, fields({ _tag: oneOf(["NoAnswer", "Unknown", "NeverDialled", "Live", "Ended"]) }))
const readHangup = reader(oneOf(["Sent", "Refused"]))

/**
 * Checks a report whose sender's types are not proof, and names the first field that is wrong: a report that is taken in changes rows that
 * money and lines depend on.
 */
export const checkedReport = (report: CarrierReport): Effect.Effect<void, InvalidField> => {
  // Every report that the type allows is one that the schema knows; the compiler holds it to that, and the answers below.
  const known: typeof Report.Type = report
  return readReport(known)
}

const readInbound = reader(
  fields({
    organization_id: Text,
    agent_id: orNull(Text),
    from_number: Text,
    to_number: Text,
    call_sid: orNull(Text),
  }),
)

/** Checks a call that arrives, as a host tells of it. */
export const checkedInbound = (inbound: InboundCall): Effect.Effect<void, InvalidField> => readInbound(inbound)

/** Checks what a carrier answered to a dial: its types are no proof either. */
export const checkedOutcome = (outcome: DialOutcome): Effect.Effect<void, InvalidField> => {
  const known: typeof Dialled.Type = outcome
  return readDialled(known)
}

/** Checks what a carrier answered to a question about an execution. */
export const checkedFinding = (asked: Asked): Effect.Effect<void, InvalidField> => {
  const known: typeof Found.Type = asked
  return readFound(known)
}

/** Checks what a carrier answered to a hang-up. */
export const checkedHangup = (answer: "Sent" | "Refused"): Effect.Effect<void, InvalidField> => readHangup(answer)
