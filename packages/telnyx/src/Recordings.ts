import { noRecording, opensRecording, passOnRecording, readAs, recordingAddress } from "@carillon/core/carrier"
import { Effect, Schema } from "effect"
import { get } from "./Rest.ts"
import type { Settings } from "./Settings.ts"

const legId = /^[0-9A-Za-z-]{1,64}$/

export const isLegId = (text: string | null | undefined): text is string => legId.test(text ?? "")

/** Where the recording of a leg is fetched. Telnyx's own addresses are good for ten minutes. */
export const recordingUrl = ({ apiKey, publicUrl }: Settings, leg: string): Promise<string> =>
  recordingAddress(publicUrl, apiKey, leg)

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

/** Answers a recording as Telnyx's storage has it. The credentials are for the API, not for the storage. */
export const serveRecording = async (
  settings: Settings,
  request: Request,
  leg: string,
  pass: string,
): Promise<Response> => {
  // Whether there is such a recording is told to nobody who may not hear it.
  if (!isLegId(leg) || !(await opensRecording(settings.apiKey, leg, pass))) return noRecording(404)
  const url = await Effect.runPromise(downloadOf(settings, leg))
  return url === null || !URL.canParse(url) ? noRecording(404) : passOnRecording(settings.fetch, request, url)
}
