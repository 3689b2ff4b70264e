import type { IdempotentRequest, KeptAnswer, Standing } from "../idempotency/ports/IdempotencyStore.ts"
import { limits } from "../Limits.ts"

interface Entry {
  readonly organizationId: string
  readonly fingerprint: string
  readonly expiresAt: number
  readonly answer: KeptAnswer | null
}

const keyOf = ({ key, organization_id, route }: IdempotentRequest): string => `${organization_id}\n${route}\n${key}`

/**
 * Requests by their keys, in the order in which they began, which is that in which they expire. The oldest give way when it is full, and an
 * organization's own where it has its share.
 */
export class IdempotencyTable {
  readonly #entries = new Map<string, Entry>()
  /** The keys of each organization, in the same order. */
  readonly #own = new Map<string, Set<string>>()
  readonly #capacity: number
  readonly #share: number

  constructor(capacity: number = limits.idempotencyKeys, share: number = limits.idempotencyKeysOfOrganization) {
    this.#capacity = capacity
    this.#share = share
  }

  begin(request: IdempotentRequest, now: number, expiresAt: number): Standing {
    const key = keyOf(request)
    const known = this.#entries.get(key)
    if (known !== undefined && known.expiresAt > now) {
      if (known.fingerprint !== request.fingerprint) return { _tag: "Different" }
      return known.answer === null ? { _tag: "Running" } : { _tag: "Answered", answer: known.answer }
    }
    this.#delete(key)
    this.#makeRoom(request.organization_id, now)
    const { fingerprint, organization_id } = request
    this.#entries.set(key, { organizationId: organization_id, fingerprint, expiresAt, answer: null })
    const own = this.#own.get(organization_id)
    if (own === undefined) this.#own.set(organization_id, new Set([key]))
    else own.add(key)
    return { _tag: "Begun" }
  }

  keep(request: IdempotentRequest, expiresAt: number, answer: KeptAnswer): void {
    const key = keyOf(request)
    const known = this.#entries.get(key)
    if (known?.expiresAt === expiresAt) this.#entries.set(key, { ...known, answer })
  }

  abandon(request: IdempotentRequest, expiresAt: number): void {
    const key = keyOf(request)
    const known = this.#entries.get(key)
    if (known?.expiresAt === expiresAt && known.answer === null) this.#delete(key)
  }

  /** Drops up to so many from the front that have expired; returns how many. */
  forget(now: number, limit: number): number {
    let forgotten = 0
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt > now || forgotten >= limit) break
      this.#delete(key)
      forgotten += 1
    }
    return forgotten
  }

  #delete(key: string): void {
    const known = this.#entries.get(key)
    if (known === undefined) return
    this.#entries.delete(key)
    const own = this.#own.get(known.organizationId)
    own?.delete(key)
    if (own?.size === 0) this.#own.delete(known.organizationId)
  }

  /** Drops what has expired from the front, as much more as the capacity asks for, and the organization's oldest where it has its share. */
  #makeRoom(organizationId: string, now: number): void {
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt > now && this.#entries.size < this.#capacity) break
      this.#delete(key)
    }
    const own = this.#own.get(organizationId)
    const [oldest] = own ?? []
    if (own !== undefined && oldest !== undefined && own.size >= this.#share) this.#delete(oldest)
  }
}
