import { GrowingBytes } from "@carillon/core/ports"
import type { BodyTerms, Pace, Untaken } from "./Edge.ts"

/** Room that a body has from its first byte, at most: what a client announces is not yet sent. */
const firstBytes = 64 * 1024

/** So much of a body is taken in one turn of the event loop. */
const pieceBytes = 64 * 1024

/** The bytes of a body as they come, each piece in its turn. */
export class BodyBytes {
  readonly #terms: BodyTerms
  readonly #bytes: GrowingBytes<Untaken>
  #sinceTurn = 0

  /** `announced` is the `Content-Length`; null where there is none. */
  constructor(terms: BodyTerms, announced: number | null) {
    this.#terms = terms
    this.#bytes = new GrowingBytes(terms, Math.min(announced ?? 0, firstBytes), announced ?? 0)
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
    return this.#bytes.push(chunk)
  }

  /** All of them. */
  finish(): Uint8Array {
    return this.#bytes.finish()
  }
}
