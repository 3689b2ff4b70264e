import { Result } from "effect"
import type { Agent } from "../../agents/rules/Agent.ts"
import type { AgentStatus } from "../../agents/rules/AgentStatus.ts"
import { calleeOpenings, type ZoneHours } from "../../callees/rules/CalleeHours.ts"
import { fromCallingGuard, ringIn, type RingTime, type WeeklyWindow } from "../../dispatch/rules/CallingWindow.ts"
import { StateConflict } from "../../Errors.ts"
import type { Json, JsonObject } from "../../Json.ts"
import type { SlotLevel } from "../../limits/rules/SlotLevels.ts"
import type { Call } from "./Call.ts"
import { unprocessed } from "./Processing.ts"

/** The decoded body of `POST /v2/calls` with its defaults filled in. `scheduled_at` is epoch milliseconds. */
export interface PlaceCall {
  readonly agent_id: string
  readonly to_number: string
  readonly from_number: string | null
  readonly variables: JsonObject
  readonly metadata: JsonObject
  readonly scheduled_at: number | null
  readonly record: boolean
  readonly timeout_seconds: number
  /** The number is called though it is suppressed. */
  readonly override_suppression?: boolean
  /** The number is called though its hours are closed. */
  readonly override_callee_hours?: boolean
  /** The number is called though it was called as often as call caps allow. */
  readonly override_call_caps?: boolean
}

/** What only the dispatcher of campaigns and batches sets on a call; a direct dial has none of it. */
export interface CallOrigin {
  readonly batch_id: string | null
  readonly campaign_id: string | null
  readonly contact_id: string | null
  readonly parent_execution_id: string | null
  readonly retry_count: number
  readonly is_follow_up: boolean
  readonly prompt: string | null
}

export const directDial: CallOrigin = {
  batch_id: null,
  campaign_id: null,
  contact_id: null,
  parent_execution_id: null,
  retry_count: 0,
  is_follow_up: false,
  prompt: null,
}

/** The analysis that the agent is configured for. */
const analyticsOf = (agent: Agent): ReadonlyArray<Json> | null => {
  const custom = agent.analytics["custom"]
  return Array.isArray(custom) && custom.length > 0 ? custom : null
}

/** What a call keeps of its agent as it was when the call was made. */
export const agentFacts = (agent: Agent): Pick<Call, "agent_id" | "agent_name" | "custom_analytics"> => ({
  agent_id: agent.agent_id,
  agent_name: agent.display_name,
  custom_analytics: analyticsOf(agent),
})

/** The call that no experiment has routed. */
const unrouted = { ab_version_id: null, ab_is_variant: null } as const

/** Only an ACTIVE agent places or takes calls. */
export const agentNotActive = (status: AgentStatus): StateConflict =>
  new StateConflict({ message: `This agent is not active (status=${status}).` })

/** A call as it is first written, without the decision of how it starts. */
export const newCall = (
  organizationId: string,
  executionId: string,
  request: PlaceCall,
  origin: CallOrigin,
  now: number,
): Call => ({
  execution_id: executionId,
  organization_id: organizationId,
  revision: 1,
  status: "queued",
  direction: "outbound",
  agent_id: request.agent_id,
  agent_name: null,
  ...origin,
  ...unrouted,
  to_number: request.to_number,
  from_number: request.from_number,
  call_sid: null,
  duration_seconds: null,
  answered_by_voicemail: null,
  hangup_by: null,
  hangup_reason: null,
  recording_url: null,
  cost: null,
  summary: null,
  sentiment: null,
  extracted_data: null,
  custom_analytics: null,
  variables: { ...request.variables, ...request.metadata },
  error: null,
  scheduled_at: request.scheduled_at,
  deferred_by_calling_guard: false,
  record: request.record,
  timeout_seconds: request.timeout_seconds,
  created_at: now,
  updated_at: now,
  completed_at: null,
  ringing_at: null,
  answered_at: null,
  stop: null,
  dial: "none",
  slot: null,
  final_report_at: null,
  due_at: null,
  processing: unprocessed,
  questions: 0,
  folded_into: null,
  refused_reports: [],
  ...(request.override_suppression === true ? { overrides_suppression: true } : {}),
  ...(request.override_callee_hours === true ? { overrides_callee_hours: true } : {}),
  ...(request.override_call_caps === true ? { overrides_call_caps: true } : {}),
})

/** Why a call is refused, or ended, whose agents may never call. */
const neverOpens = "The calling window of this agent never opens."

/** The same where its number may never be called. */
const calleeNeverOpens = "The hours in which this number may be called never open."

/** Why a call is refused, or ended, that may never ring: the windows of its agents never open, or never with the hours of its callee. */
export const neverRings = (
  agents: ReadonlyArray<Pick<Agent, "calling_guard">>,
  executionId: string,
  at: number,
): string => (ringTime(agents, executionId, at) === null ? neverOpens : calleeNeverOpens)

/**
 * When a call may ring that is wanted at `at`, and until when: later while one of its agents' calling windows is shut, or the hours of its callee
 * are, null where they are never open together. The window of the agent that was asked for binds whoever makes the call, and so does that of the agent
 * that makes it.
 */
export const ringTime = (
  agents: ReadonlyArray<Pick<Agent, "calling_guard">>,
  executionId: string,
  at: number,
  callee: ReadonlyArray<ZoneHours> = [],
): RingTime | null => {
  const windows: Array<WeeklyWindow> = []
  for (const { calling_guard } of agents) {
    if (calling_guard === null || !calling_guard.enabled) continue
    const window = fromCallingGuard(calling_guard)
    // A guard is validated when it is written; one that makes no window all the same must not let anybody be rung.
    if (Result.isFailure(window)) return null
    windows.push(window.success)
  }
  return callee.length === 0
    ? ringIn(windows, executionId, at)
    : ringIn(windows, executionId, at, calleeOpenings(callee))
}

/** Whether no call of an agent could ever ring that this challenger makes, as the agent's own could. */
export const shutOut = (control: Agent, challenger: Agent, at: number): boolean =>
  ringTime([control, challenger], challenger.agent_id, at) === null &&
  ringTime([control], control.agent_id, at) !== null

/** The call, booked for a time. No experiment routes it before it is due. */
export const booked = (call: Call, at: number, deferred: boolean): Call => ({
  ...call,
  status: "scheduled",
  scheduled_at: at,
  deferred_by_calling_guard: deferred,
  due_at: at,
})

/** The booked call for another time. Who makes it is asked anew then, so it is the call of the agent that was asked for. */
export const rebooked = (call: Call, control: Agent, at: number, now: number): Call => ({
  ...call,
  ...agentFacts(control),
  ...unrouted,
  status: "rescheduled",
  scheduled_at: at,
  due_at: at,
  updated_at: now,
})

/** The call with its line and the intent to dial, as committed before the carrier is asked. */
export const intended = (
  call: Call,
  fence: number | null,
  levels: ReadonlyArray<{ readonly level: SlotLevel; readonly key: string }>,
  askAt: number,
): Call => ({
  ...call,
  status: "queued",
  dial: "intended",
  slot: {
    member: call.execution_id,
    fence,
    levels: levels.map(({ level, key }) => ({ level, key })),
  },
  due_at: askAt,
  questions: 0,
})
