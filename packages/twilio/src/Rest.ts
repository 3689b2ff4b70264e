import { Effect, Result, Schema } from "effect"
import { bounds } from "./Bounds.ts"
import type { Settings } from "./Settings.ts"

/**
 * What became of a request. `NotSent`: no connection was made, so nothing was asked. `Lost`: it may have arrived. `code` is Twilio's own
 * error code where its answer has one.
 */
export type Answer =
  | {
      readonly _tag: "Answered"
      readonly status: number
      readonly code: number | null
      readonly retryAfter: string | null
      readonly body: string
    }
  | { readonly _tag: "NotSent" }
  | { readonly _tag: "Lost" }

/** A parameter with its values; a list is sent as one pair for each. */
export type Parameters = Readonly<Record<string, string | ReadonlyArray<string>>>

const encoded = (parameters: Parameters): URLSearchParams => {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of typeof value === "string" ? [value] : value) pairs.append(name, one)
  }
  return pairs
}

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

const VendorError = Schema.fromJsonString(Schema.Struct({ code: Schema.Number }))

const errorCode = (body: string): number | null => {
  const read = Schema.decodeUnknownResult(VendorError)(body)
  return Result.isSuccess(read) ? read.success.code : null
}

/** The header that carries the credentials. It goes to `baseUrl` alone. */
export const authorization = ({ accountSid, authToken }: Settings): string =>
  `Basic ${btoa(`${accountSid}:${authToken}`)}`

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
    const code = status >= 400 ? errorCode(body) : null
    return { _tag: "Answered", status, code, retryAfter: response.headers.get("retry-after"), body }
  } catch {
    return { _tag: "Lost" }
  }
}

/** Asks Twilio's API; what is interrupted is given up. It follows no redirect: the credentials go nowhere else. */
export const ask = (
  settings: Settings,
  method: "GET" | "POST",
  path: string,
  parameters: Parameters = {},
): Effect.Effect<Answer> =>
  Effect.promise((signal) => {
    const pairs = encoded(parameters)
    const query = method === "GET" && pairs.size > 0 ? `?${pairs}` : ""
    const url = `${settings.baseUrl}/2010-04-01/Accounts/${settings.accountSid}${path}${query}`
    const headers = { authorization: authorization(settings), accept: "application/json" }
    const init = { method, headers, signal, redirect: "manual" as const }
    return sent(settings, new Request(url, method === "GET" ? init : { ...init, body: pairs }))
  })

/** Reads an answer as JSON of a shape; null where it is not of it. */
export const readAs = <A>(schema: Schema.Decoder<A>, answer: Answer): A | null => {
  if (answer._tag !== "Answered" || answer.status < 200 || answer.status >= 300) return null
  const read = Schema.decodeUnknownResult(Schema.fromJsonString(schema))(answer.body)
  return Result.isSuccess(read) ? read.success : null
}
