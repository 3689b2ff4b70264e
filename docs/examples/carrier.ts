import { type CarrierReport, InvalidField, type LegState, promiseCarrier } from "@carillon/core"
import { Schema } from "effect"

/** A call, as the vendor tells of it in answers and callbacks. `key` is what we gave it: our execution id. */
export const VendorCall = Schema.Struct({
  id: Schema.String,
  key: Schema.String,
  state: Schema.Literals(["queued", "ringing", "talking", "completed", "busy", "no-answer", "failed", "canceled"]),
  at: Schema.Number,
  seconds: Schema.Number,
})
type VendorCall = typeof VendorCall.Type
export const VendorText = Schema.fromJsonString(VendorCall)

/** What the vendor's words mean: how far a leg is, or how it ended. One row for each word, so that none is forgotten. */
const meanings = {
  queued: { phase: "initiated" },
  ringing: { phase: "ringing" },
  talking: { phase: "answered" },
  completed: { status: "completed", hangup_reason: "user_hangup" },
  busy: { status: "busy", hangup_reason: "dial_busy" },
  "no-answer": { status: "no-answer", hangup_reason: "dial_no_answer" },
  failed: { status: "failed", hangup_reason: "dial_failed" },
  canceled: { status: "stopped", hangup_reason: "user_request" },
} as const

export const stateOf = ({ id, seconds, state }: VendorCall): Extract<LegState, { _tag: "Live" | "Ended" }> => {
  const meaning = meanings[state]
  if ("phase" in meaning) return { _tag: "Live", call_sid: id, phase: meaning.phase }
  const end = { ...meaning, duration_seconds: seconds, answered_by_voicemail: null, hangup_by: null, error: null }
  return { _tag: "Ended", call_sid: id, end, facts: { recording_url: null, cost: null, media: null } }
}

export const reportOf = (call: VendorCall): CarrierReport => {
  const head = { execution_id: call.key, at: call.at, call_sid: call.id }
  const state = stateOf(call)
  return state._tag === "Live"
    ? { ...head, type: state.phase }
    : { ...head, type: "final", end: state.end, facts: state.facts }
}

/** Retry-After may be left out, or be a date. */
const secondsOf = ({ headers }: Response): number | null => {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN)
  return Number.isNaN(seconds) ? null : seconds
}

export interface Vendor {
  readonly url: string
  readonly token: string
  /** The platform's own where it is left out. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/** The carrier, as a layer among the other ports. */
export const vendorCarrier = ({ fetch = globalThis.fetch, token, url }: Vendor) => {
  /** Null: no answer came. The request may have arrived all the same. */
  const ask = (method: string, path: string, signal: AbortSignal, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const init = body === undefined ? {} : { body: JSON.stringify(body) }
    return fetch(new Request(`${url}${path}`, { method, headers, signal, ...init })).catch(() => null)
  }
  const read = async (response: Response) => Schema.decodeUnknownSync(VendorText)(await response.text())

  return promiseCarrier({
    dial: async ({ execution_id, from_number, timeout_seconds, to_number }, signal) => {
      const body = { key: execution_id, to: to_number, from: from_number, ring_seconds: timeout_seconds }
      const response = await ask("POST", "/calls", signal, body)
      switch (response?.status) {
        case 201:
          return { _tag: "Accepted", call_sid: (await read(response)).id }
        case 402:
          return { _tag: "Refused", kind: "insufficient_funds" }
        case 403:
          return { _tag: "Refused", kind: "rejected" }
        case 422:
          return { _tag: "Refused", kind: "invalid_destination" }
        case 429:
          return { _tag: "Refused", kind: "throttled", retryAfterSeconds: secondsOf(response) }
        default:
          return { _tag: "Unknown" }
      }
    },
    hangup: async (executionId, _, signal) => {
      const response = await ask("DELETE", `/calls/${executionId}`, signal)
      return response?.status === 409 ? "Refused" : "Sent"
    },
    find: async (executionId, signal) => {
      const response = await ask("GET", `/calls/${executionId}`, signal)
      if (response?.status === 404) return { _tag: "Unknown" }
      return response?.status === 200 ? stateOf(await read(response)) : { _tag: "NoAnswer" }
    },
  })
}

/** Takes the vendor's callbacks: `report` is `carillon.report`. It is answered only when the report is kept. */
export const callbacks =
  (report: (report: CarrierReport) => Promise<unknown>, secret: string) =>
  async (request: Request): Promise<Response> => {
    // Yours signs the body, perhaps: check that before anything is read of it.
    if (request.headers.get("x-callback-secret") !== secret) return new Response(null, { status: 401 })
    const call = Schema.decodeUnknownResult(VendorText)(await request.text())
    if (call._tag === "Failure") return new Response(null, { status: 400 })
    return report(reportOf(call.success)).then(
      () => new Response(null, { status: 204 }),
      // What is malformed is so for good; anything else was not kept, and comes again.
      (error: unknown) => new Response(null, { status: error instanceof InvalidField ? 400 : 503 }),
    )
  }
