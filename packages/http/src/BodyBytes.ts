import type { BodyTerms, Pace, Untaken } from "./Edge.ts"

/** Room that a body has from its first byte, at most: what a client announces is not yet sent. */
const firstBytes = 64 * 1024

/** So much of a body is taken in one turn of the event loop. */
const pieceBytes = 64 * 1024

/**
 * The bytes of a body as they come, in one piece of memory that grows: ten million pieces of a byte each take no more than ten million
 * bytes. What it takes is asked for before it is taken.
 */
export class BodyBytes {
  readonly #terms: BodyTerms
  readonly #announced: number
  #bytes = new Uint8Array()
  #length = 0
  #sinceTurn = 0

  /** `announced` is the `Content-Length`; null where there is none. */
  constructor(terms: BodyTerms, announced: number | null) {
    this.#terms = terms
    this.#announced = Math.min(announced ?? 0, firstBytes)
  }

  /** What calls back when it is the turn of the next bytes; null: they may be taken at once. */
  turnOf(chunk: Uint8Array): Pace | null {
    this.#sinceTurn += chunk.length
    if (this.#sinceTurn < pieceBytes) return null
    this.#sinceTurn = 0
    return this.#terms.pace ?? null
  }

  /** Takes the next bytes, or says why they cannot be taken. */
  push(chunk: Uint8Array): Untaken | null {
    const length = this.#length + chunk.length
    if (length > this.#terms.maxBytes) return this.#drop("oversize")
    if (length > this.#bytes.length) {
      const size = Math.min(this.#terms.maxBytes, Math.max(length, this.#announced, 2 * this.#bytes.length))
      const refused = this.#terms.take(size - this.#bytes.length)
      if (refused !== null) return this.#drop(refused)
      // What it was in before goes at once. Left to the collector, enough of it has that one look through the whole heap in one piece.
      this.#bytes = new Uint8Array(this.#bytes.buffer.transfer(size))
    }
    this.#bytes.set(chunk, this.#length)
    this.#length = length
    return null
  }

  /** All of them. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  #drop(why: Untaken): Untaken {
    letGo(this.#bytes)
    this.#bytes = new Uint8Array()
    this.#length = 0
    return why
  }
}

/** Gives the memory of a body back at once, for nobody will look at it any more: it is empty from now on. */
export const letGo = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
