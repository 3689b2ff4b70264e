/** What all may hold at once, what one organization may, and what each has whatever others hold. */
export interface RoomBounds {
  readonly process: number
  readonly organization: number
  readonly assured: number
}

/** Why there is no room: `crowded`: its organization has its share. `busy`: all together have everything. */
export type NoRoom = "crowded" | "busy"

/** Memory that organizations share: each has a share of its own that is far less than the whole, and its first bytes whatever others hold. */
export class ByteRoom {
  readonly #bounds: RoomBounds
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(bounds: RoomBounds) {
    this.#bounds = bounds
  }

  /** What is held now. */
  get held(): number {
    return this.#total
  }

  /** Takes so much more for an organization, or says why not. */
  take(organizationId: string, more: number): NoRoom | null {
    const { assured, organization, process } = this.#bounds
    const held = (this.#held.get(organizationId) ?? 0) + more
    if (held > organization) return "crowded"
    if (held > assured && this.#total + more > process) return "busy"
    this.#total += more
    this.#held.set(organizationId, held)
    return null
  }

  /** Gives back what was taken. */
  give(organizationId: string, taken: number): void {
    this.#total -= taken
    const left = (this.#held.get(organizationId) ?? 0) - taken
    if (left > 0) this.#held.set(organizationId, left)
    else this.#held.delete(organizationId)
  }
}
