import { agentOf, guardOf } from "./agents.ts"
import { invalid, malformed, notFound, quoted, Refusal } from "./errors.ts"
import { type Fields, flag, integer, iso, isoOrNull, json, moment, orNull, phone, text } from "./fields.ts"
import { mint } from "./ids.ts"
import type { Dialled } from "./carrier.ts"
import type { Contact } from "./contacts.ts"
import type { Line } from "./lines.ts"
import type { Organization } from "./organization.ts"
import { pageAsked, pageOf, type Query, unknownStatus } from "./query.ts"
import { type Answer, canonical, type Context, type Route } from "./route.ts"
import type { Turn } from "./script.ts"
import { deferredTo } from "./windows.ts"

export const inFlight = ["queued", "scheduled", "rescheduled", "initiated", "ringing", "in-progress"] as const

const terminal = [
  "completed",
  "failed",
  "busy",
  "no-answer",
  "canceled",
  "stopped",
  "balance-low",
  "error",
  "call-disconnected",
] as const

export type CallStatus = (typeof inFlight)[number] | (typeof terminal)[number]

const callStatuses: ReadonlyArray<CallStatus> = [...inFlight, ...terminal]

export const isTerminal = (status: CallStatus): boolean => terminal.some((one) => one === status)

/** One phone call. */
export interface Call {
  execution_id: string
  status: CallStatus
  readonly direction: "inbound" | "outbound"
  agent_id: string
  readonly batch_id: string | null
  readonly campaign_id: string | null
  readonly contact: Contact | null
  readonly parent_execution_id: string | null
  readonly retry_count: number
  readonly source: "api" | "campaign" | "retry" | "follow-up"
  readonly to_number: string
  from_number: string | null
  readonly variables: Readonly<Record<string, unknown>>
  readonly record: boolean
  readonly timeout_seconds: number
  scheduled_at: number | null
  readonly created_at: number
  updated_at: number
  answered_at: number | null
  ended_at: number | null
  duration_seconds: number | null
  answered_by_voicemail: boolean | null
  hangup_by: string | null
  hangup_reason: string | null
  recording_url: string | null
  cost: number | null
  breakdown: Readonly<Record<string, number>>
  summary: string | null
  sentiment: string | null
  extracted_data: Readonly<Record<string, unknown>> | null
  custom_analytics: ReadonlyArray<unknown> | null
  transcript: ReadonlyArray<{ readonly role: string; readonly content: string }> | string | null
  turns: ReadonlyArray<Turn>
  error: string | null
  ab_version_id: string | null
  ab_is_variant: boolean | null
  dialled: Dialled | null
  line: Line | null
  /** Nobody knows whether the dial was taken. */
  unconfirmed: boolean
  /** Analysis is there. */
  analysed: boolean
  /** Events that were raised, by type. */
  readonly raised: Map<string, number>
}

type New = Partial<Call> & Pick<Call, "status" | "agent_id" | "to_number" | "created_at">

export const newCall = (parts: New): Call => ({
  execution_id: mint("exec"),
  direction: "outbound",
  batch_id: null,
  campaign_id: null,
  contact: null,
  parent_execution_id: null,
  retry_count: 0,
  source: "api",
  from_number: null,
  variables: {},
  record: true,
  timeout_seconds: 30,
  scheduled_at: null,
  answered_at: null,
  ended_at: null,
  duration_seconds: null,
  answered_by_voicemail: null,
  hangup_by: null,
  hangup_reason: null,
  recording_url: null,
  cost: null,
  breakdown: {},
  summary: null,
  sentiment: null,
  extracted_data: null,
  custom_analytics: null,
  transcript: null,
  turns: [],
  error: null,
  ab_version_id: null,
  ab_is_variant: null,
  dialled: null,
  line: null,
  unconfirmed: false,
  analysed: false,
  raised: new Map(),
  updated_at: parts.created_at,
  ...parts,
})

const costParts = ["llm", "network", "platform", "synthesizer", "telephony", "transcriber"]

export const costOf = (call: Call, currency: string) => ({
  total: call.cost ?? 0,
  currency,
  breakdown: Object.fromEntries(costParts.map((part) => [part, call.breakdown[part] ?? 0])),
})

