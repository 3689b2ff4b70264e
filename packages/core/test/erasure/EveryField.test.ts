import { assert, describe, it } from "@effect/vitest"
import type { Callee } from "../../src/callees/rules/Callee.ts"
import { erasedCallee } from "../../src/callees/rules/Suppression.ts"
import type { Call, CallMedia } from "../../src/calls/rules/Call.ts"
import type { Contact, ContactEntry } from "../../src/contacts/rules/Contact.ts"
import { erasedCall, erasedContact, erasedEntry, erasedEvent, erasedMedia } from "../../src/erasure/rules/Erased.ts"
import type { Json } from "../../src/Json.ts"
import type { RowKind } from "../../src/Rows.ts"
import type { Delivery } from "../../src/webhooks/rules/Delivery.ts"
import type { WebhookEvent } from "../../src/webhooks/rules/WebhookEvent.ts"

/** A row in which nothing is left out, so that one with a new field is not one until the field is in it. */
type Whole<T> = T extends string | number | boolean
  ? T
  : T extends ReadonlyArray<infer Each>
    ? Json extends Each
      ? T
      : readonly [Whole<Each>, ...ReadonlyArray<Whole<Each>>]
    : string extends keyof T
      ? T
      : { readonly [K in keyof T]-?: Whole<Exclude<T[K], null | undefined>> }

/** It is of the person, or may be. */
const goes = "goes"

/** Why a field stays. */
const stays = {
  id: "an id that the engine has given",
  time: "when something was, or is to be",
  figure: "how many, how long, how much",
  word: "one of a few words that the code lists, or yes or no",
  ours: "what the engine has written, which is of nobody",
  customers: "what the customer says of itself: its agent, its number, its endpoint",
  said: "what the erasure itself writes",
} as const

type Fate = typeof goes | (typeof stays)[keyof typeof stays]
type Fates = Readonly<Record<string, Fate>>

const { customers, figure, id, ours, said, time, word } = stays

const ada = "Ada +15555552010"

/** Every value of a row under its path; those of a list have one. */
const leavesOf = (value: unknown, path = ""): ReadonlyArray<readonly [string, unknown]> => {
  if (typeof value !== "object" || value === null) return [[path, value]]
  if (Array.isArray(value)) return value.flatMap((each) => leavesOf(each, path))
  return Object.entries(value).flatMap(([key, each]) => leavesOf(each, path === "" ? key : `${path}.${key}`))
}

/** Holds that each field of a row has its fate, and that an erasure does as it says. */
const holds = <Row>(row: Row, fates: Fates, erased: (row: Row) => Row) => {
  const before = leavesOf(row)
  assert.deepStrictEqual(before.map(([path]) => path).sort(), Object.keys(fates).sort())
  const after = new Map(leavesOf(erased(row)))
  for (const [path, value] of before) {
    const fate = fates[path]
    if (fate === said) continue
    if (fate === goes) assert.notStrictEqual(after.get(path), value, `${path} goes`)
    else assert.strictEqual(after.get(path), value, `${path} stays`)
  }
  assert.notInclude(JSON.stringify(erased(row)), "Ada")
}

