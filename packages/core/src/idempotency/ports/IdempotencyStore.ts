import { Context, type Effect } from "effect"
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

/** A 2xx answer as it was given. */
export interface KeptAnswer {
  readonly status: number
  /** The body, byte for byte. */
  readonly body: string
}

/**
 * What is known of a request: nothing (`Begun`, it is the caller's from now on), that it is being handled, that its key stands
 * for another content, or its answer.
 */
export type Standing =
  | { readonly _tag: "Begun" }
  | { readonly _tag: "Running" }
  | { readonly _tag: "Different" }
  | { readonly _tag: "Answered"; readonly answer: KeptAnswer }

/** Requests with an `Idempotency-Key` and their answers (decisions.md, "Request pipeline" 8). Whatever expires is as if it had never been. */
export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /** Takes the key atomically, or tells what stands under it. What is begun expires at `expiresAt`, answered or not. */
    readonly begin: (request: IdempotentRequest, now: number, expiresAt: number) => Effect.Effect<Standing, PortError>
    /**
     * Keeps the answer of a request that was begun to expire at `expiresAt`. Told late, it changes nothing of one that has begun under the
     * same key since.
     */
    readonly keep: (request: IdempotentRequest, expiresAt: number, answer: KeptAnswer) => Effect.Effect<void, PortError>
    /** Forgets a request that was begun to expire at `expiresAt` and has no answer; no other that stands under the same key. */
    readonly abandon: (request: IdempotentRequest, expiresAt: number) => Effect.Effect<void, PortError>
    /** Takes up to `limit` requests away that have expired by `now`, with their answers; returns how many. */
    readonly forget: (now: number, limit: number) => Effect.Effect<number, PortError>
  }
>()("@carillon/core/idempotency/IdempotencyStore") {}
