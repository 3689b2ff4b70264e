import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Effect, Layer } from "effect"
import { DomainClock } from "../engine/DomainClock.ts"
import { type EngineError, Malformed, StateConflict } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { IdempotencyStore, type KeptAnswer } from "./IdempotencyStore.ts"

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

/**
 * Requests that may be sent again (decisions.md, "Request pipeline" 8). A process that dies between a request and its answer leaves
 * the key taken until it expires: what may have dialled somebody is never repeated by itself.
 */
export class Idempotency extends Context.Service<Idempotency, IdempotencyShape>()(
  "@carillon/core/idempotency/Idempotency",
) {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const clock = yield* DomainClock

      return Idempotency.of({
        run: ({ content, key, organization_id, route }, handle) =>
          Effect.uninterruptibleMask(
            Effect.fnUntraced(function* (restore) {
              if (key.length === 0 || key.length > limits.idempotencyKeyCharacters) return yield* refusals.key
              const request = { organization_id, route, key, fingerprint: bytesToHex(sha256(utf8ToBytes(content))) }
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
                  const answer = yield* Effect.onError(restore(handle), () => Effect.ignore(store.abandon(request)))
                  // What was done is done: an answer that cannot be kept is given all the same, and the key stays taken.
                  yield* Effect.ignore(store.keep(request, answer))
                  return { ...answer, replayed: false }
                }
              }
            }),
          ),
      })
    }),
  )
}
