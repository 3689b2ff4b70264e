import { Inbox } from "../control/Inbox.ts"
import type { Client } from "../http/Client.ts"
import type { Trial } from "./Trial.ts"

/** An inbox that no other case, and no other run, has. */
export const freshInbox = (trial: Trial): Inbox => new Inbox(trial.control, `c${trial.fresh()}`)

/** The id of a new subscription. */
export const subscribe = async (
  trial: Trial,
  client: Client,
  inbox: Inbox,
  body: Readonly<Record<string, unknown>>,
): Promise<string> => {
  const answer = await client.post("/v2/webhooks", { callback_url: inbox.url, ...body })
  return trial.done(answer).string("subscription_id")
}

/** Longest that a call with its processing and its deliveries takes. */
export const deliveredByMs = 15 * 60_000

/** The time and the digest of an `X-Service-Signature`, which may be written in digits of either case; undefined where it is none. */
export const signatureOf = (header: string): { readonly t: string; readonly v1: string } | undefined => {
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/i.exec(header) ?? []
  return t === undefined || v1 === undefined ? undefined : { t, v1: v1.toLowerCase() }
}

/** HMAC-SHA256 in lower-case hex, by the platform. */
export const hmac = async (secret: string, text: string): Promise<string> => {
  const encoder = new TextEncoder()
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"])
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text)))
  return [...mac].map((byte) => byte.toString(16).padStart(2, "0")).join("")
}
