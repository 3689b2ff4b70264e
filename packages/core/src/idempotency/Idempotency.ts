import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Effect, Layer } from "effect"
import { DomainClock } from "../engine/DomainClock.ts"
import { type EngineError, Malformed, StateConflict } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { IdempotencyStore, type IdempotentRequest, type KeptAnswer } from "./IdempotencyStore.ts"

/** A request that carries an `Idempotency-Key`. */
export interface KeyedRequest {
  readonly organization_id: string
  readonly route: string
  readonly key: string
  /** Text that is the same for the same content, such as its digest. */
  readonly content: string
}

/** An answer, and whether it was given before. */
export interface KeyedAnswer extends KeptAnswer {
  readonly replayed: boolean
}

interface IdempotencyShape {
  /**
   * Runs a request at most once per key: repeats its answer, or refuses a key that stands for another content or whose first
   * request still runs (1201). Only answers are kept; a failure lets the key go.
   */
  readonly run: <E>(
    request: KeyedRequest,
    handle: Effect.Effect<KeptAnswer, E>,
  ) => Effect.Effect<KeyedAnswer, E | EngineError>
}

const refusals = {
  key: new Malformed({
    message: `The Idempotency-Key must have between 1 and ${limits.idempotencyKeyCharacters} characters.`,
  }),
  different: new StateConflict({ message: "This Idempotency-Key was used with another request." }),
  running: new StateConflict({
    message: "The first request with this Idempotency-Key is still running.",
    retryAfterSeconds: limits.idempotencyRetryAfterSeconds,
  }),
} as const

/** What the store has still to be told of a request that is over: its answer, or null where its key is let go. */
interface Owed {
  readonly request: IdempotentRequest
  readonly answer: KeptAnswer | null
}

const nameOf = ({ key, organization_id, route }: IdempotentRequest): string =>
  JSON.stringify([organization_id, route, key])

/**
 * Requests that may be sent again (decisions.md, "Request pipeline" 8). A process that dies between a request and its answer leaves
 * the key taken until it expires: what may have dialled somebody is never repeated by itself. What the store does not hear because it is away
 * is told it again before the next requests with a key.
 */
export class Idempotency extends Context.Service<Idempotency, IdempotencyShape>()(
  "@carillon/core/idempotency/Idempotency",
) {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const clock = yield* DomainClock
      const owed = new Map<string, Owed>()

      /** Tells the store how a request ended; what it does not hear is owed. Of too many the oldest stay taken until they expire. */
      const tell = ({ answer, request }: Owed) =>
        Effect.catch(answer === null ? store.abandon(request) : store.keep(request, answer), () =>
          Effect.sync(() => {
            const [oldest] = owed.keys()
            if (owed.size >= limits.idempotencyOwed && oldest !== undefined) owed.delete(oldest)
            owed.set(nameOf(request), { request, answer })
          }),
        )

      /** What is owed under the name of this request goes first, and some of the rest: each by one request only. */
      const settle = Effect.fnUntraced(function* (request: IdempotentRequest) {
        if (owed.size === 0) return
        const names = new Set([nameOf(request), ...owed.keys()].slice(0, limits.idempotencyOwedAtOnce))
        for (const name of names) {
          const one = owed.get(name)
          owed.delete(name)
          if (one !== undefined) yield* tell(one)
        }
      })

      return Idempotency.of({
        run: ({ content, key, organization_id, route }, handle) =>
          Effect.uninterruptibleMask(
            Effect.fnUntraced(function* (restore) {
              if (key.length === 0 || key.length > limits.idempotencyKeyCharacters) return yield* refusals.key
              const request = { organization_id, route, key, fingerprint: bytesToHex(sha256(utf8ToBytes(content))) }
              yield* settle(request)
              const now = clock.now()
              const standing = yield* store.begin(request, now, now + limits.idempotencyMs)
              switch (standing._tag) {
                case "Different":
                  return yield* refusals.different
                case "Running":
                  return yield* refusals.running
                case "Answered":
                  return { ...standing.answer, replayed: true }
                case "Begun": {
                  const answer = yield* Effect.onError(restore(handle), () => tell({ request, answer: null }))
                  // What was done is done: an answer that cannot be kept yet is given all the same.
                  yield* tell({ request, answer })
                  return { ...answer, replayed: false }
                }
              }
            }),
          ),
      })
    }),
  )
}
