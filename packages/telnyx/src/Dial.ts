import type { DialCommand } from "@carillon/core"
import { bounds } from "./Bounds.ts"
import type { Settings } from "./Settings.ts"
import { stateOf } from "./State.ts"
import type { Spoken, SpokenFields } from "./Voice.ts"

/** Where all webhooks of a call come in. */
const webhookUrl = ({ publicUrl }: Settings): string => `${publicUrl}/events`

const ringSeconds = (seconds: number): number =>
  Math.min(Math.max(seconds, bounds.ringSecondsMin), bounds.ringSecondsMax)

/** The body of a dial, in Telnyx's names. */
export interface DialBody extends SpokenFields {
  readonly connection_id: string
  readonly to: string
  readonly from: string
  readonly timeout_secs: number
  readonly command_id: string
  readonly client_state: string
  readonly webhook_url: string
  readonly webhook_url_method: "POST"
  readonly time_limit_secs?: number
  readonly record?: "record-from-answer"
  readonly record_channels?: "dual"
  readonly record_format?: "mp3"
  readonly answering_machine_detection?: "premium" | "detect"
}

/** The body that dials a call (`POST /v2/calls`). A command id makes a dial that comes twice one leg, for as long as Telnyx remembers it. */
export const dialBody = (settings: Settings, call: DialCommand, from: string, { deed, fields }: Spoken): DialBody => ({
  connection_id: settings.connectionId,
  to: call.to_number,
  from,
  timeout_secs: ringSeconds(call.timeout_seconds),
  command_id: call.execution_id,
  client_state: stateOf({ execution_id: call.execution_id, deed }),
  webhook_url: webhookUrl(settings),
  webhook_url_method: "POST",
  ...(settings.maxCallSeconds === undefined ? {} : { time_limit_secs: settings.maxCallSeconds }),
  ...(call.record ? { record: "record-from-answer", record_channels: "dual", record_format: "mp3" } : {}),
  ...(settings.machineDetection === undefined
    ? {}
    : { answering_machine_detection: settings.machineDetection.mode ?? "premium" }),
  ...fields,
})
