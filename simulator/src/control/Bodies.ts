import { limits } from "@carillon/core"
import { callStatuses, deliveryMethods, eventTypes, Timestamp } from "@carillon/core/domain"
import { Schema } from "effect"
import { outcomeResults } from "../carrier/Outcome.ts"
import { speedBounds } from "../clock/VirtualClock.ts"
import { breakable, faultModes } from "../faults/Fault.ts"
import { inboxErrors } from "../webhooks/Inboxes.ts"
import { decode } from "./Decode.ts"
import {
  Flag,
  integerBetween,
  listOf,
  Moment,
  objectOf,
  oneOf,
  optional,
  orNull,
  PhoneNumber,
  Quantity,
  quantityBetween,
  Text,
  textThat,
  Weight,
  words,
} from "./Fields.ts"
import { isoDurationMs } from "./IsoDuration.ts"

/** The bodies of the control surface. What is not in them is refused, so that a slip of the pen is not taken for silence. */

/** Nothing that a world does takes longer than this. */
const durationMaxMs = 366 * 24 * 3_600_000

const Milliseconds = integerBetween(0, durationMaxMs)
const Count = integerBetween(0, 1_000_000_000)
const Name = words(200)
const Ceiling = integerBetween(0, 1_000_000_000)

/** What a seed may be written as. */
const Seed = Schema.Union([Text, Quantity]).annotate({ message: "must be a string or a number" })

export const Reset = objectOf({ seed: optional(Seed), epoch: optional(Moment) })

export const Restore = objectOf({ snapshot_id: Name })

export const SetClock = objectOf({
  mode: oneOf(["realtime", "scaled", "manual"]),
  speed: optional(quantityBetween(speedBounds.min, speedBounds.max)),
})

export const Advance = objectOf({
  by_ms: optional(Milliseconds),
  by: optional(
    textThat(
      (text) => {
        const ms = isoDurationMs(text)
        return ms !== null && ms <= durationMaxMs
      },
      "must be an ISO 8601 duration of at most a year, without months and years",
      { format: "duration" },
    ),
  ),
  to: optional(Moment),
  until_idle: optional(Schema.Literal(true).annotate({ message: "must be true" })),
  until: optional(objectOf({ execution_id: Name, status: oneOf(callStatuses) })),
  max_ms: optional(Milliseconds),
})

export const Wallet = objectOf({ balance: Quantity, currency: words(3) }).annotate({ identifier: "Wallet" })

const Concurrency = objectOf({
  organization: optional(orNull(Ceiling)),
  per_agent: optional(orNull(Ceiling)),
  enforced: optional(Flag),
}).annotate({ identifier: "Concurrency" })

const WebhookDefault = objectOf({
  callback_url: words(2048),
  method_type: optional(oneOf(deliveryMethods)),
  headers: optional(Schema.Record(Text, Text).annotate({ message: "must be an object of strings" })),
  secret: optional(orNull(Name)),
  event_types: optional(listOf(oneOf(eventTypes))),
  enabled: optional(Flag),
  description: optional(orNull(Text)),
}).annotate({ identifier: "WebhookDefault" })

const HttpStatus = integerBetween(200, 599)

export const SetInbox = objectOf({
  status: optional(HttpStatus),
  statuses: optional(listOf(HttpStatus)),
  delay_ms: optional(Milliseconds),
  error: optional(oneOf(inboxErrors)),
}).annotate({ identifier: "InboxBehaviour" })

const Addresses = listOf(Text)

export const SetNames = objectOf({
  records: Schema.Record(Text, Addresses).annotate({ message: "must be an object of addresses by name" }),
  flip: optional(
    Schema.Record(Text, listOf(Addresses)).annotate({ message: "must be an object of lists of addresses by name" }),
  ),
}).annotate({ identifier: "NameRecords" })

export const MakeOrganization = objectOf({
  name: optional(Name),
  plan: optional(Name),
  wallet: optional(Wallet),
  concurrency: optional(Concurrency),
  phone_numbers: optional(listOf(PhoneNumber)),
  webhook_secret: optional(Name),
  webhook_default: optional(WebhookDefault),
  keys: optional(
    listOf(
      objectOf({
        name: optional(Name),
        scopes: optional(orNull(listOf(Text))),
        keys_write: optional(Flag),
        status: optional(oneOf(["active", "inactive"])),
        bound: optional(Flag),
      }),
    ),
  ),
})

