import { limits } from "../Limits.ts"
import { type HeldKey, heldKeyName } from "../engine/rules/HeldKey.ts"
import type { KeptAnswer } from "./ports/IdempotencyStore.ts"

/** What a store has still to be told of a request that is over: its answer, or null where its key is let go. */
export interface OwedEnd {
  readonly held: HeldKey
  readonly answer: KeptAnswer | null
  /** Whether something may have been made all the same: then the key is released, so that whoever comes next looks for it. */
  readonly mayStand: boolean
}

/**
 * The ends of requests that a store has not heard of, oldest first. They are bounded by number and by the length of their answers: an organization
 * that has its share loses its own oldest, and of too many the oldest go. What is lost is found by whoever takes the key over.
 */
export class OwedEnds {
  readonly #ends = new Map<string, OwedEnd>()
  #characters = 0

  get size(): number {
    return this.#ends.size
  }

  add(end: OwedEnd): void {
    const length = end.answer?.body.length ?? 0
    if (length > limits.idempotencyOwedCharacters) return
    const name = heldKeyName(end.held)
    this.#remove(name)
    const own = [...this.#ends].filter(([, { held }]) => held.organization_id === end.held.organization_id)
    if (own.length >= limits.idempotencyOwedOfOrganization) this.#remove(own[0]?.[0])
    while (this.size >= limits.idempotencyOwed || this.#characters + length > limits.idempotencyOwedCharacters)
      this.#remove(this.#ends.keys().next().value)
    this.#ends.set(name, end)
    this.#characters += length
  }

  /** Takes out what is owed under the name of a request, and the oldest of the rest. Nobody else tells them meanwhile. */
  take(request: Omit<HeldKey, "expires_at" | "holding">): ReadonlyArray<OwedEnd> {
    const names = new Set([heldKeyName(request), ...[...this.#ends.keys()].slice(0, limits.idempotencyOwedAtOnce)])
    return [...names].flatMap((name) => this.#remove(name) ?? [])
  }

  #remove(name: string | undefined): OwedEnd | undefined {
    const end = name === undefined ? undefined : this.#ends.get(name)
    if (name === undefined || end === undefined) return undefined
    this.#ends.delete(name)
    this.#characters -= end.answer?.body.length ?? 0
    return end
  }
}
