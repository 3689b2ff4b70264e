import type { Agent, DialCommand } from "@carillon/core"
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
  /** How long a dial is watched for a refusal of the trunk before it counts as accepted, in milliseconds; 0 to 4000, default 1500. */
  readonly acceptAfterMs?: number
  /** What the names of rooms begin with. Default: `call-`. */
  readonly roomPrefix?: string
}

/** The options, checked and filled in. */
export interface Settings extends LiveKitOptions {
  readonly onMachine: "hang_up" | "go_on"
  readonly reportWaitMs: number
  readonly acceptAfterMs: number
  readonly roomPrefix: string
}

/** A setting that the adapter cannot work with; it names no secret. */
export class WrongSetting extends Error {}

const local = new Set(["localhost", "127.0.0.1", "[::1]"])

/** An absolute address without query, fragment, credentials and final slash; unencrypted only on this machine. */
const address = (name: string, text: string, schemes: readonly [safe: RegExp, plain: RegExp]): string => {
  const url = URL.parse(text)
  const isBare = url !== null && url.search === "" && url.hash === "" && url.username === "" && url.password === ""
  const isSafe =
    url !== null && (schemes[0].test(url.protocol) || (schemes[1].test(url.protocol) && local.has(url.hostname)))
  if (!isBare || !isSafe || text.includes("?") || text.includes("#") || text.endsWith("//")) {
    throw new WrongSetting(`${name} must be an encrypted address without query and fragment.`)
  }
  return text.endsWith("/") ? text.slice(0, -1) : text
}

const whole = (name: string, value: number, min: number, max: number): number => {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new WrongSetting(`${name} must be a whole number from ${min} to ${max}.`)
}

const filled = (name: string, value: string): string => {
  if (value.trim() !== "") return value
  throw new WrongSetting(`${name} must not be empty.`)
}

const secondsOfDay = 86_400
const reportWaitMaxSeconds = 20
const acceptAfterDefaultMs = 1_500
const acceptAfterMaxMs = 4_000

/** Checks the options. Throws `WrongSetting` at the first that is wrong, before anything is dialled. */
export const settingsOf = (options: LiveKitOptions): Settings => {
  const { acceptAfterMs = acceptAfterDefaultMs, maxCallSeconds, reportWaitSeconds = reportWaitMaxSeconds } = options
  for (const name of ["apiKey", "apiSecret", "trunkId", "agentName"] as const) filled(name, options[name])
  if (maxCallSeconds !== undefined) whole("maxCallSeconds", maxCallSeconds, 1, secondsOfDay)
  const roomPrefix = options.roomPrefix ?? "call-"
  if (!/^[!-~]{0,64}$/.test(roomPrefix)) {
    throw new WrongSetting("roomPrefix must be at most 64 visible ASCII characters.")
  }
  return {
    ...options,
    url: address("url", options.url, [/^(?:https|wss):$/, /^(?:http|ws):$/]),
    publicUrl: address("publicUrl", options.publicUrl, [/^https:$/, /^http:$/]),
    onMachine: options.onMachine ?? "go_on",
    reportWaitMs: whole("reportWaitSeconds", reportWaitSeconds, 0, reportWaitMaxSeconds) * 1000,
    acceptAfterMs: whole("acceptAfterMs", acceptAfterMs, 0, acceptAfterMaxMs),
    roomPrefix,
  }
}
