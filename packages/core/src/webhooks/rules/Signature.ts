import { _HMAC } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { hexText } from "../../engine/rules/FlatText.ts"
import { transientUtf8 } from "../../engine/rules/Utf8Bytes.ts"

/** The header that carries a delivery's signature (specification, "Delivery rules"). */
export const signatureHeaderName = "X-Service-Signature"

/** The header with the id of a delivery, for support and never for deduplication. */
export const deliveryIdHeaderName = "X-Service-Delivery-Id"

/** How far `t` may lie from the receiver's clock, either way. */
export const defaultToleranceSeconds = 300

/** The header value `t=<unix_seconds>,v1=<hex>`: HMAC-SHA256 over `"<timestamp>." + <raw body>`, lower-case hex. */
export const sign = (secret: string, unixSeconds: number, rawBody: string | Uint8Array): string =>
  `t=${unixSeconds},v1=${hexText(mac(secret, String(unixSeconds), rawBody))}`

/** What a signature header says; `v1` may hold several signatures while a secret is rotated. */
export type SignatureHeader =
  | { readonly ok: true; readonly t: string; readonly v1: ReadonlyArray<string> }
  | { readonly ok: false; readonly reason: "malformed_header" | "no_v1" }

const element = /^[ \t]*([A-Za-z0-9_-]+)=([^ \t]*)[ \t]*$/

const wholeSeconds = /^(?:0|[1-9][0-9]{0,14})$/

/** Reads a signature header: exactly one `t` in whole seconds, any number of `v1`; other schemes are left to those who know them. */
export const parseSignatureHeader = (header: string): SignatureHeader => {
  let t: string | undefined
  const v1: Array<string> = []
  for (const item of header.split(",")) {
    const [, scheme, value] = element.exec(item) ?? []
    if (scheme === undefined || value === undefined) return { ok: false, reason: "malformed_header" }
    if (scheme === "v1") v1.push(value)
    if (scheme !== "t") continue
    if (t !== undefined || !wholeSeconds.test(value)) return { ok: false, reason: "malformed_header" }
    t = value
  }
  if (t === undefined) return { ok: false, reason: "malformed_header" }
  return v1.length === 0 ? { ok: false, reason: "no_v1" } : { ok: true, t, v1 }
}

/** A received delivery: the header and the raw body as they came, and every secret that may have signed it. */
export interface ReceivedDelivery {
  readonly header: string
  readonly body: string | Uint8Array
  readonly secrets: ReadonlyArray<string>
  readonly nowSeconds: number
  readonly toleranceSeconds?: number
}

/** `stale` and `future` are genuine signatures at the wrong time; everything that is not genuine is a `mismatch`. */
export type Verification =
  | { readonly ok: true; readonly timestampSeconds: number }
  | { readonly ok: false; readonly reason: "malformed_header" | "no_v1" | "mismatch" | "stale" | "future" }

/**
 * Verifies a delivery. Any secret may match any `v1`; how long it takes does not tell which, or how nearly. An empty secret is
 * no secret: with none, nothing verifies.
 */
export const verify = (delivery: ReceivedDelivery): Verification => {
  const header = parseSignatureHeader(delivery.header)
  if (!header.ok) return header
  const expected = delivery.secrets
    .filter((secret) => secret !== "")
    .map((secret) => mac(secret, header.t, delivery.body))
  const candidates = header.v1.filter((value) => hexMac.test(value)).map(hexToBytes)
  const isGenuine = expected.reduce(
    (found, genuine) => candidates.reduce((any, candidate) => equal(genuine, candidate) || any, found),
    false,
  )
  if (!isGenuine) return { ok: false, reason: "mismatch" }
  const timestampSeconds = Number(header.t)
  const toleranceSeconds = delivery.toleranceSeconds ?? defaultToleranceSeconds
  if (delivery.nowSeconds - timestampSeconds > toleranceSeconds) return { ok: false, reason: "stale" }
  if (timestampSeconds - delivery.nowSeconds > toleranceSeconds) return { ok: false, reason: "future" }
  return { ok: true, timestampSeconds }
}

const hexMac = /^[0-9a-fA-F]{64}$/

/** Secrets whose first half of the work is kept; most deliveries of a process are signed with few. */
const keptSecrets = 256
const keyed = new Map<string, Keyed>()

const begin = (secret: string) => new _HMAC(sha256, utf8ToBytes(secret))

type Keyed = ReturnType<typeof begin>

/** An HMAC that has taken the secret in. */
const keyedWith = (secret: string): Keyed => {
  const known = keyed.get(secret)
  if (known !== undefined) return known.clone()
  if (keyed.size >= keptSecrets) keyed.clear()
  const fresh = begin(secret)
  keyed.set(secret, fresh)
  return fresh.clone()
}

const mac = (secret: string, timestamp: string, rawBody: string | Uint8Array): Uint8Array =>
  typeof rawBody === "string"
    ? keyedWith(secret)
        .update(transientUtf8(`${timestamp}.${rawBody}`))
        .digest()
    : keyedWith(secret)
        .update(utf8ToBytes(`${timestamp}.`))
        .update(rawBody)
        .digest()

/** Compares two macs of 32 bytes without stopping at the first difference. */
const equal = (left: Uint8Array, right: Uint8Array): boolean => {
  let difference = left.length ^ right.length
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0)
  return difference === 0
}