export const PatchOrganization = objectOf({
  wallet: optional(objectOf({ balance: optional(Quantity), currency: optional(words(3)) })),
  concurrency: optional(Concurrency),
  plan: optional(Name),
  webhook_secret: optional(orNull(Name)),
  webhook_default: optional(orNull(WebhookDefault)),
  retention_days: optional(orNull(integerBetween(limits.retentionDays.min, limits.retentionDays.max))),
})

export const PatchPlatform = objectOf({ concurrency: Ceiling })

const Breakdown = objectOf({
  llm: optional(Weight),
  network: optional(Weight),
  platform: optional(Weight),
  synthesizer: optional(Weight),
  telephony: optional(Weight),
  transcriber: optional(Weight),
})

const Outcome = objectOf({
  result: oneOf(outcomeResults),
  ring_ms: optional(Milliseconds),
  talk_ms: optional(Milliseconds),
  processing_ms: optional(Milliseconds),
  hangup_by: optional(oneOf(["agent", "customer"])),
  recording: optional(Flag),
  sentiment: optional(oneOf(["positive", "neutral", "negative"])),
  transcript: optional(listOf(objectOf({ role: Text, content: Text }))),
  cost: optional(objectOf({ total: optional(Weight), breakdown: optional(Breakdown) })),
  turns: optional(
    listOf(
      objectOf({
        heard_ms: optional(Milliseconds),
        first_token_ms: optional(Milliseconds),
        last_token_ms: optional(Milliseconds),
        first_audio_ms: optional(Milliseconds),
        audio_end_ms: optional(Milliseconds),
      }),
    ),
  ),
  duplicate_reports: optional(Flag),
  reorder_reports: optional(Flag),
  hangup_refused: optional(Flag),
  ack_delay_ms: optional(Milliseconds),
}).annotate({ identifier: "Outcome" })

/** Weights of results, for the default of the rules and for `--mix`. */
export const Mix = Schema.Record(oneOf(outcomeResults), Schema.optionalKey(Weight))
  .annotate({ message: "must be an object of weights by result" })
  .check(
    Schema.makeFilter((mix) => Object.values(mix).some((weight) => weight !== undefined && weight > 0), {
      message: "must give at least one result a weight above zero",
    }),
  )

export const Inbound = objectOf({
  organization_id: Name,
  from_number: PhoneNumber,
  to_number: PhoneNumber,
  agent_id: optional(Name),
  outcome: optional(Outcome),
})

const Times = integerBetween(1, 1_000_000_000)

const Rule = objectOf({
  match: optional(
    objectOf({
      to_number: optional(Text),
      to_prefix: optional(Text),
      agent_id: optional(Text),
      campaign_id: optional(Text),
      contact_index: optional(Count),
      attempt: optional(Count),
    }),
  ),
  outcome: Outcome,
  times: optional(Times),
}).annotate({ identifier: "Rule" })

const SetRules = objectOf({ rules: listOf(Rule), default: optional(Outcome) })

const DefaultMix = objectOf({ mix: Mix })

const SetRulesAndMix = objectOf({ rules: listOf(Rule), default: DefaultMix })

/** Both forms of the rules in one, for the document. */
export const RuleSet = objectOf({
  rules: listOf(Rule),
  default: optional(Schema.Union([Outcome, DefaultMix])),
}).annotate({ identifier: "RuleSet" })

/** The body of the rules: which of its two forms was meant shows in the default, so that a mistake is told in its terms. */
export const decodeRules = (body: unknown): typeof SetRules.Type | typeof SetRulesAndMix.Type =>
  hasMix(body) ? decode(SetRulesAndMix, body) : decode(SetRules, body)

const hasMix = (body: unknown): boolean =>
  typeof body === "object" &&
  body !== null &&
  "default" in body &&
  typeof body.default === "object" &&
  body.default !== null &&
  "mix" in body.default

export const Fault = objectOf({
  mode: oneOf(faultModes),
  rate: optional(quantityBetween(0, 1)),
  skip: optional(Count),
  times: optional(Times),
  for_ms: optional(Milliseconds),
}).annotate({ identifier: "Fault" })

export const SetFaults = Schema.Record(oneOf(breakable), Schema.optionalKey(orNull(Fault))).annotate({
  message: "must be an object of faults by dependency",
})

/** A moment as the control surface reads it. */
export const momentOf = (text: string): number => {
  const read = Timestamp.parseTimestamp(text)
  return read.ok ? read.ms : Number.NaN
}