const call: Whole<Call> = {
  execution_id: "exec_one",
  organization_id: "org_one",
  revision: 4,
  status: "stopped",
  direction: "outbound",
  agent_id: "agt_one",
  agent_name: "Receptionist",
  batch_id: "bat_one",
  campaign_id: "cmp_one",
  contact_id: "con_one_0",
  parent_execution_id: "exec_before",
  retry_count: 1,
  is_follow_up: true,
  prompt: `Call ${ada} back.`,
  ab_version_id: "ver_one",
  ab_is_variant: true,
  to_number: ada,
  from_number: "+15555550100",
  call_sid: "CA of Ada",
  duration_seconds: 10,
  answered_by_voicemail: false,
  hangup_by: "customer",
  hangup_reason: "user_request",
  recording_url: "https://recordings.example.com/Ada.wav",
  cost: {
    total: 6,
    currency: "USD",
    breakdown: { llm: 1, network: 1, platform: 1, synthesizer: 1, telephony: 1, transcriber: 1 },
  },
  summary: `${ada} agreed.`,
  sentiment: "positive",
  extracted_data: { name: ada },
  custom_analytics: [ada],
  variables: { name: ada },
  error: `The carrier does not know ${ada}.`,
  scheduled_at: 1,
  deferred_by_calling_guard: true,
  record: true,
  timeout_seconds: 30,
  created_at: 1,
  updated_at: 1,
  completed_at: 2,
  ringing_at: 1,
  answered_at: 1,
  stop: { requested_at: 2, reason: `${ada} is on another line.` },
  dial: "accepted",
  answer_lost_at: 1,
  slot: { member: "exec_one", fence: 1, levels: [{ level: "organization", key: "org_one" }] },
  final_report_at: 3,
  due_at: 3,
  processing: { analysed_at: 3, due_at: 3, completed_at: 3, corrections: 1 },
  corrected_at: { duration_seconds: 3, hangup_by: 3, recording_url: 3, cost: 3 },
  debited: 1,
  questions: 1,
  folded_into: "exec_other",
  folded_from: "exec_another",
  unaudited: {
    event_id: "aud_one",
    organization_id: "org_one",
    actor: { type: "api_key", key_id: "key_one" },
    action: "call.create",
    resource: { type: "call", id: "exec_one" },
    outcome: "allowed",
    error_code: 1,
    http_status: 201,
    request_id: "req_one",
    details: { agent_id: "agt_one" },
    created_at: 1,
  },
  refused_reports: [{ at: 1, from: "ringing", to: "queued" }],
  overrides_suppression: true,
  overrides_callee_hours: true,
  overrides_call_caps: true,
  watched: true,
  erased_at: 1,
}

const fatesOfCall: Fates = {
  execution_id: id,
  organization_id: id,
  revision: figure,
  status: word,
  direction: word,
  agent_id: id,
  agent_name: customers,
  batch_id: id,
  campaign_id: id,
  contact_id: id,
  parent_execution_id: id,
  retry_count: figure,
  is_follow_up: word,
  prompt: goes,
  ab_version_id: id,
  ab_is_variant: word,
  to_number: goes,
  from_number: customers,
  call_sid: goes,
  duration_seconds: figure,
  answered_by_voicemail: word,
  hangup_by: word,
  hangup_reason: word,
  recording_url: goes,
  "cost.total": figure,
  "cost.currency": customers,
  "cost.breakdown.llm": figure,
  "cost.breakdown.network": figure,
  "cost.breakdown.platform": figure,
  "cost.breakdown.synthesizer": figure,
  "cost.breakdown.telephony": figure,
  "cost.breakdown.transcriber": figure,
  summary: goes,
  sentiment: goes,
  "extracted_data.name": goes,
  custom_analytics: goes,
  "variables.name": goes,
  error: goes,
  scheduled_at: time,
  deferred_by_calling_guard: word,
  record: word,
  timeout_seconds: figure,
  created_at: time,
  updated_at: said,
  completed_at: time,
  ringing_at: time,
  answered_at: time,
  "stop.requested_at": time,
  "stop.reason": goes,
  dial: word,
  answer_lost_at: time,
  "slot.member": id,
  "slot.fence": figure,
  "slot.levels.level": word,
  "slot.levels.key": id,
  final_report_at: time,
  due_at: time,
  "processing.analysed_at": time,
  "processing.due_at": time,
  "processing.completed_at": time,
  "processing.corrections": figure,
  "corrected_at.duration_seconds": time,
  "corrected_at.hangup_by": time,
  "corrected_at.recording_url": time,
  "corrected_at.cost": time,
  debited: figure,
  questions: figure,
  folded_into: id,
  folded_from: id,
  "unaudited.event_id": id,
  "unaudited.organization_id": id,
  "unaudited.actor.type": word,
  "unaudited.actor.key_id": id,
  "unaudited.action": word,
  "unaudited.resource.type": word,
  "unaudited.resource.id": id,
  "unaudited.outcome": word,
  "unaudited.error_code": figure,
  "unaudited.http_status": figure,
  "unaudited.request_id": id,
  "unaudited.details.agent_id": id,
  "unaudited.created_at": time,
  "refused_reports.at": time,
  "refused_reports.from": word,
  "refused_reports.to": word,
  overrides_suppression: word,
  overrides_callee_hours: word,
  overrides_call_caps: word,
  watched: word,
  erased_at: said,
}

