import type { Agent, DialCommand } from "@carillon/core"
import { addressSetting, type Schemes, wholeSetting, WrongSetting } from "@carillon/core/carrier"
import type { EncodedFileOutput } from "livekit-server-sdk"

/** A file that an egress wrote, as LiveKit names it. */
export interface RecordedFile {
  readonly execution_id: string
  readonly filename: string
  /** Where it lies, as the storage has it. */
  readonly location: string
}

/** How calls are recorded, and how a recording is had again. */
export interface Recording {
  /** Where the egress of a call writes to. Credentials in it go to LiveKit alone. */
  readonly output: (call: DialCommand) => EncodedFileOutput
  /** Answers with the file for whoever may hear it: from your storage, with your own credentials. */
  readonly open: (file: RecordedFile, request: Request) => Promise<Response>
}

/** How the adapter is set up. */
export interface LiveKitOptions {
  /** The project's address, `wss:` or `https:`. */
  readonly url: string
  /** The project's key. */
  readonly apiKey: string
  /** Signs requests; webhooks and the worker's reports are verified with it. */
  readonly apiSecret: string
  /** The outbound trunk (`ST_…`) through which numbers are called. */
  readonly trunkId: string
  /** The name under which the voice worker is registered. */
  readonly agentName: string
  /** Where the voice worker reaches the callbacks from outside, such as `https://voice.example.com/livekit`. */
  readonly publicUrl: string
  /** The number to call from for calls that name none. Left out, the trunk's own is used. */
  readonly from?: string
  /** What the worker is told besides the call: its agent's configuration, as your worker reads it. Default: the agent as it is stored. */
  readonly configuration?: (call: DialCommand, agent: Agent | null) => unknown
  /** What is done when the worker says that a machine answered. Default: the call goes on, for the worker to leave a message. */
  readonly onMachine?: "hang_up" | "go_on"
  /** When LiveKit ends a call that goes on. Default: its own, a day. */
  readonly maxCallSeconds?: number
  /** Left out, nothing is recorded, whatever a call asks for. */
  readonly recording?: Recording
  /**
   * How long after its end an answered call waits for its worker's report before its final report gives the line back; 0 to 20, default 20.
   * A report that comes later is a correction.
   */
  readonly reportWaitSeconds?: number
  /**
   * How long after the callee has answered an agent may take to come into the room; 1 to 60, default 15. A callee who is alone there by then is
   * taken out, and the call ends as `error`.
   */
  readonly agentWaitSeconds?: number
  /** How long a dial is watched for a refusal of the trunk before it counts as accepted, in milliseconds; 0 to 4000, default 1500. */
  readonly acceptAfterMs?: number
  /** What the names of rooms begin with. Default: `call-`. */
  readonly roomPrefix?: string
}

/** The options, checked and filled in. */
export interface Settings extends LiveKitOptions {
  readonly onMachine: "hang_up" | "go_on"
  readonly reportWaitMs: number
  readonly agentWaitMs: number
  readonly acceptAfterMs: number
  readonly roomPrefix: string
}

const encrypted = "an encrypted address"
const project: Schemes = { safe: /^(?:https|wss):$/, plain: /^(?:http|ws):$/, as: encrypted }
const callbacks: Schemes = { safe: /^https:$/, plain: /^http:$/, as: encrypted }

const filled = (name: string, value: string): string => {
  if (value.trim() !== "") return value
  throw new WrongSetting(`${name} must not be empty.`)
}

const secondsOfDay = 86_400
const reportWaitMaxSeconds = 20
const agentWaitDefaultSeconds = 15
const agentWaitMaxSeconds = 60
const acceptAfterDefaultMs = 1_500
const acceptAfterMaxMs = 4_000

/** Checks the options. Throws `WrongSetting` at the first that is wrong, before anything is dialled. */
export const settingsOf = (options: LiveKitOptions): Settings => {
  const { acceptAfterMs = acceptAfterDefaultMs, agentWaitSeconds = agentWaitDefaultSeconds } = options
  const { maxCallSeconds, reportWaitSeconds = reportWaitMaxSeconds } = options
  for (const name of ["apiKey", "apiSecret", "trunkId", "agentName"] as const) filled(name, options[name])
  if (maxCallSeconds !== undefined) wholeSetting("maxCallSeconds", maxCallSeconds, 1, secondsOfDay)
  const roomPrefix = options.roomPrefix ?? "call-"
  if (!/^[!-~]{0,64}$/.test(roomPrefix)) {
    throw new WrongSetting("roomPrefix must be at most 64 visible ASCII characters.")
  }
  return {
    ...options,
    url: addressSetting("url", options.url, project),
    publicUrl: addressSetting("publicUrl", options.publicUrl, callbacks),
    onMachine: options.onMachine ?? "go_on",
    reportWaitMs: wholeSetting("reportWaitSeconds", reportWaitSeconds, 0, reportWaitMaxSeconds) * 1000,
    agentWaitMs: wholeSetting("agentWaitSeconds", agentWaitSeconds, 1, agentWaitMaxSeconds) * 1000,
    acceptAfterMs: wholeSetting("acceptAfterMs", acceptAfterMs, 0, acceptAfterMaxMs),
    roomPrefix,
  }
}
