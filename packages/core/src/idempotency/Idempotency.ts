import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Cause, Context, Effect, Fiber, Layer } from "effect"
import { Activity } from "../engine/Activity.ts"
import { Parking } from "../engine/Parking.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Ids } from "../engine/ports/Ids.ts"
import { Wakeups } from "../engine/ports/Wakeups.ts"
import type { HeldKey } from "../engine/rules/HeldKey.ts"
import type { IdKind } from "../engine/rules/IdKinds.ts"
import type { Wakeup } from "../engine/rules/Wakeup.ts"
import {
  DependencyTimeout,
  DependencyUnavailable,
  type EngineError,
  Malformed,
  type PortError,
  StateConflict,
} from "../Errors.ts"
import type { Keyed } from "../keys/rules/Caller.ts"
import { limits } from "../Limits.ts"
import { IdempotencyStore, type IdempotentRequest, type KeptAnswer } from "./ports/IdempotencyStore.ts"
import { type OwedEnd, OwedEnds } from "./OwedEnds.ts"
import type { Recalled } from "./rules/Recalled.ts"

/** A request that carries an `Idempotency-Key`. */
export interface KeyedRequest {
  readonly organization_id: string
  readonly route: string
  readonly key: string
  /** Text that is the same for the same content, such as its digest. */
  readonly content: string
  /** What it makes. */
  readonly makes: Extract<IdKind, "execution" | "campaign" | "batch">
}

/** How a request is handled. */
export interface KeyedHandling<E> {
  /** Makes what was asked for, once: under the id that it is given, in a commit that rests on the key (`keyHeld`). */
  readonly handle: (keyed: Keyed) => Effect.Effect<KeptAnswer, E>
  /** Looks for what a process that is gone has made under an id. */
  readonly recall: (subject: string) => Effect.Effect<Recalled<KeptAnswer>, E>
}

/** An answer, and whether it was given before. */
export interface KeyedAnswer extends KeptAnswer {
  readonly replayed: boolean
}