const media: Whole<CallMedia> = {
  execution_id: "exec_one",
  organization_id: "org_one",
  revision: 1,
  transcript: [{ role: "user", content: `I am ${ada}.`, start_ms: 1, end_ms: 2 }],
  setup: {
    stream_connect_ms: 1,
    transcriber_connect_ms: 1,
    language_model_connect_ms: 1,
    synthesizer_connect_ms: 1,
    time_to_first_audio_ms: 1,
  },
  turns: [{ final_transcript_ms: 1, first_token_ms: 1, last_token_ms: 1, first_audio_ms: 1, complete_ms: 1 }],
  truncated: true,
}

const fatesOfMedia: Fates = {
  execution_id: id,
  organization_id: id,
  revision: figure,
  "transcript.role": goes,
  "transcript.content": goes,
  "transcript.start_ms": goes,
  "transcript.end_ms": goes,
  "setup.stream_connect_ms": figure,
  "setup.transcriber_connect_ms": figure,
  "setup.language_model_connect_ms": figure,
  "setup.synthesizer_connect_ms": figure,
  "setup.time_to_first_audio_ms": figure,
  "turns.final_transcript_ms": figure,
  "turns.first_token_ms": figure,
  "turns.last_token_ms": figure,
  "turns.first_audio_ms": figure,
  "turns.complete_ms": figure,
  truncated: word,
}

const contact: Whole<Contact> = {
  contact_id: "con_one_0",
  organization_id: "org_one",
  batch_id: "bat_one",
  campaign_id: "cmp_one",
  row: 1,
  revision: 1,
  status: "completed",
  attempts: 1,
  retries_used: 1,
  follow_ups_used: 1,
  reached: true,
  follow_ups_exhausted: true,
  eligible_at: 1,
  in_hours_only: true,
  hours_of: "Europe/Ada",
  waits_for_number: true,
  waits_since: 1,
  holds: 1,
  held_because: "carrier",
  first_execution_id: "exec_one",
  last_execution_id: "exec_one",
  previous_execution_id: "exec_one",
  last_status: "completed",
  last_ended_at: 1,
  skip_reason: "suppressed",
}

const fatesOfContact: Fates = {
  contact_id: id,
  organization_id: id,
  batch_id: id,
  campaign_id: id,
  row: figure,
  revision: figure,
  status: word,
  attempts: figure,
  retries_used: figure,
  follow_ups_used: figure,
  reached: word,
  follow_ups_exhausted: word,
  eligible_at: time,
  in_hours_only: word,
  hours_of: goes,
  waits_for_number: word,
  waits_since: time,
  holds: figure,
  held_because: word,
  first_execution_id: id,
  last_execution_id: id,
  previous_execution_id: id,
  last_status: word,
  last_ended_at: time,
  skip_reason: word,
}

const entry: Whole<ContactEntry> = { to_number: ada, variables: { name: ada }, priority: 9 }

const callee: Whole<Callee> = {
  organization_id: "org_one",
  to_number: "+15555552010",
  revision: 1,
  suppressions: [
    {
      agent_id: "agt_one",
      campaign_id: "cmp_one",
      reason: `${ada} asked.`,
      source: "Ada's letter",
      note: "for Ada",
      expires_at: 9,
      created_at: 1,
    },
  ],
  attempts: [{ execution_id: "exec_of_Ada", at: 1 }],
}

const fatesOfCallee: Fates = {
  organization_id: id,
  // It is there for the person: without it the next upload would call them again.
  to_number: ours,
  revision: figure,
  "suppressions.agent_id": id,
  "suppressions.campaign_id": id,
  "suppressions.reason": goes,
  "suppressions.source": goes,
  "suppressions.note": goes,
  "suppressions.expires_at": time,
  "suppressions.created_at": time,
  "attempts.execution_id": goes,
  "attempts.at": goes,
}

const event: Whole<WebhookEvent> = {
  event_id: "evt_one",
  organization_id: "org_one",
  revision: 1,
  event_type: "call_completed",
  execution_id: "exec_one",
  agent_id: "agt_one",
  body: `{"to_number":"${ada}"}`,
  raised_at: 1,
  routed_at: 1,
  expires_at: 1,
  kept: true,
  erased: true,
}

