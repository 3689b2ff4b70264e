import type { Agent, DialCommand, JsonObject } from "@carillon/core"
import { Result, Schema } from "effect"
import { roomOf } from "./Names.ts"
import type { Settings } from "./Settings.ts"

const Text = Schema.String
const Nullable = Schema.NullOr(Text)

/** What the voice worker is told of a call, as the metadata of its dispatch. */
export const Job = Schema.Struct({
  version: Schema.Literal(1),
  execution_id: Text,
  organization_id: Text,
  agent_id: Text,
  campaign_id: Nullable,
  contact_id: Nullable,
  /** The identity of the callee's leg in the room. */
  callee: Text,
  to_number: Text,
  /** Replaces the agent's own prompt where it is not null. */
  prompt: Nullable,
  variables: Schema.JsonObject,
  retry_count: Schema.Number,
  is_follow_up: Schema.Boolean,
  /** The agent's configuration, as the host has it. */
  configuration: Schema.Json,
  /** Where the worker's reports go. */
  report_url: Text,
})
export type Job = typeof Job.Type

const Metadata = Schema.fromJsonString(Job)

/** Reads the metadata of a job; null where it is none of ours. */
export const readJob = (metadata: string): Job | null => {
  const read = Schema.decodeUnknownResult(Metadata)(metadata)
  return Result.isSuccess(read) ? read.success : null
}

/** The address to which a worker reports. */
const reportUrl = ({ publicUrl }: Settings): string => `${publicUrl}/report`

/** What is said of a call to its worker, as text. A configuration that is no JSON throws. */
export const jobOf = (settings: Settings, call: DialCommand, agent: Agent | null): string => {
  const configuration = settings.configuration === undefined ? agent : settings.configuration(call, agent)
  const variables: JsonObject = call.variables
  return JSON.stringify({
    version: 1,
    execution_id: call.execution_id,
    organization_id: call.organization_id,
    agent_id: call.agent_id,
    campaign_id: call.campaign_id,
    contact_id: call.contact_id,
    callee: call.execution_id,
    to_number: call.to_number,
    prompt: call.prompt,
    variables,
    retry_count: call.retry_count,
    is_follow_up: call.is_follow_up,
    configuration: configuration ?? null,
    report_url: reportUrl(settings),
  })
}

export const roomOfCall = ({ roomPrefix }: Settings, executionId: string): string => roomOf(roomPrefix, executionId)
