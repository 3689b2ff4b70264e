import { bytesOf } from "@carillon/core/carrier"

const encoder = new TextEncoder()

/** Imports the token as a key; it is kept nowhere else. */
const keyOf = (authToken: string) =>
  crypto.subtle.importKey("raw", encoder.encode(authToken), { name: "HMAC", hash: "SHA-1" }, false, ["verify"])

/**
 * What Twilio signs: the address, then each parameter's name and value, by name; of one that comes several times each value once. Nobody has proved
 * yet who sent them, so each is looked at once, however many they are.
 */
export const signedText = (url: string, parameters: URLSearchParams): string => {
  const values = new Map<string, Set<string>>()
  for (const [name, value] of parameters) {
    const known = values.get(name)
    if (known === undefined) values.set(name, new Set([value]))
    else known.add(value)
  }
  const names = [...values.keys()].sort()
  const pairs = names.flatMap((name) => [...(values.get(name) ?? [])].sort().map((value) => name + value))
  return url + pairs.join("")
}

/** The address with the standard port of its scheme and without any: Twilio has signed either. */
const spellings = (url: string): ReadonlyArray<string> => {
  const start = url.indexOf("://") + 3
  const slash = url.indexOf("/", start)
  const end = slash < 0 ? url.length : slash
  const [head, authority, rest] = [url.slice(0, start), url.slice(start, end), url.slice(end)]
  const host = authority.replace(/:\d{1,5}$/, "")
  const own = authority.slice(host.length)
  const port = own === "" ? (head === "https://" ? ":443" : ":80") : own
  return [head + host + rest, head + host + port + rest]
}

/** Bytes of HMAC-SHA1. */
const signatureBytes = 20

/** The bytes of an `X-Twilio-Signature`; null where it is none. */
const bytesOfSignature = (header: string | null): Uint8Array<ArrayBuffer> | null => {
  const bytes = header === null ? null : bytesOf(header)
  return bytes?.length === signatureBytes ? bytes : null
}

/** Whether a header may be a signature: one that may not is refused before anything is read of what it should stand for. */
export const isSignature = (header: string | null): boolean => bytesOfSignature(header) !== null

/** Whether `X-Twilio-Signature` was made with the token over this address and these parameters (www.twilio.com/docs/usage/webhooks/webhooks-security). */
export const isSigned = async (
  authToken: string,
  header: string | null,
  url: string,
  parameters: URLSearchParams,
): Promise<boolean> => {
  const signature = bytesOfSignature(header)
  if (signature === null) return false
  const key = await keyOf(authToken)
  for (const spelling of spellings(url)) {
    const text = encoder.encode(signedText(spelling, parameters))
    if (await crypto.subtle.verify("HMAC", key, signature, text)) return true
  }
  return false
}
