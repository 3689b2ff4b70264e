import { limits } from "@carillon/core"
import { ByteRoom } from "./ByteRoom.ts"
import type { BodyTerms, Untaken } from "./Edge.ts"

/** What a request holds of the room until it is answered. */
export interface Reading extends BodyTerms {
  /** Gives everything back; from then on nothing more is to be had. */
  readonly leave: () => void
}

/** The memory for the bodies of requests of one process, from their first byte until they are answered. */
export class ReadingRoom {
  readonly #room = new ByteRoom(limits.readingBytes)

  /** Bytes that are held now. */
  get heldBytes(): number {
    return this.#room.held
  }

  /** Lets a request of an organization in, whose route takes so many bytes. */
  enter(organizationId: string, maxBytes: number): Reading {
    let own = 0
    let isOpen = true
    return {
      maxBytes,
      take: (bytes): Untaken | null => {
        if (!isOpen) return "broken"
        const refused = this.#room.take(organizationId, bytes)
        if (refused === null) own += bytes
        return refused
      },
      leave: () => {
        if (!isOpen) return
        isOpen = false
        this.#room.give(organizationId, own)
      },
    }
  }
}
