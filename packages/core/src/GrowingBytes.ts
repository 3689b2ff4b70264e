/** What bytes that come may have. */
export interface BytesTerms<Refused> {
  readonly maxBytes: number
  /** Takes so many bytes of memory more; says why where they are not to be had. */
  readonly take: (bytes: number) => Refused | null
}

/** How much of what was announced must have come before there is room for all of it. */
const shown = 1 / 8

/**
 * Bytes as they come, in one piece of memory that grows: ten million pieces of a byte each take no more than ten million bytes. What it takes is
 * asked for before it is taken. To grow is to move all that has come, in one turn of the event loop, 16 MiB in some 30 ms; so where it was announced how
 * many bytes come, no more than a quarter of them is moved at once.
 */
export class GrowingBytes<Refused> {
  readonly #terms: BytesTerms<Refused>
  readonly #firstBytes: number
  readonly #announced: number
  #bytes = new Uint8Array()
  #length = 0

  /** It has `firstBytes` of room from its first byte on, or as much as that one needs. What is announced is not yet sent: nothing is taken for it alone. */
  constructor(terms: BytesTerms<Refused>, firstBytes = 0, announced = 0) {
    this.#terms = terms
    this.#firstBytes = firstBytes
    this.#announced = announced
  }

  /** Takes the next bytes, or says why they cannot be taken; then it has let go of all of them. */
  push(chunk: Uint8Array): Refused | "oversize" | null {
    const length = this.#length + chunk.length
    if (length > this.#terms.maxBytes) return this.#drop("oversize")
    if (length > this.#bytes.length) {
      const all = length >= this.#announced * shown ? this.#announced : 0
      const size = Math.min(this.#terms.maxBytes, Math.max(length, this.#firstBytes, 2 * this.#bytes.length, all))
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
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length)
  }

  #drop<Why>(why: Why): Why {
    letGo(this.#bytes)
    this.#bytes = new Uint8Array()
    this.#length = 0
    return why
  }
}

/** Gives the memory of bytes back at once, for nobody will look at them any more: they are none from now on. */
export const letGo = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
