import type { LegEnd } from "@carillon/core"
import type { Price } from "@carillon/core/carrier"
import { Result, Schema } from "effect"
import { endOf, type HangupWords } from "./HangupWords.ts"
import { type CallState, readState } from "./State.ts"

const Text = Schema.optional(Schema.NullOr(Schema.String))

/** Of the payloads of Telnyx's events, the fields that are used here. */
const payloadFields = [
  "call_control_id",
  "call_leg_id",
  "client_state",
  "hangup_cause",
  "hangup_source",
  "sip_hangup_cause",
  /** The verdict of a detection. */
  "result",
  /** Of `call.cost`. */
  "status",
  "total_cost",
] as const

export type Payload = { readonly [field in (typeof payloadFields)[number]]: string | null } & {
  readonly currency: string | null
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A field as text. Telnyx writes numbers as text here and as numbers there; what is neither, of whatever event, says nothing. */
const textOf = (fields: Readonly<Record<string, unknown>>, name: string): string | null => {
  const value = fields[name]
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : null
}

const readPayload = (fields: Readonly<Record<string, unknown>>): Payload => {
  const parts = fields["cost_parts"]
  const part: unknown = Array.isArray(parts) ? parts[0] : null
  const text = (name: (typeof payloadFields)[number]) => textOf(fields, name)
  return {
    call_control_id: text("call_control_id"),
    call_leg_id: text("call_leg_id"),
    client_state: text("client_state"),
    hangup_cause: text("hangup_cause"),
    hangup_source: text("hangup_source"),
    sip_hangup_cause: text("sip_hangup_cause"),
    result: text("result"),
    status: text("status"),
    total_cost: text("total_cost"),
    currency: isRecord(part) ? textOf(part, "currency") : null,
  }
}

/** Something that happened to a leg, as a webhook tells it or Telnyx's list of events. */
export interface VendorEvent {
  readonly name: string
  /** Epoch milliseconds; null where Telnyx did not say. */
  readonly at: number | null
  readonly payload: Payload
  /** Null where it is of no call of ours. */
  readonly state: CallState | null
}

/** A time as Telnyx writes it (ISO 8601), in epoch milliseconds. */
export const timeOf = (text: string | null | undefined): number | null => {
  const time = Date.parse(text ?? "")
  return Number.isNaN(time) ? null : time
}

const eventOf = (name: string, at: string | null | undefined, payload: Payload): VendorEvent => ({
  name,
  at: timeOf(at),
  payload,
  state: readState(payload.client_state),
})

const Webhook = Schema.fromJsonString(
  Schema.Struct({
    data: Schema.Struct({
      event_type: Schema.String,
      occurred_at: Text,
      payload: Schema.Record(Schema.String, Schema.Unknown),
    }),
  }),
)

/** Reads a webhook; null where it is none. */
export const readWebhook = (body: string): VendorEvent | null => {
  const read = Schema.decodeUnknownResult(Webhook)(body)
  if (Result.isFailure(read)) return null
  const { event_type, occurred_at, payload } = read.success.data
  return eventOf(event_type, occurred_at, readPayload(payload))
}

/** Telnyx's list of events (schema `CallEvent`). Of `metadata` it says only that the raw event is in it. */
export const ListedEvent = Schema.Struct({
  name: Schema.String,
  type: Text,
  call_leg_id: Schema.String,
  event_timestamp: Text,
  metadata: Schema.optional(Schema.Unknown),
})

const deepestPayload = 4

/** The payload within what surrounds it; null where there is none. */
const payloadIn = (value: unknown, depth = 0): Payload | null => {
  if (!isRecord(value) || depth > deepestPayload) return null
  if ("call_control_id" in value || "client_state" in value) return readPayload(value)
  for (const inner of Object.values(value)) {
    const found = payloadIn(inner, depth + 1)
    if (found !== null) return found
  }
  return null
}

export const readListed = (listed: typeof ListedEvent.Type): VendorEvent =>
  eventOf(listed.name, listed.event_timestamp, {
    ...(payloadIn(listed.metadata) ?? readPayload({})),
    call_leg_id: listed.call_leg_id,
  })

/** All that was heard of one leg, from whoever heard it. */
export interface Story {
  readonly call_sid: string | null
  readonly leg_id: string | null
  /** As Telnyx said. */
  readonly answeredAt: number | null
  /** When the engine kept that it was answered, a little after it was: for those who did not hear it from Telnyx. */
  readonly answerKeptAt: number | null
  readonly verdict: string | null
  readonly hangup: {
    readonly cause: string
    readonly source: string | null
    readonly sipCode: string | null
    readonly at: number | null
  } | null
  readonly price: Price | null
}

export const untold: Story = {
  call_sid: null,
  leg_id: null,
  answeredAt: null,
  answerKeptAt: null,
  verdict: null,
  hangup: null,
  price: null,
}

/** What `call.cost` says; null while the cost is not known. */
export const priceOf = ({ currency, status, total_cost }: Payload): Price | null => {
  if (status === "error" || total_cost === null || total_cost === "") return null
  const amount = Math.abs(Number(total_cost))
  return Number.isFinite(amount) ? { amount, currency: (currency ?? "USD").toUpperCase() } : null
}

/** The events by which Telnyx tells who answered. */
export const verdictEvents: ReadonlySet<string> = new Set([
  "call.machine.detection.ended",
  "call.machine.premium.detection.ended",
])

/** A story with one event more, in any order and any number of times. Events of another leg are not part of it. */
export const withEvent = (story: Story, { at, name, payload }: VendorEvent): Story => {
  const sid = payload.call_control_id
  if (story.call_sid !== null && sid !== null && sid !== story.call_sid) return story
  const named = { ...story, call_sid: story.call_sid ?? sid, leg_id: story.leg_id ?? payload.call_leg_id }
  if (verdictEvents.has(name)) return { ...named, verdict: payload.result ?? named.verdict }
  switch (name) {
    case "call.answered":
      return { ...named, answeredAt: named.answeredAt ?? at }
    case "call.hangup": {
      const { hangup_cause, hangup_source, sip_hangup_cause } = payload
      const hangup = { cause: hangup_cause ?? "", source: hangup_source ?? null, sipCode: sip_hangup_cause ?? null, at }
      return { ...named, hangup: named.hangup ?? hangup }
    }
    case "call.cost":
      return { ...named, price: priceOf(payload) ?? named.price }
    default:
      return named
  }
}

/** Two tellings of one leg in one. */
export const joined = (one: Story, other: Story): Story => ({
  call_sid: one.call_sid ?? other.call_sid,
  leg_id: one.leg_id ?? other.leg_id,
  answeredAt: one.answeredAt ?? other.answeredAt,
  answerKeptAt: one.answerKeptAt ?? other.answerKeptAt,
  verdict: one.verdict ?? other.verdict,
  hangup: one.hangup ?? other.hangup,
  price: one.price ?? other.price,
})

/** Since when the callee has been in the call; null where nobody knows that they are. */
export const answeredSince = ({ answerKeptAt, answeredAt }: Story): number | null => answeredAt ?? answerKeptAt

/** How long the conversation of a story took that ended then. */
export const secondsUntil = (story: Story, end: number | null): number | null => {
  const since = answeredSince(story)
  return since === null || end === null ? null : Math.max(0, Math.round((end - since) / 1000))
}

/** How a leg ended; null while nobody has said that it did. */
export const endOfStory = (story: Story): LegEnd | null => {
  const { hangup, verdict } = story
  if (hangup === null) return null
  const words: HangupWords = {
    cause: hangup.cause,
    source: hangup.source,
    sipCode: hangup.sipCode,
    wasAnswered: answeredSince(story) === null ? null : true,
    seconds: secondsUntil(story, hangup.at),
    verdict,
  }
  return endOf(words)
}
