import { bytesOf } from "./Bytes.ts"
import { holding } from "./HeldRequests.ts"

const encoder = new TextEncoder()

const keyOf = (secret: string) =>
  crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"])

const textOf = (id: string) => encoder.encode(`carillon recording ${id}`)

/** What opens one recording and nothing else. It does not give the account's secret away, and ends with it. */
export const recordingPass = async (secret: string, id: string): Promise<string> => {
  const signature = await crypto.subtle.sign("HMAC", await keyOf(secret), textOf(id))
  const base64 = btoa(String.fromCharCode(...new Uint8Array(signature)))
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

/** Whether a pass opens this recording. */
export const opensRecording = async (secret: string, id: string, pass: string): Promise<boolean> => {
  const signature = bytesOf(pass.replaceAll("-", "+").replaceAll("_", "/"))
  if (signature === null) return false
  return crypto.subtle.verify("HMAC", await keyOf(secret), signature, textOf(id))
}

/**
 * Where a recording is fetched: at the callbacks' own mount, which asks the vendor for it. Whoever has the address can hear it, and learns
 * nothing of the account. The id must need no escaping in a path.
 */
export const recordingAddress = async (publicUrl: string, secret: string, id: string): Promise<string> =>
  `${publicUrl}/recordings/${id}/${await recordingPass(secret, id)}`

/** Of the vendor's answer, what a listener is told; nothing of the account is among it. */
const passedOn = ["content-type", "content-length", "content-range", "accept-ranges", "last-modified", "etag"] as const

/** No recording: there is none for whoever asks, or it could not be had. */
export const noRecording = (status: 404 | 502): Response =>
  new Response(null, { status, headers: { "cache-control": "no-store" } })

/**
 * Answers a listener with a recording as it lies at the vendor's, piece by piece. `headers` are the credentials that the address needs, if it
 * needs any. Redirects are followed, to the vendor's storage: `fetch` takes no credentials to another origin.
 */
export const passOnRecording = async (
  fetch: (request: Request) => Promise<Response>,
  listener: Request,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> => {
  const range = listener.headers.get("range")
  const asked = { ...headers, ...(range === null ? {} : { range }) }
  const init = { method: listener.method, headers: asked, signal: listener.signal }
  const answer = await holding(new Request(url, init), fetch).catch(() => null)
  if (answer === null) return noRecording(502)
  if (answer.status !== 200 && answer.status !== 206 && answer.status !== 416) {
    await answer.body?.cancel().catch(() => undefined)
    return noRecording(answer.status === 404 ? 404 : 502)
  }
  const told = new Headers({ "cache-control": "private, no-store" })
  for (const name of passedOn) {
    const value = answer.headers.get(name)
    // What `fetch` has unpacked is of another length.
    const isAsSent = name !== "content-length" || !answer.headers.has("content-encoding")
    if (value !== null && isAsSent) told.set(name, value)
  }
  return new Response(answer.body, { status: answer.status, headers: told })
}
