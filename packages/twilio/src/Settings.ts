import type { Agent, DialCommand } from "@carillon/core"
import {
  addressSetting,
  type EndedLeg,
  type HostFacts,
  priceAlone,
  wholeSetting,
  WrongSetting,
} from "@carillon/core/carrier"
import { bounds } from "./Bounds.ts"
import type { Voice } from "./Voice.ts"

/** How the adapter is set up. */
export interface TwilioOptions {
  /** The account that calls, `AC…`. */
  readonly accountSid: string
  /** Its secret; callbacks are verified with it. */
  readonly authToken: string
  /** Where Twilio reaches the callbacks from outside, such as `https://voice.example.com/twilio`. Signatures are checked over it. */
  readonly publicUrl: string
  /** Who speaks, for a call and its agent as it is now; null where the agent was deleted meanwhile. */
  readonly voice: (call: DialCommand, agent: Agent | null) => Voice | Promise<Voice>
  /** The number to call from for calls that name none. */
  readonly from?: string
  /** Whether Twilio listens for machines while the call goes on, and what is done when one answered. Default: it does not. */
  readonly machineDetection?: { readonly onMachine: "hang_up" | "go_on" }
  /** When Twilio ends a call that goes on. Default: its own, four hours. */
  readonly maxCallSeconds?: number
  /**
   * The facts of a leg that is over. Asked when its final report is made, and once more where the price comes later: then only the cost is
   * used. Default: the price of the connection is the whole cost, and there is no transcript.
   */
  readonly facts?: (leg: EndedLeg) => HostFacts | Promise<HostFacts>
  /**
   * How long after its end a call waits for its price before its final report gives the line back; 0 to 20, default 20. A price that comes
   * later is a correction.
   */
  readonly priceWaitSeconds?: number
  /** Replaces `https://api.twilio.com`. */
  readonly baseUrl?: string
  /** The platform's own where it is left out. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/** The options, checked and filled in. */
export interface Settings extends Omit<TwilioOptions, "facts" | "fetch" | "baseUrl" | "priceWaitSeconds"> {
  readonly baseUrl: string
  readonly facts: (leg: EndedLeg) => HostFacts | Promise<HostFacts>
  readonly priceWaitMs: number
  readonly fetch: (request: Request) => Promise<Response>
  /** How long the vendor has for an answer, in the machine's own time. */
  readonly answerMs: number
}

const secondsOfDay = 86_400
const priceWaitMaxSeconds = 20

/** Checks the options. Throws `WrongSetting` at the first that is wrong, before anything is dialled. */
export const settingsOf = (options: TwilioOptions): Settings => {
  const { maxCallSeconds, priceWaitSeconds = priceWaitMaxSeconds } = options
  if (!/^AC[0-9a-fA-F]{32}$/.test(options.accountSid)) throw new WrongSetting("accountSid must be an account's SID.")
  if (options.authToken === "") throw new WrongSetting("authToken must be the account's token.")
  if (maxCallSeconds !== undefined) wholeSetting("maxCallSeconds", maxCallSeconds, 1, secondsOfDay)
  return {
    ...options,
    publicUrl: addressSetting("publicUrl", options.publicUrl),
    baseUrl: addressSetting("baseUrl", options.baseUrl ?? "https://api.twilio.com"),
    facts: options.facts ?? priceAlone,
    priceWaitMs: wholeSetting("priceWaitSeconds", priceWaitSeconds, 0, priceWaitMaxSeconds) * 1000,
    fetch: options.fetch ?? globalThis.fetch,
    answerMs: bounds.answerMs,
  }
}
