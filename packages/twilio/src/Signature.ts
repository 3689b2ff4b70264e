const encoder = new TextEncoder()

/** Imports a key for one kind of code; the token itself is kept nowhere else. */
const keyOf = (secret: string, hash: "SHA-1" | "SHA-256") =>
  crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash }, false, ["sign", "verify"])

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | null => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

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
  const key = await keyOf(authToken, "SHA-1")
  for (const spelling of spellings(url)) {
    const text = encoder.encode(signedText(spelling, parameters))
    if (await crypto.subtle.verify("HMAC", key, signature, text)) return true
  }
  return false
}

const recordingText = (recordingSid: string) => encoder.encode(`carillon recording ${recordingSid}`)

/** What opens one recording and nothing else. It does not give the token away, and ends with it. */
export const recordingPass = async (authToken: string, recordingSid: string): Promise<string> => {
  const signature = await crypto.subtle.sign("HMAC", await keyOf(authToken, "SHA-256"), recordingText(recordingSid))
  const base64 = btoa(String.fromCharCode(...new Uint8Array(signature)))
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

export const opensRecording = async (authToken: string, recordingSid: string, pass: string): Promise<boolean> => {
  const signature = bytesOf(pass.replaceAll("-", "+").replaceAll("_", "/"))
  if (signature === null) return false
  const key = await keyOf(authToken, "SHA-256")
  return crypto.subtle.verify("HMAC", key, signature, recordingText(recordingSid))
}
