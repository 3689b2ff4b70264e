import { Effect, Result, Schema } from "effect"
import { bounds } from "./Bounds.ts"
import type { Settings } from "./Settings.ts"

/** The first error of an answer: Telnyx's own code, and which field of the request it is about (`/to`). */
export interface VendorError {
  readonly code: string
  readonly pointer: string | null
}

/**
 * What became of a request. `NotSent`: no connection was made, so nothing was asked. `Lost`: it may have arrived. `error` is Telnyx's where
 * its answer has one.
 */
export type Answer =
  | {
      readonly _tag: "Answered"
      readonly status: number
      readonly error: VendorError | null
      readonly retryAfter: string | null
      readonly body: string
    }
  | { readonly _tag: "NotSent" }
  | { readonly _tag: "Lost" }

/** Faults of a connection that was never made. Any other one may have carried the request. */
const neverConnected: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
])

const causeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "cause" in error ? error.cause : null

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : null

/** Reads a body, and no more of it than that; null where it is longer. */
export const readBounded = async (
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer> | null> => {
  const pieces: Array<Uint8Array> = []
  let length = 0
  if (body !== null) {
    for await (const piece of body) {
      length += piece.length
      // Leaving the loop cancels the stream.
      if (length > bytesMax) return null
      pieces.push(piece)
    }
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

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

/** The header that carries the credentials. It goes to `baseUrl` alone. */
const authorization = ({ apiKey }: Settings): string => `Bearer ${apiKey}`

const sent = async (settings: Settings, request: Request): Promise<Answer> => {
  let response: Response
  try {
    response = await settings.fetch(request)
  } catch (error) {
    return neverConnected.has(codeOf(causeOf(error))) ? { _tag: "NotSent" } : { _tag: "Lost" }
  }
  try {
    const bytes = await readBounded(response.body, bounds.answerBytes)
    if (bytes === null) return { _tag: "Lost" }
    const body = new TextDecoder().decode(bytes)
    const { status } = response
    const error = status >= 400 ? errorOf(body) : null
    return { _tag: "Answered", status, error, retryAfter: response.headers.get("retry-after"), body }
  } catch {
    return { _tag: "Lost" }
  }
}

/** Asks Telnyx's API; what is interrupted is given up. It follows no redirect: the credentials go nowhere else. */
const asked = (settings: Settings, method: "GET" | "POST", path: string, body: string | null): Effect.Effect<Answer> =>
  Effect.promise((signal) => {
    const type = body === null ? {} : { "content-type": "application/json" }
    const headers = { ...type, authorization: authorization(settings), accept: "application/json" }
    const init = { method, headers, body, signal, redirect: "manual" as const }
    return sent(settings, new Request(`${settings.baseUrl}/v2${path}`, init))
  })

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

/** Reads an answer as JSON of a shape; null where it is not of it. */
export const readAs = <A>(schema: Schema.Decoder<A>, answer: Answer): A | null => {
  if (answer._tag !== "Answered" || answer.status < 200 || answer.status >= 300) return null
  const read = Schema.decodeUnknownResult(Schema.fromJsonString(schema))(answer.body)
  return Result.isSuccess(read) ? read.success : null
}
