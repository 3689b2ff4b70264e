import { limits } from "@carillon/core"

/** Answers that are so short are not counted: what stands before the process bounds how many connections there are. */
const briefBytes = 16 * 1024

/**
 * The memory for what a mount answers beside the API, from when it is there until the network has taken it: anybody may ask for it and read slowly, or
 * not at all. What is sent to many at once is in memory once, and counts once.
 */
export class PageRoom {
  readonly #readers = new Map<Uint8Array, number>()
  #held = 0

  /** Bytes that are held now, short ones not counted. */
  get heldBytes(): number {
    return this.#held
  }

  /** Takes room for an answer until it was sent, or says that there is none. One that is larger than all the room has it where nothing else is in it. */
  enter(bytes: Uint8Array, whenSent: (listener: () => void) => void): boolean {
    if (bytes.length <= briefBytes) return true
    const readers = this.#readers.get(bytes) ?? 0
    const more = readers === 0 ? bytes.length : 0
    if (more > 0 && this.#held > 0 && this.#held + more > limits.pagesBytes) return false
    this.#held += more
    this.#readers.set(bytes, readers + 1)
    whenSent(() => this.#leave(bytes))
    return true
  }

  #leave(bytes: Uint8Array): void {
    const left = (this.#readers.get(bytes) ?? 1) - 1
    if (left > 0) return void this.#readers.set(bytes, left)
    this.#readers.delete(bytes)
    this.#held -= bytes.length
  }
}