interface IdempotencyShape {
  /**
   * Runs a request at most once per key: repeats its answer, or refuses a key that stands for another content or whose first
   * request still runs (1201). Only answers are kept; a failure lets the key go. Where whoever had the key is gone, or it is not known what it has written,
   * its answer is what it has made; where that is nothing the request is run.
   */
  readonly run: <E>(request: KeyedRequest, handling: KeyedHandling<E>) => Effect.Effect<KeyedAnswer, E | EngineError>
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

/** What a key is refused with whose first request was cut short, while nobody can say what came of it. */
const open = (until: number, now: number): StateConflict =>
  new StateConflict({
    message: "The first request with this Idempotency-Key was cut short, and what came of it is being found out.",
    retryAfterSeconds: Math.max(limits.idempotencyRetryAfterSeconds, Math.ceil((until - now) / 1_000)),
  })

/** Whether what a request has asked for may be written, or may stand as it was written though it is refused. */
const mayStand = (error: unknown): boolean =>
  error instanceof DependencyTimeout || (error instanceof DependencyUnavailable && error.dependency === "call_storage")

/** Whether a request that failed has certainly made nothing that it does not know of. */
const isCertain = ({ reasons }: Cause.Cause<unknown>): boolean =>
  reasons.every((reason) => Cause.isFailReason(reason) && !mayStand(reason.error))

/** Holds keys for as long as their requests are handled. */
const makeHolding = Effect.gen(function* () {
  const store = yield* IdempotencyStore
  const clock = yield* DomainClock
  const parking = yield* Parking
  const activity = yield* Activity

  /**
   * Holds a key for longer, again and again. What the store does not hear it is told the next time. What waits is logged where a process is cut off: it is
   * named by what is made, never by a text of the customer's.
   */
  const renewing = Effect.fnUntraced(function* ({ held, subject }: Keyed) {
    for (let isHeld = true; isHeld;) {
      yield* parking.park(`key:${subject}`, clock.now() + limits.idempotencyRenewMs).wait
      isHeld = yield* Effect.catch(store.renew(held, clock.now() + limits.idempotencyLeaseMs), () =>
        Effect.succeed(true),
      )
    }
  })

  return <A, E>(keyed: Keyed, use: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.acquireUseRelease(
      activity.begin(Effect.interruptible(renewing(keyed))),
      () => use,
      (fiber) => Fiber.interrupt(fiber),
    )
})

/**
 * Requests that may be sent again (decisions.md, "Request pipeline" 8). A key names beforehand what its request may make, and whoever makes it holds the
 * key. A process that dies holds it for no longer than its lease: whoever takes it over finds what was made, or knows that nothing can be made under that
 * name any more. What the store does not hear because it is away
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
      const ids = yield* Ids
      const holding = yield* makeHolding
      const owed = new OwedEnds()
      let nth = 0

      const told = ({ answer, held, mayStand }: OwedEnd) => {
        if (answer !== null) return Effect.as(store.keep(held, answer), true)
        return mayStand ? store.release(held, clock.now()) : store.abandon(held)
      }

      /**
       * Tells the store how a request ended, and returns whether it held its key still. It is told again what it does not hear; an answer that it refuses
       * for good is not kept.
       */
      const tell = (end: OwedEnd) =>
        Effect.catch(told(end), ({ _tag }) =>
          Effect.sync(() => {
            if (_tag !== "InvalidField") owed.add(end)
            return true
          }),
        )

      /** What is owed under the name of this request goes first, and some of the rest. */
      const settle = (request: IdempotentRequest) =>
        owed.size === 0 ? Effect.void : Effect.forEach(owed.take(request), tell, { discard: true })

      /** Lets whoever comes next look at what was made. */
      const release = (held: HeldKey) => tell({ held, answer: null, mayStand: true })

      /** A request is over without an answer. Where somebody else has its key by now, they have the say, but a mistake is one all the same. */
      const failed = Effect.fnUntraced(function* <E>(
        held: HeldKey,
        cause: Cause.Cause<E>,
      ): Effect.fn.Return<never, E | StateConflict> {
        const wasHeld = yield* tell({ held, answer: null, mayStand: !isCertain(cause) })
        const hasSay = wasHeld || Cause.hasInterrupts(cause) || Cause.hasDies(cause)
        return yield* hasSay ? Effect.failCause(cause) : Effect.fail(refusals.running)
      })

      /** Handles a request whose key is held; what was done is done: an answer that cannot be kept yet is given all the same. */
      const handled = Effect.fnUntraced(function* <E>(keyed: Keyed, handling: Effect.Effect<KeptAnswer, E>) {
        const { held } = keyed
        const answer = yield* Effect.catchCause(holding(keyed, handling), (cause) => failed(held, cause))
        yield* tell({ held, answer, mayStand: true })
        return { ...answer, replayed: false }
      })

      /** What is answered where whoever had the key has made something, or may have. Null: nothing can be made under that name any more. */
      const recalled = Effect.fnUntraced(function* <E>(
        held: HeldKey,
        recall: Effect.Effect<Recalled<KeptAnswer>, E>,
      ): Effect.fn.Return<KeyedAnswer | null, E | EngineError> {
        const found = yield* Effect.onError(recall, () => release(held))
        switch (found._tag) {
          case "Made":
            yield* tell({ held, answer: found.made, mayStand: true })
            return { ...found.made, replayed: true }
          case "Refused":
            yield* tell({ held, answer: null, mayStand: false })
            return yield* Effect.fail(found.error)
          case "Open":
            yield* release(held)
            return yield* open(found.until, clock.now())
          case "Nothing":
            return null
        }
      })

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
        run: ({ content, key, makes, organization_id, route }, { handle, recall }) =>
          Effect.uninterruptibleMask(
            Effect.fnUntraced(function* (restore) {
              if (key.length === 0 || key.length > limits.idempotencyKeyCharacters) return yield* refusals.key
              const request = { organization_id, route, key, fingerprint: bytesToHex(sha256(utf8ToBytes(content))) }
              yield* settle(request)
              const now = clock.now()
              const expires_at = now + limits.idempotencyMs
              yield* lookFor(expires_at)
              const subject = ids.mint(makes, organization_id, route, key, nth++)
              const standing = yield* store.begin(request, {
                now,
                expires_at,
                held_until: now + limits.idempotencyLeaseMs,
                subject,
              })
              switch (standing._tag) {
                case "Different":
                  return yield* refusals.different
                case "Running":
                  return yield* refusals.running
                case "Answered":
                  return { ...standing.answer, replayed: true }
                case "TakenOver": {
                  const answer = yield* recalled(standing.held, restore(recall(standing.subject)))
                  if (answer !== null) return answer
                  const isHeld = yield* Effect.onError(store.rename(standing.held, subject), () =>
                    release(standing.held),
                  )
                  if (!isHeld) return yield* refusals.running
                  break
                }
                case "Begun":
                  break
              }
              const keyed: Keyed = { held: standing.held, subject }
              return yield* handled(keyed, restore(handle(keyed)))
            }),
          ),
      })
    }),
  )
}
