import { authorization } from "./Rest.ts"
import type { Settings } from "./Settings.ts"
import { opensRecording, recordingPass } from "./Signature.ts"

const recordingSid = /^RE[0-9a-fA-F]{32}$/

export const isRecordingSid = (text: string | null): text is string => text !== null && recordingSid.test(text)

/**
 * Where a recording is fetched: at the callbacks' own mount, which asks Twilio for it. Whoever has the address can hear it, and learns nothing
 * of the account.
 */
export const recordingUrl = async ({ authToken, publicUrl }: Settings, sid: string): Promise<string> =>
  `${publicUrl}/recordings/${sid}/${await recordingPass(authToken, sid)}`

/** Of Twilio's answer, what its listener is told; nothing of the account is among it. */
const passedOn = ["content-type", "content-length", "content-range", "accept-ranges", "last-modified", "etag"] as const

const refused = (status: 404 | 502): Response =>
  new Response(null, { status, headers: { "cache-control": "no-store" } })

/** Answers a recording as Twilio has it, in MP3, piece by piece. */
export const serveRecording = async (
  settings: Settings,
  request: Request,
  sid: string,
  pass: string,
): Promise<Response> => {
  // Whether there is such a recording is told to nobody who may not hear it.
  if (!isRecordingSid(sid) || !(await opensRecording(settings.authToken, sid, pass))) return refused(404)
  const url = `${settings.baseUrl}/2010-04-01/Accounts/${settings.accountSid}/Recordings/${sid}.mp3`
  const range = request.headers.get("range")
  const headers = { authorization: authorization(settings), ...(range === null ? {} : { range }) }
  // A redirect goes to Twilio's storage, and `fetch` takes no credentials to another origin.
  const init = { method: request.method, headers, signal: request.signal }
  const answer = await settings.fetch(new Request(url, init)).catch(() => null)
  if (answer === null) return refused(502)
  if (answer.status !== 200 && answer.status !== 206 && answer.status !== 416) {
    await answer.body?.cancel().catch(() => undefined)
    return refused(answer.status === 404 ? 404 : 502)
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
