import { bytesOf } from "@carillon/core/carrier"

const encoder = new TextEncoder()

export interface Signed {
  readonly publicKey: Uint8Array<ArrayBuffer>
  /** The headers `telnyx-signature-ed25519` and `telnyx-timestamp`. */
  readonly signature: string | null
  readonly timestamp: string | null
  readonly body: Uint8Array<ArrayBuffer>
}

/** Bytes of a signature of Ed25519. */
const signatureBytes = 64

const bytesOfSignature = (header: string | null): Uint8Array<ArrayBuffer> | null => {
  const bytes = header === null ? null : bytesOf(header)
  return bytes?.length === signatureBytes ? bytes : null
}

/** Whether a header may be a signature: one that may not is refused before anything is read of what it should stand for. */
export const isSignature = (header: string | null): boolean => bytesOfSignature(header) !== null

/** Whether Telnyx has signed these very bytes: Ed25519 over the timestamp, a bar and the body (developers.telnyx.com, "Webhook Fundamentals"). */
export const isSigned = async ({ body, publicKey, signature, timestamp }: Signed): Promise<boolean> => {
  const bytes = bytesOfSignature(signature)
  if (bytes === null || timestamp === null) return false
  const head = encoder.encode(`${timestamp}|`)
  const text = new Uint8Array(head.length + body.length)
  text.set(head)
  text.set(body, head.length)
  const key = await crypto.subtle.importKey("raw", publicKey, { name: "Ed25519" }, false, ["verify"])
  return crypto.subtle.verify({ name: "Ed25519" }, key, bytes, text)
}

/** Whether a webhook was signed so long ago, or so far ahead, that it may be a replay. The timestamp is in whole seconds. */
export const isReplay = (timestamp: string | null, now: number, ageMs: number): boolean => {
  if (timestamp === null || !/^\d{1,12}$/.test(timestamp)) return true
  return Math.abs(now - Number(timestamp) * 1000) > ageMs
}
