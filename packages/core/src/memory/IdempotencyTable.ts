import { type HeldKey, heldKeyName } from "../engine/rules/HeldKey.ts"
import type { IdempotentRequest, KeptAnswer, KeyTaking, Standing } from "../idempotency/ports/IdempotencyStore.ts"
import { limits } from "../Limits.ts"

interface Entry {
  readonly organizationId: string
  readonly fingerprint: string
  readonly expiresAt: number
  readonly holding: number
  readonly heldUntil: number
  readonly subject: string
  readonly answer: KeptAnswer | null
}

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

  begin(request: IdempotentRequest, taking: KeyTaking): Standing {
    const name = heldKeyName(request)
    const known = this.#entries.get(name)
    const { expires_at, held_until, now, subject } = taking
    if (known !== undefined && known.expiresAt > now) {
      if (known.fingerprint !== request.fingerprint) return { _tag: "Different" }
      if (known.answer !== null) return { _tag: "Answered", answer: known.answer }
      if (known.heldUntil > now) return { _tag: "Running" }
      const holding = known.holding + 1
      this.#entries.set(name, { ...known, holding, heldUntil: held_until })
      return { _tag: "TakenOver", held: heldOf(request, known.expiresAt, holding), subject: known.subject }
    }
    this.#delete(name)
    this.#makeRoom(request.organization_id, now)
    const { fingerprint, organization_id: organizationId } = request
    const entry = { organizationId, fingerprint, expiresAt: expires_at, holding: 1, heldUntil: held_until, subject }
    this.#entries.set(name, { ...entry, answer: null })
    const own = this.#own.get(organizationId)
    if (own === undefined) this.#own.set(organizationId, new Set([name]))
    else own.add(name)
    return { _tag: "Begun", held: heldOf(request, expires_at, 1) }
  }

  isHeld(held: HeldKey): boolean {
    return this.#held(held) !== null
  }

  renew(held: HeldKey, until: number): boolean {
    return this.#change(held, { heldUntil: until })
  }

  rename(held: HeldKey, subject: string): boolean {
    return this.#change(held, { subject })
  }

  keep(held: HeldKey, answer: KeptAnswer): void {
    this.#change(held, { answer })
  }

  release(held: HeldKey, now: number): boolean {
    return this.#change(held, { heldUntil: now })
  }

  abandon(held: HeldKey): boolean {
    const entry = this.#held(held)
    if (entry === null || entry.answer !== null) return false
    this.#delete(heldKeyName(held))
    return true
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

  #held(held: HeldKey): Entry | null {
    const known = this.#entries.get(heldKeyName(held))
    return known?.expiresAt === held.expires_at && known.holding === held.holding ? known : null
  }

  #change(held: HeldKey, changes: Partial<Entry>): boolean {
    const entry = this.#held(held)
    if (entry === null) return false
    this.#entries.set(heldKeyName(held), { ...entry, ...changes })
    return true
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

const heldOf = ({ key, organization_id, route }: IdempotentRequest, expires_at: number, holding: number): HeldKey => ({
  organization_id,
  route,
  key,
  expires_at,
  holding,
})