const showCall = (call: Call, { wallet }: Organization, withTranscript: boolean) => ({
  execution_id: call.execution_id,
  status: call.status,
  is_terminal: isTerminal(call.status),
  direction: call.direction,
  agent_id: call.agent_id,
  batch_id: call.batch_id,
  campaign_id: call.campaign_id,
  contact_id: call.contact?.contact_id ?? null,
  parent_execution_id: call.parent_execution_id,
  retry_count: call.retry_count,
  to_number: call.to_number,
  from_number: call.from_number,
  provider: "custom",
  duration_seconds: call.duration_seconds,
  answered_by_voicemail: call.answered_by_voicemail,
  hangup_by: call.hangup_by,
  hangup_reason: call.hangup_reason,
  recording_url: call.recording_url,
  cost: costOf(call, wallet.currency),
  summary: call.summary,
  sentiment: call.sentiment,
  extracted_data: call.extracted_data,
  custom_analytics: call.custom_analytics,
  variables: call.variables,
  ...(call.error === null ? {} : { error: { message: call.error } }),
  scheduled_at: isoOrNull(call.scheduled_at),
  created_at: iso(call.created_at),
  updated_at: iso(call.updated_at),
  completed_at: isoOrNull(call.ended_at),
  ...(withTranscript ? { transcript: call.transcript ?? [] } : {}),
})

/** The call of an id, in whatever phase; one that was folded answers under its old id. */
export const callOf = ({ calls, folded }: Organization, id: string): Call => {
  const found = calls.get(id) ?? calls.get(folded.get(id) ?? "")
  if (found === undefined) throw notFound("Call")
  return found
}

const voicemail: ReadonlyArray<string> = ["voicemail", "voice-mail", "voice_mail"]

/** The filter on status: words joined by commas, the pseudo-statuses among them. */
const statusFilter = (query: Query): ((call: Call) => boolean) => {
  const given = query.text("status")
  if (given === null) return () => true
  const words = given.split(",").map((word) => word.trim())
  const valid = [...callStatuses, ...voicemail]
  const unknown = words.find((word) => !valid.includes(word))
  if (unknown !== undefined) throw unknownStatus(unknown, valid)
  return (call) =>
    words.includes(call.status) ||
    (call.answered_by_voicemail === true && words.some((word) => voicemail.includes(word)))
}

/** The filters of every list of calls. */
const filterOf = (query: Query): ((call: Call) => boolean) => {
  const hasStatus = statusFilter(query)
  const direction = query.text("direction")
  if (direction !== null && direction !== "inbound" && direction !== "outbound") {
    throw malformed(`Invalid value for 'direction': '${quoted(direction)}'. Valid values are inbound and outbound.`)
  }
  const [from, to] = [query.moment("from_date"), query.moment("to_date")]
  const texts = ["agent_id", "batch_id", "campaign_id", "parent_execution_id"] as const
  const wanted = texts.map((name) => [name, query.text(name)] as const)
  const phones = ["to_number", "from_number"] as const
  const numbers = phones.map((name) => [name, query.phone(name)] as const)
  const contactId = query.text("contact_id")
  return (call) =>
    hasStatus(call) &&
    (direction === null || call.direction === direction) &&
    (from === null || call.created_at >= from) &&
    (to === null || call.created_at <= to) &&
    [...wanted, ...numbers].every(([name, value]) => value === null || call[name] === value) &&
    (contactId === null || call.contact?.contact_id === contactId)
}

/** A page of the calls that pass a test, newest first. */
const listCalls = ({ organization, query }: Context, test: (call: Call) => boolean): Answer => {
  pageAsked(query)
  const passes = filterOf(query)
  const withTranscript = query.flag("include_transcript", false)
  const rows = organization.calls.newestFirst((call) => test(call) && passes(call))
  return { status: 200, body: pageOf(query, rows, (call) => showCall(call, organization, withTranscript)) }
}

export const batchCalls = (context: Context): Answer => listCalls(context, (call) => call.batch_id === context.id)

const minAheadMs = 2 * 60_000
const maxAheadMs = 30 * 86_400_000

/** A time that something may be booked for. */
export const bookable = (at: number, now: number, field = "scheduled_at"): number => {
  if (at < now + minAheadMs) throw invalid(field, "must be at least 2 minutes ahead")
  if (at > now + maxAheadMs) throw invalid(field, "must be at most 30 days ahead")
  return at
}

