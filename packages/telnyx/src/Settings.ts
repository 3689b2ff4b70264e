import type { Agent, DialCommand } from "@carillon/core"
import {
  addressSetting,
  bytesOf,
  type EndedLeg,
  type HostFacts,
  priceAlone,
  wholeSetting,
  WrongSetting,
} from "@carillon/core/carrier"
import { bounds } from "./Bounds.ts"
import type { Voice } from "./Voice.ts"

/** How the adapter is set up. */
export interface TelnyxOptions {
  /** The API key, `KEY…`. */
  readonly apiKey: string
  /** The account's public key as Telnyx shows it, in base64; webhooks are verified with it. */
  readonly publicKey: string
  /** The Voice API application that calls (`connection_id`). */
  readonly connectionId: string
  /** Where Telnyx reaches the webhooks from outside, such as `https://voice.example.com/telnyx`. */
  readonly publicUrl: string
  /** Who speaks, for a call and its agent as it is now; null where the agent was deleted meanwhile. */
  readonly voice: (call: DialCommand, agent: Agent | null) => Voice | Promise<Voice>
  /** The number to call from for calls that name none. */
  readonly from?: string
  /** Whether Telnyx listens for machines while the call goes on, and what is done when one answered. Default: it does not. */
  readonly machineDetection?: { readonly onMachine: "hang_up" | "go_on"; readonly mode?: "premium" | "detect" }
  /** When Telnyx ends a call that goes on; up to its own 14,400, which is the default. */
  readonly maxCallSeconds?: number
  /**
   * The facts of a leg that is over. Asked when its final report is made, and once more when the price comes: then only the cost is used.
   * Default: the price of the call is the whole cost, and there is no transcript.
   */
  readonly facts?: (leg: EndedLeg) => HostFacts | Promise<HostFacts>
  /** How old a webhook may be, and how far ahead of our clock; 1 to 3,600, default 300. An older one is refused as a replay. */
  readonly webhookAgeSeconds?: number
  /** Replaces `https://api.telnyx.com`. */
  readonly baseUrl?: string
  /** The platform's own where it is left out. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/** The options, checked and filled in. */
export interface Settings extends Omit<
  TelnyxOptions,
  "facts" | "fetch" | "baseUrl" | "webhookAgeSeconds" | "publicKey"
> {
  readonly publicKey: Uint8Array<ArrayBuffer>
  readonly baseUrl: string
  readonly facts: (leg: EndedLeg) => HostFacts | Promise<HostFacts>
  readonly webhookAgeMs: number
  readonly fetch: (request: Request) => Promise<Response>
  /** How long the vendor has for an answer, in the machine's own time. */
  readonly answerMs: number
}

const publicKeyBytes = 32

const keyOf = (text: string): Uint8Array<ArrayBuffer> => {
  const bytes = bytesOf(text)
  if (bytes?.length === publicKeyBytes) return bytes
  throw new WrongSetting("publicKey must be the account's public key: 32 bytes in base64.")
}

const visible = /^[!-~]+$/

/** Checks the options. Throws `WrongSetting` at the first that is wrong, before anything is dialled. */
export const settingsOf = (options: TelnyxOptions): Settings => {
  const { maxCallSeconds, webhookAgeSeconds = bounds.webhookAgeSeconds } = options
  if (!visible.test(options.apiKey)) throw new WrongSetting("apiKey must be the account's API key.")
  if (!visible.test(options.connectionId))
    throw new WrongSetting("connectionId must be the id of a Voice API application.")
  if (maxCallSeconds !== undefined) wholeSetting("maxCallSeconds", maxCallSeconds, 1, bounds.callSecondsMax)
  return {
    ...options,
    publicKey: keyOf(options.publicKey),
    publicUrl: addressSetting("publicUrl", options.publicUrl),
    baseUrl: addressSetting("baseUrl", options.baseUrl ?? "https://api.telnyx.com"),
    facts: options.facts ?? priceAlone,
    webhookAgeMs: wholeSetting("webhookAgeSeconds", webhookAgeSeconds, 1, bounds.webhookAgeSecondsMax) * 1000,
    fetch: options.fetch ?? globalThis.fetch,
    answerMs: bounds.answerMs,
  }
}
