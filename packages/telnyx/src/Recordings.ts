import { Effect, Schema } from "effect"
import { get, readAs } from "./Rest.ts"
import type { Settings } from "./Settings.ts"
import { opensRecording, recordingPass } from "./Signature.ts"

const legId = /^[0-9A-Za-z-]{1,64}$/

export const isLegId = (text: string | null | undefined): text is string => legId.test(text ?? "")

/**
 * Where the recording of a leg is fetched: at the webhooks' own mount, which asks Telnyx for it. Whoever has the address can hear it, and
 * learns nothing of the account. Telnyx's own addresses are good for ten minutes.
 */
export const recordingUrl = async ({ apiKey, publicUrl }: Settings, leg: string): Promise<string> =>
  `${publicUrl}/recordings/${leg}/${await recordingPass(apiKey, leg)}`

const Recordings = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      status: Schema.optional(Schema.NullOr(Schema.String)),
      download_urls: Schema.optional(
        Schema.NullOr(
          Schema.Struct({
            mp3: Schema.optional(Schema.NullOr(Schema.String)),
            wav: Schema.optional(Schema.NullOr(Schema.String)),
          }),
        ),
      ),
    }),
  ),
})

/** Where Telnyx gives the recording of a leg just now; null while there is none. */
const downloadOf = (settings: Settings, leg: string): Effect.Effect<string | null> =>
  Effect.map(get(settings, "/recordings", { "filter[call_leg_id]": leg, "page[size]": "20" }), (answer) => {
    const urls = readAs(Recordings, answer)?.data.map(({ download_urls }) => download_urls?.mp3 ?? download_urls?.wav)
    return urls?.find((url) => url !== null && url !== undefined) ?? null
  })

/** Whether a leg has a recording that can be fetched. */
export const hasRecording = (settings: Settings, leg: string): Effect.Effect<boolean> =>
  Effect.map(downloadOf(settings, leg), (url) => url !== null)

/** Of the storage's answer, what its listener is told; nothing of the account is among it. */
const passedOn = ["content-type", "content-length", "content-range", "accept-ranges", "last-modified", "etag"] as const

const refused = (status: 404 | 502): Response =>
  new Response(null, { status, headers: { "cache-control": "no-store" } })

/** Answers a recording as Telnyx's storage has it, piece by piece. The credentials are for the API, not for the storage. */
export const serveRecording = async (
  settings: Settings,
  request: Request,
  leg: string,
  pass: string,
): Promise<Response> => {
  // Whether there is such a recording is told to nobody who may not hear it.
  if (!isLegId(leg) || !(await opensRecording(settings.apiKey, leg, pass))) return refused(404)
  const url = await Effect.runPromise(downloadOf(settings, leg))
  if (url === null || !URL.canParse(url)) return refused(404)
  const range = request.headers.get("range")
  const headers: Record<string, string> = range === null ? {} : { range }
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
