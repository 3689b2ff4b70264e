import { Context, type Effect } from "effect"
import type { HeldKey } from "../../engine/rules/HeldKey.ts"
import type { PortError } from "../../Errors.ts"

/** What a key stands for: one request of one organization on one route. */
export interface IdempotentRequest {
  readonly organization_id: string
  /** `POST /v2/calls`: a key belongs to one route. */
  readonly route: string
  readonly key: string
  /** Digest of the request's content; another content under the same key is refused. */
  readonly fingerprint: string
}

/** How a process takes a key. */
export interface KeyTaking {
  readonly now: number
  /** When what is begun now expires, answered or not. What is taken over expires when it was begun to. */
  readonly expires_at: number
  /** Until when nobody else takes it over unless it is renewed. */
  readonly held_until: number
  /** The id of what the request makes, if it is begun now. */
  readonly subject: string
}

/** A 2xx answer as it was given. */
export interface KeptAnswer {
  readonly status: number
  /** The body, byte for byte. */
  readonly body: string
}

/**
 * What is known of a request: nothing (`Begun`, it is the caller's from now on), that whoever handled it has let its time pass (`TakenOver`: it is the
 * caller's as well, and `subject` is what may have been made), that it is being handled, that its key stands for another content, or its answer.
 */
export type Standing =
  | { readonly _tag: "Begun"; readonly held: HeldKey }
  | { readonly _tag: "TakenOver"; readonly held: HeldKey; readonly subject: string }
  | { readonly _tag: "Running" }
  | { readonly _tag: "Different" }
  | { readonly _tag: "Answered"; readonly answer: KeptAnswer }

/**
 * Requests with an `Idempotency-Key` and their answers (decisions.md, "Request pipeline" 8). Whatever expires is as if it had never been. A commit may
 * expect that a key is held (`Expectation`); what is said of a key that is not held any more changes nothing.
 */
export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /** Takes the key atomically, or tells what stands under it. */
    readonly begin: (request: IdempotentRequest, taking: KeyTaking) => Effect.Effect<Standing, PortError>
    /** Holds the key for longer. Returns whether it is held still. */
    readonly renew: (held: HeldKey, until: number) => Effect.Effect<boolean, PortError>
    /** Says how what is made is called from now on; returns whether the key is held still. */
    readonly rename: (held: HeldKey, subject: string) => Effect.Effect<boolean, PortError>
    /** Keeps the answer of the request. */
    readonly keep: (held: HeldKey, answer: KeptAnswer) => Effect.Effect<void, PortError>
    /** Lets whoever comes next take the key over, for nobody knows whether anything was made. Returns whether it was held still. */
    readonly release: (held: HeldKey, now: number) => Effect.Effect<boolean, PortError>
    /** Forgets the request, where it has no answer. Returns whether it was held still. */
    readonly abandon: (held: HeldKey) => Effect.Effect<boolean, PortError>
    /** Takes up to `limit` requests away that have expired by `now`, with their answers; returns how many. */
    readonly forget: (now: number, limit: number) => Effect.Effect<number, PortError>
  }
>()("@carillon/core/idempotency/IdempotencyStore") {}
