import { ask as askVendor, type Answer as VendorAnswer } from "@carillon/core/carrier"
import { type Effect, Result, Schema } from "effect"
import { bounds } from "./Bounds.ts"
import type { Settings } from "./Settings.ts"

/** What became of a request; its error is Twilio's own code. */
export type Answer = VendorAnswer<number>

/** A parameter with its values; a list is sent as one pair for each. */
export type Parameters = Readonly<Record<string, string | ReadonlyArray<string>>>

const encoded = (parameters: Parameters): URLSearchParams => {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of typeof value === "string" ? [value] : value) pairs.append(name, one)
  }
  return pairs
}

const VendorError = Schema.fromJsonString(Schema.Struct({ code: Schema.Number }))

const errorOf = (body: string): number | null => {
  const read = Schema.decodeUnknownResult(VendorError)(body)
  return Result.isSuccess(read) ? read.success.code : null
}

/** The header that carries the credentials. It goes to `baseUrl` alone. */
export const authorization = ({ accountSid, authToken }: Settings): string =>
  `Basic ${btoa(`${accountSid}:${authToken}`)}`

/** Asks Twilio's API. */
export const ask = (
  settings: Settings,
  method: "GET" | "POST",
  path: string,
  parameters: Parameters = {},
): Effect.Effect<Answer> => {
  const pairs = encoded(parameters)
  const query = method === "GET" && pairs.size > 0 ? `?${pairs}` : ""
  const url = `${settings.baseUrl}/2010-04-01/Accounts/${settings.accountSid}${path}${query}`
  const headers = { authorization: authorization(settings), accept: "application/json" }
  const asking = { fetch: settings.fetch, answerBytes: bounds.answerBytes, answerMs: settings.answerMs, errorOf }
  return askVendor(asking, url, method === "GET" ? { method, headers } : { method, headers, body: pairs })
}