const fatesOfEvent: Fates = {
  event_id: id,
  organization_id: id,
  revision: figure,
  event_type: word,
  execution_id: id,
  agent_id: id,
  body: goes,
  raised_at: time,
  routed_at: time,
  expires_at: time,
  kept: word,
  erased: said,
}

const delivery: Whole<Delivery> = {
  delivery_id: "dlv_one",
  organization_id: "org_one",
  revision: 1,
  event_id: "evt_one",
  event_type: "call_completed",
  subscription_id: "sub_one",
  subscription_revision: 1,
  agent_id: "agt_one",
  execution_id: "exec_one",
  body_bytes: 1,
  status: "failed",
  callback_host: "hooks.example.com",
  method_type: "POST",
  signed: true,
  error_message: "The endpoint answered 500.",
  attempts: [{ attempt: 1, started_at: 1, duration_ms: 1, http_status: 500, error_class: "http_error" }],
  sending: { started_at: 1, lost_at: 2 },
  first_attempt_at: 1,
  due_at: 1,
  created_at: 1,
  expires_at: 1,
}

const fatesOfDelivery: Fates = {
  delivery_id: id,
  organization_id: id,
  revision: figure,
  event_id: id,
  event_type: word,
  subscription_id: id,
  subscription_revision: figure,
  agent_id: id,
  execution_id: id,
  body_bytes: figure,
  status: word,
  callback_host: customers,
  method_type: word,
  signed: word,
  // What the endpoint itself has said is never kept (`outcomeOf`).
  error_message: ours,
  "attempts.attempt": figure,
  "attempts.started_at": time,
  "attempts.duration_ms": figure,
  "attempts.http_status": figure,
  "attempts.error_class": word,
  "sending.started_at": time,
  "sending.lost_at": time,
  first_attempt_at: time,
  due_at: time,
  created_at: time,
  expires_at: time,
}

describe("of every field it is decided whether it goes with a person:", () => {
  it("of a call, whichever way it went", () => {
    holds<Call>(call, fatesOfCall, (row) => erasedCall(row, 9))
    const arrived: Call = { ...call, direction: "inbound", to_number: "+15555550100", from_number: ada }
    const fates = { ...fatesOfCall, to_number: customers, from_number: goes } as const
    holds<Call>(arrived, fates, (row) => erasedCall(row, 9))
    // What was never stopped is not said to have been.
    assert.isNull(erasedCall({ ...call, stop: null }, 9).stop)
  })

  it("of what was said in it", () => holds<CallMedia>(media, fatesOfMedia, erasedMedia))

  it("of a contact, and of what was handed in of it", () => {
    holds<Contact>(contact, fatesOfContact, erasedContact)
    holds<ContactEntry>(entry, { to_number: goes, "variables.name": goes, priority: goes }, () => erasedEntry)
  })

  it("of what is known of a number", () => holds<Callee>(callee, fatesOfCallee, (row) => erasedCallee(row, 5)))

  it("of an event that keeps its place", () => holds<WebhookEvent>(event, fatesOfEvent, erasedEvent))

  it("of a delivery, which holds nothing of a person", () => holds<Delivery>(delivery, fatesOfDelivery, (row) => row))

  it("and every kind of row is one of these, or of no person", () => {
    const judged = "above"
    const customersText = "what customers write into settings; docs/guides/erasure.md says that it is not reached"
    const ofNobody = "of nobody who is called"
    const kinds: Readonly<Record<RowKind, typeof judged | typeof customersText | typeof ofNobody>> = {
      platform: ofNobody,
      organization: ofNobody,
      purge: ofNobody,
      api_key: ofNobody,
      provider: ofNobody,
      phone_number: ofNobody,
      inbound_agent: ofNobody,
      experiment: customersText,
      agent: customersText,
      subscription: ofNobody,
      campaign: customersText,
      campaign_entry: ofNobody,
      batch: customersText,
      contact: judged,
      callee: judged,
      callee_hours: ofNobody,
      call: judged,
      call_media: judged,
      knowledge_base: customersText,
      knowledge_upload: customersText,
      event: judged,
      delivery: judged,
    }
    assert.strictEqual(Object.values(kinds).filter((kind) => kind === judged).length, 6)
  })
})
