import { Effect, Result, Schema } from "effect"
import { readBounded } from "./Bytes.ts"

/**
 * What became of a request. `NotSent`: no connection was made, so nothing was asked. `Lost`: it may have arrived. `error` is the vendor's own,
 * where its answer has one.
 */
export type Answer<E> =
  | {
      readonly _tag: "Answered"
      readonly status: number
      readonly error: E | null
      readonly retryAfter: string | null
      readonly body: string
    }
  | { readonly _tag: "NotSent" }
  | { readonly _tag: "Lost" }

/** How a vendor is asked over HTTP. */
export interface Asking<E> {
  readonly fetch: (request: Request) => Promise<Response>
  /** Of an answer, what is read; a longer one counts as lost. */
  readonly answerBytes: number
  /** How long the vendor has for its whole answer, in the machine's own time; a minute where it is left out. Later it counts as lost. */
  readonly answerMs?: number
  /** The vendor's own error in the body of an answer from 400 on; null where it has none. */
  readonly errorOf: (body: string) => E | null
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

/** Whether what `fetch` throws says that no connection was made: then, and only then, a dial certainly made no leg. */
export const wasNeverSent = (error: unknown): boolean => neverConnected.has(codeOf(causeOf(error)))

const sent = async <E>({ answerBytes, errorOf, fetch }: Asking<E>, request: Request): Promise<Answer<E>> => {
  let response: Response
  try {
    response = await fetch(request)
  } catch (error) {
    return wasNeverSent(error) ? { _tag: "NotSent" } : { _tag: "Lost" }
  }
  try {
    const bytes = await readBounded(response.body, answerBytes)
    if (bytes === null) return { _tag: "Lost" }
    const body = new TextDecoder().decode(bytes)
    const { status } = response
    const error = status >= 400 ? errorOf(body) : null
    return { _tag: "Answered", status, error, retryAfter: response.headers.get("retry-after"), body }
  } catch {
    return { _tag: "Lost" }
  }
}

/** How long a vendor has for its answer where nothing shorter is said: nobody's patience is longer, so that a question always ends. */
const answerMsMax = 60_000

/** Asks a vendor, in bounded time; what is interrupted is given up. It follows no redirect: credentials go nowhere else. */
export const ask = <E>(asking: Asking<E>, url: string, init: RequestInit): Effect.Effect<Answer<E>> =>
  Effect.promise((interrupted) => {
    const late = AbortSignal.timeout(Math.min(asking.answerMs ?? answerMsMax, answerMsMax))
    const signal = AbortSignal.any([interrupted, late])
    return sent(asking, new Request(url, { ...init, signal, redirect: "manual" }))
  })

/** Reads an answer as JSON of a shape; null where it is not of it. */
export const readAs = <A>(schema: Schema.Decoder<A>, answer: Answer<unknown>): A | null => {
  if (answer._tag !== "Answered" || answer.status < 200 || answer.status >= 300) return null
  const read = Schema.decodeUnknownResult(Schema.fromJsonString(schema))(answer.body)
  return Result.isSuccess(read) ? read.success : null
}
