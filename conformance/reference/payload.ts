import type { Agent } from "./agents.ts"
import { type Call, costOf, isTerminal } from "./calls.ts"
import { isJson, iso } from "./fields.ts"
import { sha256 } from "./ids.ts"
import type { Organization } from "./organization.ts"
import { turnsSaid } from "./records.ts"
import type { EventType } from "./subscriptions.ts"
import { inZone } from "./windows.ts"

/** Stable for an event whatever happens between raising and sending it. */
export const eventId = (call: Call, type: EventType, nth: number): string =>
  `evt_${sha256(`${call.execution_id} ${type} ${nth}`).slice(0, 32)}`

/** A fact that was told wrong. */
export interface Correction {
  readonly fields: ReadonlyArray<string>
  readonly previous: Readonly<Record<string, unknown>>
}

/** The calls of the same contact, oldest first; of a direct dial itself alone. */
const chainOf = ({ calls }: Organization, call: Call): ReadonlyArray<Call> =>
  call.contact === null ? [call] : calls.filter((one) => one.contact === call.contact)

const hasAnalytics = ({ settings: { analytics } }: Agent): boolean =>
  isJson(analytics) && Array.isArray(analytics["custom"]) && analytics["custom"].length > 0

/** What never came, of a call that is over. */
const missingOf = (call: Call, agent: Agent): ReadonlyArray<string> => {
  const settled = call.dialled === null || call.dialled.settled
  const facts = settled ? [] : ["recording_url", "call_cost"]
  const analysis = call.answered_at !== null && !call.analysed
  const mine = analysis && hasAnalytics(agent) ? ["client_analysis"] : []
  return [...facts, ...(analysis ? ["platform_analysis"] : []), ...mine]
}

const analysisOf = (call: Call, agent: Agent) => {
  const status = call.answered_at === null ? "unavailable" : call.analysed ? "completed" : "pending"
  return {
    platform_analysis: call.analysed
      ? { summary: call.summary, sentiment: call.sentiment, outcome: call.status }
      : null,
    platform_analysis_status: status,
    client_analysis: call.extracted_data,
    client_analysis_status: !hasAnalytics(agent) ? "not_configured" : status === "unavailable" ? "partial" : status,
  }
}

const conversationOf = (call: Call) => {
  const turns = turnsSaid(call)
  const said = (role: string) => turns.filter((turn) => turn.role === role).length
  return {
    agent_message_count: said("agent"),
    user_message_count: said("user"),
    overall_latency_seconds: null,
    first_utterance_seconds: null,
    transcript: turns.length > 0 ? turns : null,
    transcript_status: turns.length > 0 ? "available" : "unavailable",
    recording_url: call.recording_url,
    recording_duration: call.recording_url === null ? null : call.duration_seconds,
  }
}

/** The envelope of every event, with null for what is not known (yet). */
export const payloadOf = (
  organization: Organization,
  call: Call,
  {
    agent,
    correction,
    now,
    nth,
    type,
    zone,
  }: {
    readonly agent: Agent
    readonly type: EventType
    readonly nth: number
    readonly now: number
    readonly zone: string
    readonly correction?: Correction
  },
) => {
  const chain = chainOf(organization, call)
  const cost = costOf(call, organization.wallet.currency)
  const { telephony: _, ...breakdown } = cost.breakdown
  const missing = isTerminal(call.status) ? missingOf(call, agent) : []
  const answered = call.answered_at !== null
  return {
    event_type: type,
    event_id: eventId(call, type, nth),
    version: "1",
    timestamp: iso(now),
    call_id: call.execution_id,
    call_sid: call.dialled?.leg.leg_id ?? null,
    agent_id: call.agent_id,
    agent_name: agent.settings["display_name"] ?? null,
    organization_id: organization.organization_id,
    workspace_id: organization.organization_id,
    status: call.status,
    sub_status: call.answered_by_voicemail === true ? "voicemail" : call.hangup_reason,
    call_type: call.direction,
    calling_source: call.source,
    custom_args_values: call.variables,
    to_number: call.to_number,
    from_number: call.from_number,
    bulk_list_id: call.batch_id,
    called_on: inZone(call.dialled?.leg.placed_at ?? call.created_at, zone),
    created_at: iso(call.created_at),
    call_cost: call.cost,
    call_cost_currency: cost.currency,
    cost_breakdown: call.cost === null ? null : breakdown,
    call_duration: call.duration_seconds,
    ...conversationOf(call),
    retry_count: call.retry_count,
    attempts: chain.map((one) => ({
      execution_id: one.execution_id,
      status: one.status,
      retry_count: one.retry_count,
      created_at: iso(one.created_at),
      completed_at: one.ended_at === null ? null : iso(one.ended_at),
    })),
    parent_call_id: call.parent_execution_id,
    retry_chain: chain.map(({ execution_id }) => execution_id),
    ...analysisOf(call, agent),
    tool_call_logs: [],
    answered_by_voice_mail: call.answered_by_voicemail ?? (answered ? false : null),
    hangup_by: call.hangup_by,
    ab_version_id: call.ab_version_id,
    ab_is_variant: call.ab_is_variant,
    processing_incomplete: missing.length > 0,
    missing_fields: missing,
    ...(correction === undefined ? {} : { correction }),
  }
}
