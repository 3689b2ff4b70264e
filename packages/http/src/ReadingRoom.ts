import { limits } from "@carillon/core"
import type { BodyTerms, Untaken } from "./Edge.ts"

/** What a request holds of the room until it is answered. */
export interface Reading extends BodyTerms {
  /** Gives everything back; from then on nothing more is to be had. */
  readonly leave: () => void
}

/**
 * The memory for the bodies of requests of one process, from their first byte until they are answered. All organizations share it, and
 * each has a share of its own that is far less than the whole. Whatever others send, an organization has its first mebibyte.
 */
export class ReadingRoom {
  readonly #held = new Map<string, number>()
  #total = 0

  /** Bytes that are held now. */
  get heldBytes(): number {
    return this.#total
  }

  /** Lets a request of an organization in, whose route takes so many bytes. */
  enter(organizationId: string, maxBytes: number): Reading {
    let own = 0
    let isOpen = true
    return {
      maxBytes,
      take: (bytes): Untaken | null => {
        if (!isOpen) return "broken"
        const held = (this.#held.get(organizationId) ?? 0) + bytes
        if (held > limits.readingBytes.organization) return "crowded"
        if (held > limits.readingBytes.assured && this.#total + bytes > limits.readingBytes.process) return "busy"
        own += bytes
        this.#total += bytes
        this.#held.set(organizationId, held)
        return null
      },
      leave: () => {
        if (!isOpen) return
        isOpen = false
        this.#total -= own
        const left = (this.#held.get(organizationId) ?? 0) - own
        if (left > 0) this.#held.set(organizationId, left)
        else this.#held.delete(organizationId)
      },
    }
  }
}