const readPlacing = (body: Fields) => {
  const agent_id = body.required("agent_id", text(1))
  const to_number = body.required("to_number", phone)
  const from_number = body.optional("from_number", orNull(phone)) ?? null
  const variables = body.optional("variables", json) ?? {}
  const metadata = body.optional("metadata", json) ?? {}
  const scheduled_at = body.optional("scheduled_at", orNull(moment)) ?? null
  const record = body.optional("record", flag) ?? true
  const timeout_seconds = body.optional("timeout_seconds", integer(5, 120)) ?? 30
  return {
    agent_id,
    to_number,
    from_number,
    variables: { ...variables, ...metadata },
    scheduled_at,
    record,
    timeout_seconds,
  }
}

const place = async (context: Context): Promise<Answer> => {
  const { organization, world } = context
  const body = await context.fields()
  const asked = readPlacing(body)
  if (asked.scheduled_at !== null) bookable(asked.scheduled_at, world.clock.now())
  return context.once(canonical(body.values), () => {
    const agent = agentOf(organization, asked.agent_id)
    if (agent.status !== "ACTIVE") throw new Refusal(1201, `This agent is not active (status=${agent.status}).`)
    if (asked.from_number !== null && !organization.ownsNumber(asked.from_number)) {
      throw invalid("from_number", "is not registered to this organization")
    }
    const now = world.clock.now()
    const call = newCall({ ...asked, status: "queued", created_at: now })
    context.touch("call", call.execution_id)
    const guard = guardOf(agent)
    const wanted = asked.scheduled_at ?? now
    const opens = guard === null ? wanted : deferredTo(guard, wanted, call.execution_id)
    if (opens === null) throw malformed("The calling window of this agent never opens.")
    if (asked.scheduled_at !== null || opens > wanted) {
      call.status = "scheduled"
      call.scheduled_at = opens
      organization.calls.put(call.execution_id, call)
      world.lifecycle.book(organization, call)
      const deferred = opens > wanted ? { deferred_by_calling_guard: true } : {}
      return { status: 202, body: { ...placed(call), scheduled_at: iso(opens), ...deferred } }
    }
    return world.lifecycle.place(context, call)
  })
}

/** What an answer to a dial says of the call. */
export const placed = (call: Call) => ({
  execution_id: call.execution_id,
  status: call.status,
  call_sid: call.dialled?.leg.leg_id ?? null,
  agent_id: call.agent_id,
  to_number: call.to_number,
  from_number: call.from_number,
  created_at: iso(call.created_at),
})

const stop = async (context: Context): Promise<Answer> => {
  const { organization, world } = context
  const body = await context.fields({ optional: true })
  const reason = body.optional("reason", orNull(text(0, 2000))) ?? null
  const call = callOf(organization, context.id)
  context.touch("call", call.execution_id)
  return world.lifecycle.stop(organization, call, reason)
}

const one = "/v2/calls/{execution_id}"

export const callRoutes: ReadonlyArray<Route> = [
  {
    method: "POST",
    path: "/v2/calls",
    bucket: "calls.create",
    scope: "calls:write",
    action: "call.create",
    handle: place,
  },
  {
    method: "GET",
    path: "/v2/calls",
    bucket: "executions.list",
    scope: "calls:read",
    handle: (context) => listCalls(context, () => true),
  },
  {
    method: "GET",
    path: one,
    bucket: "executions.list",
    scope: "calls:read",
    handle: ({ id, organization, query }) => {
      const withTranscript = query.flag("include_transcript", false)
      return { status: 200, body: showCall(callOf(organization, id), organization, withTranscript) }
    },
  },
  {
    method: "POST",
    path: `${one}/stop`,
    bucket: "calls.create",
    scope: "calls:write",
    action: "call.stop",
    handle: stop,
  },
  {
    method: "GET",
    path: "/v2/agents/{agent_id}/executions",
    bucket: "executions.list",
    scope: "agents:read",
    handle: (context) => {
      agentOf(context.organization, context.id)
      return listCalls(context, (call) => call.agent_id === context.id)
    },
  },
]
