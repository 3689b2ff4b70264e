import { bytesOf } from "@carillon/core/carrier"

const encoder = new TextEncoder()

/** Imports the token as a key; it is kept nowhere else. */
const keyOf = (authToken: string) =>
  crypto.subtle.importKey("raw", encoder.encode(authToken), { name: "HMAC", hash: "SHA-1" }, false, ["verify"])

/** What Twilio signs: the address, then each parameter's name and value, by name; of one that comes several times each value once. */
const signedText = (url: string, parameters: URLSearchParams): string => {
  const names = [...new Set(parameters.keys())].sort()
  const pairs = names.flatMap((name) => [...new Set(parameters.getAll(name))].sort().map((value) => name + value))
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

/** Whether `X-Twilio-Signature` was made with the token over this address and these parameters (www.twilio.com/docs/usage/webhooks/webhooks-security). */
export const isSigned = async (
  authToken: string,
  header: string | null,
  url: string,
  parameters: URLSearchParams,
): Promise<boolean> => {
  const signature = header === null || header === "" ? null : bytesOf(header)
  if (signature === null) return false
  const key = await keyOf(authToken)
  for (const spelling of spellings(url)) {
    const text = encoder.encode(signedText(spelling, parameters))
    if (await crypto.subtle.verify("HMAC", key, signature, text)) return true
  }
  return false
}
