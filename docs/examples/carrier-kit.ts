import { Telephony } from "@carillon/core"
import {
  addressSetting,
  ask,
  type CallbackHandler,
  callbackHandler,
  Desk,
  dialOutcomeOf,
  kept,
  noRecording,
  openDesk,
  readAs,
  type Refusal,
  type TakesReports,
  tell,
  tellRefusal,
} from "@carillon/core/carrier"
import { Effect, Layer, Schema } from "effect"
import { reportOf, stateOf, type Vendor, VendorCall, VendorText } from "./carrier.ts"

/** The vendor's errors at a dial: the whole table. */
const refusals: Readonly<Record<string, Refusal>> = {
  no_funds: { kind: "insufficient_funds", means: "the account has no funds" },
  forbidden: { kind: "rejected", means: "the account may not call" },
  bad_number: { kind: "invalid_destination", means: "it is no number that can be called" },
}

const VendorError = Schema.fromJsonString(Schema.Struct({ error: Schema.String }))

const errorOf = (body: string): string | null => {
  const read = Schema.decodeUnknownResult(VendorError)(body)
  return read._tag === "Success" ? read.success.error : null
}

const answerBytes = 1024 * 1024
const callbackBytes = 64 * 1024

/** The vendor as a carrier, for one engine. `secret` comes with each callback. */
export const makeVendor = ({ fetch = globalThis.fetch, secret, token, url }: Vendor & { readonly secret: string }) => {
  const base = addressSetting("url", url)
  const desk = new Desk()
  const asked = (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    return ask({ fetch, answerBytes, errorOf }, `${base}${path}`, init)
  }

  const carrier = Layer.effect(
    Telephony,
    Effect.gen(function* () {
      yield* openDesk(desk)
      return Telephony.of({
        dial: Effect.fnUntraced(function* ({ execution_id, from_number, timeout_seconds, to_number }) {
          const body = { key: execution_id, to: to_number, from: from_number, ring_seconds: timeout_seconds }
          const answer = yield* asked("POST", "/calls", body)
          const sid = readAs(VendorCall, answer)?.id ?? null
          const outcome = dialOutcomeOf(answer, sid, (code) => refusals[code]?.kind ?? null)
          const code = answer._tag === "Answered" ? answer.error : null
          if (outcome._tag === "Refused") {
            yield* tellRefusal("The vendor", execution_id, answer, code, refusals[code ?? ""]?.means)
          }
          return outcome
        }),
        hangup: (executionId) =>
          Effect.map(asked("DELETE", `/calls/${executionId}`), (answer) =>
            answer._tag === "Answered" && answer.status === 409 ? "Refused" : "Sent",
          ),
        find: (executionId) =>
          Effect.map(asked("GET", `/calls/${executionId}`), (answer) => {
            const call = readAs(VendorCall, answer)
            if (call !== null) return stateOf(call)
            return { _tag: answer._tag === "Answered" && answer.status === 404 ? "Unknown" : "NoAnswer" }
          }),
      })
    }),
  )

  /** Takes what the vendor posts to `…/calls`; `report` is `carillon.report`. */
  const callbacks = (report: TakesReports): CallbackHandler =>
    callbackHandler({
      desk,
      topics: {
        calls: async (request, body) => {
          // What can be refused by its head is: anybody may send a body.
          if (request.headers.get("x-callback-secret") !== secret) return 401
          const bytes = await body(callbackBytes)
          if (typeof bytes === "number") return bytes
          const call = Schema.decodeUnknownResult(VendorText)(new TextDecoder().decode(bytes))
          return call._tag === "Failure" ? 400 : kept(desk, tell(report, reportOf(call.success)))
        },
      },
      recording: async () => noRecording(404),
    })

  return { carrier, callbacks }
}
