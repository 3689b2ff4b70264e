/**
 * An `Idempotency-Key` as a process has it for the request that it serves. Whoever takes the key over raises `holding`, so that nothing that rests on it
 * as it was before can be written any more. `expires_at` tells the request from another under the same key.
 */
export interface HeldKey {
  readonly organization_id: string
  /** `POST /v2/calls`: a key belongs to one route. */
  readonly route: string
  readonly key: string
  readonly expires_at: number
  readonly holding: number
}

/** The key that is held, as one text: who holds it is not part of it. */
export const heldKeyName = ({ key, organization_id, route }: Omit<HeldKey, "expires_at" | "holding">): string =>
  JSON.stringify([organization_id, route, key])
