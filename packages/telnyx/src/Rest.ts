import { ask, type Answer as VendorAnswer } from "@carillon/core/carrier"
import { type Effect, Result, Schema } from "effect"
import { bounds } from "./Bounds.ts"
import type { Settings } from "./Settings.ts"

/** The first error of an answer: Telnyx's own code, and which field of the request it is about (`/to`). */
export interface VendorError {
  readonly code: string
  readonly pointer: string | null
}

export type Answer = VendorAnswer<VendorError>

const VendorErrors = Schema.fromJsonString(
  Schema.Struct({
    errors: Schema.Array(
      Schema.Struct({
        code: Schema.Union([Schema.String, Schema.Number]),
        source: Schema.optional(
          Schema.NullOr(Schema.Struct({ pointer: Schema.optional(Schema.NullOr(Schema.String)) })),
        ),
      }),
    ),
  }),
)

const errorOf = (body: string): VendorError | null => {
  const read = Schema.decodeUnknownResult(VendorErrors)(body)
  const first = Result.isSuccess(read) ? read.success.errors[0] : undefined
  return first === undefined ? null : { code: String(first.code), pointer: first.source?.pointer ?? null }
}

/** Asks Telnyx's API. The header with the credentials goes to `baseUrl` alone. */
const asked = (
  { answerMs, apiKey, baseUrl, fetch }: Settings,
  method: "GET" | "POST",
  path: string,
  body: string | null,
): Effect.Effect<Answer> => {
  const type = body === null ? {} : { "content-type": "application/json" }
  const headers = { ...type, authorization: `Bearer ${apiKey}`, accept: "application/json" }
  const asking = { fetch, answerBytes: bounds.answerBytes, answerMs, errorOf }
  return ask(asking, `${baseUrl}/v2${path}`, { method, headers, body })
}

export const get = (
  settings: Settings,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Effect.Effect<Answer> => {
  const pairs = new URLSearchParams(query)
  return asked(settings, "GET", pairs.size === 0 ? path : `${path}?${pairs}`, null)
}

export const post = (settings: Settings, path: string, body: object): Effect.Effect<Answer> =>
  asked(settings, "POST", path, JSON.stringify(body))
