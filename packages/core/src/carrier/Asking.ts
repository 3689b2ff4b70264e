import { Effect, Result, Schema } from "effect"
import { limits } from "../Limits.ts"
import { CurrentOutages, type Outages } from "../operating/Outages.ts"
import { allCarriers, CarrierName } from "../telephony/ports/CarrierName.ts"
import { readBounded } from "./Bytes.ts"
import { holding } from "./HeldRequests.ts"

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

/** The answer to whoever is not known, or not any more. Another refusal (403) may be about one call alone. */
const unknownCaller = 401

/** Whether the vendor takes our credentials: servers that fail do not say. */
const heardCredentials = (outages: Outages, name: string, began: number, status: number): Effect.Effect<void> =>
  status === unknownCaller
    ? outages.failed("credentials", `${name}: status ${status}`, name)
    : outages.answered("credentials", began, name)

/** What an answer shows of the vendor: that it is not there, or the HTTP status that it gave. */
export type Sign = "no connection" | "no answer" | number

/** Tells of the vendor by what it answered: one whose servers fail is not there either. */
const heard = (outages: Outages, name: string, began: number, sign: Sign): Effect.Effect<void> => {
  if (typeof sign === "string") return outages.failed("carrier", `${name}: ${sign}`, name)
  return sign >= 500
    ? outages.failed("carrier", `${name}: status ${sign}`, name)
    : Effect.andThen(outages.answered("carrier", began, name), heardCredentials(outages, name, began, sign))
}

const signOf = (answer: Answer<unknown>): Sign => {
  if (answer._tag === "Answered") return answer.status
  return answer._tag === "NotSent" ? "no connection" : "no answer"
}

/**
 * Has it told whether the vendor is there, by each request that is made. One that is given up soon says nothing. `ask` does so by itself; this is for
 * requests that a vendor's own library makes.
 */
export const tellingOf = <A>(asked: Effect.Effect<A>, signOf: (answer: A) => Sign): Effect.Effect<A> =>
  Effect.withFiber((fiber) => {
    const outages = fiber.getRef(CurrentOutages)
    if (outages === null) return asked
    const name = fiber.getRef(CarrierName) ?? allCarriers
    outages.asks(name)
    const began = outages.now()
    return asked.pipe(
      Effect.tap((answer) => heard(outages, name, began, signOf(answer))),
      Effect.onInterrupt(() =>
        outages.now() - began < limits.carrierSilentMs
          ? Effect.void
          : outages.failed("carrier", `${name}: no answer in time`, name),
      ),
    )
  })

/** Asks a vendor, in bounded time; what is interrupted is given up. It follows no redirect: credentials go nowhere else. */
export const ask = <E>(asking: Asking<E>, url: string, init: RequestInit): Effect.Effect<Answer<E>> =>
  tellingOf(
    Effect.promise((interrupted) => {
      const late = AbortSignal.timeout(Math.min(asking.answerMs ?? answerMsMax, answerMsMax))
      const signal = AbortSignal.any([interrupted, late])
      return holding(new Request(url, { ...init, signal, redirect: "manual" }), (request) => sent(asking, request))
    }),
    signOf,
  )

/** Reads an answer as JSON of a shape; null where it is not of it. */
export const readAs = <A>(schema: Schema.Decoder<A>, answer: Answer<unknown>): A | null => {
  if (answer._tag !== "Answered" || answer.status < 200 || answer.status >= 300) return null
  const read = Schema.decodeUnknownResult(Schema.fromJsonString(schema))(answer.body)
  return Result.isSuccess(read) ? read.success : null
}
