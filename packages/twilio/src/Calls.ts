import { readAs } from "@carillon/core/carrier"
import { Effect, Schema } from "effect"
import { bounds } from "./Bounds.ts"
import { VendorCall } from "./CallWords.ts"
import { type Answer, ask } from "./Rest.ts"
import type { Settings } from "./Settings.ts"

/** Whether a leg's id is one of Twilio's: its document has this pattern. */
export const isOwnSid = (callSid: string): boolean => /^CA[0-9a-fA-F]{32}$/.test(callSid)

const callPath = (sid: string): string => `/Calls/${encodeURIComponent(sid)}`

/** One call. `Gone`: Twilio has none of that SID. `Silent`: nobody knows; `isAway`: nor will anybody soon. */
export type Fetched =
  | { readonly _tag: "Found"; readonly call: VendorCall }
  | { readonly _tag: "Gone" }
  | { readonly _tag: "Silent"; readonly isAway: boolean }

/** Whether asking once more in a moment is in vain: nobody answers, the servers fail, or the credentials are refused. */
const isAway = (answer: Answer): boolean =>
  answer._tag !== "Answered" || answer.status >= 500 || answer.status === 401 || answer.status === 403

const fetchedOf = (answer: Answer): Fetched => {
  const call = readAs(VendorCall, answer)
  if (call !== null) return { _tag: "Found", call }
  return answer._tag === "Answered" && answer.status === 404
    ? { _tag: "Gone" }
    : { _tag: "Silent", isAway: isAway(answer) }
}

export const fetchCall = (settings: Settings, sid: string): Effect.Effect<Fetched> =>
  Effect.map(ask(settings, "GET", `${callPath(sid)}.json`), fetchedOf)

/** Asks Twilio to end a call: `canceled` before it is answered, `completed` after that. There are no other words. */
export const endCall = (settings: Settings, sid: string, status: "canceled" | "completed"): Effect.Effect<Answer> =>
  ask(settings, "POST", `${callPath(sid)}.json`, { Status: status })

const CallPage = Schema.Struct({
  calls: Schema.Array(VendorCall),
  next_page_uri: Schema.optional(Schema.NullOr(Schema.String)),
})

/** Calls to one number. `TooMany`: more than one page of them. `Silent`: Twilio did not say. */
export type Listed =
  | { readonly _tag: "Calls"; readonly calls: ReadonlyArray<VendorCall> }
  | { readonly _tag: "TooMany" }
  | { readonly _tag: "Silent" }

/** Calls to one number since the day on which it was dialled. */
export const callsTo = Effect.fnUntraced(function* (
  settings: Settings,
  to_number: string,
  since: number,
): Effect.fn.Return<Listed> {
  const day = new Date(since - bounds.clockSkewMs).toISOString().slice(0, 10)
  const PageSize = "100"
  // A call that still waits in Twilio's queue has no start time, so the first list may leave it out.
  const lists = [
    { To: to_number, "StartTime>": day, PageSize },
    { To: to_number, Status: "queued", PageSize },
  ]
  const found = new Map<string, VendorCall>()
  for (const list of lists) {
    const page = readAs(CallPage, yield* ask(settings, "GET", "/Calls.json", list))
    if (page === null) return { _tag: "Silent" }
    if ((page.next_page_uri ?? null) !== null) return { _tag: "TooMany" }
    for (const call of page.calls) found.set(call.sid, call)
  }
  return { _tag: "Calls", calls: [...found.values()] }
})

const Text = Schema.optional(Schema.NullOr(Schema.String))

const Requests = Schema.Struct({
  events: Schema.Array(
    Schema.Struct({
      request: Schema.optional(
        Schema.NullOr(
          Schema.Struct({
            url: Text,
            parameters: Schema.optional(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))),
          }),
        ),
      ),
    }),
  ),
})

/** The addresses that Twilio's record of a call's requests names, its creation among them; null where it cannot be read. */
export const addressesOf = (settings: Settings, sid: string): Effect.Effect<ReadonlySet<string> | null> =>
  Effect.map(ask(settings, "GET", `${callPath(sid)}/Events.json`, { PageSize: "100" }), (answer) => {
    const record = readAs(Requests, answer)
    if (record === null) return null
    const addresses = new Set<string>()
    for (const { request } of record.events) {
      for (const named of [request?.url, request?.parameters?.["status_callback"]]) {
        if (typeof named === "string") addresses.add(named.split("#", 1)[0] ?? named)
      }
    }
    return addresses
  })

const Recordings = Schema.Struct({
  recordings: Schema.Array(
    Schema.Struct({ sid: Schema.String, status: Schema.optional(Schema.NullOr(Schema.String)) }),
  ),
})

/** The SID of a call's recording once it is whole. */
export const recordingOf = (settings: Settings, sid: string): Effect.Effect<string | null> =>
  Effect.map(ask(settings, "GET", `${callPath(sid)}/Recordings.json`, { PageSize: "20" }), (answer) => {
    const whole = readAs(Recordings, answer)?.recordings.find(({ status }) => status === "completed")
    return whole?.sid ?? null
  })
