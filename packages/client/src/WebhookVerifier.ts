import type { EventPayload } from "@carillon/api"
import { WebhookSignature } from "@carillon/core/domain"

/** The header that carries the signature of a delivery. */
export const signatureHeader = WebhookSignature.signatureHeaderName

/** What a receiver knows of one delivery: the raw body as it came, never parsed and written anew, and its headers. */
export interface IncomingDelivery {
  readonly body: string | Uint8Array
  /** The value of `X-Service-Signature`; null or undefined where there is none. */
  readonly signature: string | null | undefined
}

/** How deliveries are verified. */
export interface VerifierOptions {
  /** Every secret that may have signed, so that secrets can be rotated; an empty one is no secret. */
  readonly secrets: ReadonlyArray<string>
  /** How far the signature's time may lie from the receiver's clock, either way; default 300. */
  readonly toleranceSeconds?: number
  /** The receiver's clock in epoch milliseconds; default the machine's. */
  readonly now?: () => number
}

/**
 * Why a delivery is refused. `unsigned`: no signature at all; `malformed_header`, `no_v1`: nothing that could be compared; `mismatch`:
 * not genuine; `stale`, `future`: genuine at another time; `not_json`, `not_an_event`: genuine, and no event; `not_raw`: the body is not
 * the bytes that came, but something that was made of them.
 */
export type DeliveryRefusal =
  | "unsigned"
  | "malformed_header"
  | "no_v1"
  | "mismatch"
  | "stale"
  | "future"
  | "not_json"
  | "not_an_event"
  | "not_raw"

type EventOf<Type extends EventPayload["event_type"]> = Omit<EventPayload, "event_type" | "correction"> & {
  readonly event_type: Type
} & (Type extends "call_corrected"
    ? { readonly correction: NonNullable<EventPayload["correction"]> }
    : { readonly correction?: never })

/**
 * An event as it is delivered, told apart by its `event_type`. The signature proves who wrote it, and the contract says what it has; only
 * `event_type`, `event_id` and `call_id` are looked at. `event_id` is the same on all attempts: what a receiver deduplicates by.
 */
export type WebhookEvent = { readonly [Type in EventPayload["event_type"]]: EventOf<Type> }[EventPayload["event_type"]]

/** A delivery after verification. */
export type VerifiedDelivery =
  | { readonly ok: true; readonly event: WebhookEvent; readonly timestampSeconds: number }
  | { readonly ok: false; readonly reason: DeliveryRefusal }

const utf8 = new TextDecoder("utf-8", { fatal: true })

const parse = (body: string | Uint8Array): { readonly value: unknown } | null => {
  try {
    return { value: JSON.parse(typeof body === "string" ? body : utf8.decode(body)) }
  } catch {
    return null
  }
}

const isEvent = (value: unknown): value is WebhookEvent =>
  typeof value === "object" &&
  value !== null &&
  "event_type" in value &&
  typeof value.event_type === "string" &&
  "event_id" in value &&
  typeof value.event_id === "string" &&
  "call_id" in value &&
  typeof value.call_id === "string"

/** Makes a verifier of deliveries (specification, "Delivery rules" 6). It never throws, whatever it is given. */
export const webhookVerifier = (options: VerifierOptions): ((delivery: IncomingDelivery) => VerifiedDelivery) => {
  const now = options.now ?? Date.now
  return ({ body, signature }) => {
    if (signature === null || signature === undefined || signature === "") return { ok: false, reason: "unsigned" }
    if (typeof signature !== "string") return { ok: false, reason: "malformed_header" }
    if (typeof body !== "string" && !(body instanceof Uint8Array)) return { ok: false, reason: "not_raw" }
    const verification = WebhookSignature.verify({
      header: signature,
      body,
      secrets: options.secrets,
      nowSeconds: Math.floor(now() / 1000),
      ...(options.toleranceSeconds === undefined ? {} : { toleranceSeconds: options.toleranceSeconds }),
    })
    if (!verification.ok) return verification
    const parsed = parse(body)
    if (parsed === null) return { ok: false, reason: "not_json" }
    if (!isEvent(parsed.value)) return { ok: false, reason: "not_an_event" }
    return { ok: true, event: parsed.value, timestampSeconds: verification.timestampSeconds }
  }
}
