import type { IdempotentRequest, KeptAnswer, Standing } from "../idempotency/IdempotencyStore.ts"
import { limits } from "../Limits.ts"

interface Entry {
  readonly fingerprint: string
  readonly expiresAt: number
  readonly answer: KeptAnswer | null
}

const keyOf = ({ key, organization_id, route }: IdempotentRequest): string => `${organization_id}\n${route}\n${key}`

/** Requests by their keys, in the order in which they began, which is that in which they expire. The oldest give way when it is full. */
export class IdempotencyTable {
  readonly #entries = new Map<string, Entry>()
  readonly #capacity: number

  constructor(capacity: number = limits.idempotencyKeys) {
    this.#capacity = capacity
  }

  begin(request: IdempotentRequest, now: number, expiresAt: number): Standing {
    const key = keyOf(request)
    const known = this.#entries.get(key)
    if (known !== undefined && known.expiresAt > now) {
      if (known.fingerprint !== request.fingerprint) return { _tag: "Different" }
      return known.answer === null ? { _tag: "Running" } : { _tag: "Answered", answer: known.answer }
    }
    this.#entries.delete(key)
    this.#makeRoom(now)
    this.#entries.set(key, { fingerprint: request.fingerprint, expiresAt, answer: null })
    return { _tag: "Begun" }
  }

  keep(request: IdempotentRequest, answer: KeptAnswer): void {
    const key = keyOf(request)
    const known = this.#entries.get(key)
    if (known !== undefined) this.#entries.set(key, { ...known, answer })
  }

  abandon(request: IdempotentRequest): void {
    this.#entries.delete(keyOf(request))
  }

  /** Drops what has expired from the front, and as much more as the capacity asks for. */
  #makeRoom(now: number): void {
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt > now && this.#entries.size < this.#capacity) return
      this.#entries.delete(key)
    }
  }
}
