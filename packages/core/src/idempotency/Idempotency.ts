import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Effect, Layer } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Wakeups } from "../engine/ports/Wakeups.ts"
import type { Wakeup } from "../engine/rules/Wakeup.ts"
import { type EngineError, Malformed, type PortError, StateConflict } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { IdempotencyStore, type IdempotentRequest, type KeptAnswer } from "./ports/IdempotencyStore.ts"
import { type OwedEnd, OwedEnds } from "./OwedEnds.ts"

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
  /** Takes away all that has expired, a page at a time. */
  readonly sweep: Effect.Effect<void, PortError>
}

const hourMs = 3_600_000

/**
 * When to look for what expires then: at the end of its hour, so that there is one wake-up for all of it. It stands among the days of the delivery
 * ledger: whoever takes one of those looks for both.
 */
export const expiredKeysWakeup = (expiresAt: number): Wakeup => {
  const at = Math.ceil(expiresAt / hourMs) * hourMs
  return { kind: "ledger", subject: String(at), at }
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
 * the key taken until it expires: what may have dialled somebody is never repeated by itself. What the store does not hear because it is away
 * is told it again before the next requests with a key. Who takes a key sees to it that it is looked for once it has expired, whether anybody takes
 * another or not.
 */
export class Idempotency extends Context.Service<Idempotency, IdempotencyShape>()(
  "@carillon/core/idempotency/Idempotency",
) {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const wakeups = yield* Wakeups
      const clock = yield* DomainClock
      const owed = new OwedEnds()

      /** Tells the store how a request ended. It is told again what it does not hear; an answer that it refuses for good is not kept. */
      const tell = (end: OwedEnd) =>
        Effect.catch(
          end.answer === null
            ? store.abandon(end.request, end.expiresAt)
            : store.keep(end.request, end.expiresAt, end.answer),
          ({ _tag }) => Effect.sync(() => void (_tag === "InvalidField" || owed.add(end))),
        )

      /** What is owed under the name of this request goes first, and some of the rest. */
      const settle = (request: IdempotentRequest) =>
        owed.size === 0 ? Effect.void : Effect.forEach(owed.take(request), tell, { discard: true })

      /** Up to when what expires will be looked for, as far as this process has seen to it. */
      let lookedFor = 0

      /** Before a key is taken: who dies in between has one look too many. */
      const lookFor = (expiresAt: number) => {
        const wakeup = expiredKeysWakeup(expiresAt)
        if (wakeup.at === lookedFor) return Effect.void
        const seenTo = Effect.map(wakeups.set(wakeup), () => {
          lookedFor = wakeup.at
        })
        // Nothing of the request hangs on it: the next key tries again.
        return Effect.ignore(seenTo)
      }

      const sweep: IdempotencyShape["sweep"] = Effect.suspend(() =>
        store.forget(clock.now(), limits.idempotencySweepKeys),
      ).pipe(Effect.repeat({ until: (forgotten) => forgotten < limits.idempotencySweepKeys }), Effect.asVoid)

      return Idempotency.of({
        sweep,
        run: ({ content, key, organization_id, route }, handle) =>
          Effect.uninterruptibleMask(
            Effect.fnUntraced(function* (restore) {
              if (key.length === 0 || key.length > limits.idempotencyKeyCharacters) return yield* refusals.key
              const request = { organization_id, route, key, fingerprint: bytesToHex(sha256(utf8ToBytes(content))) }
              yield* settle(request)
              const now = clock.now()
              const expiresAt = now + limits.idempotencyMs
              yield* lookFor(expiresAt)
              const standing = yield* store.begin(request, now, expiresAt)
              switch (standing._tag) {
                case "Different":
                  return yield* refusals.different
                case "Running":
                  return yield* refusals.running
                case "Answered":
                  return { ...standing.answer, replayed: true }
                case "Begun": {
                  const answer = yield* Effect.onError(restore(handle), () =>
                    tell({ request, expiresAt, answer: null }),
                  )
                  // What was done is done: an answer that cannot be kept yet is given all the same.
                  yield* tell({ request, expiresAt, answer })
                  return { ...answer, replayed: false }
                }
              }
            }),
          ),
      })
    }),
  )
}
