import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

/** A digest of what a request says, taken piece by piece, so that nobody else waits for all of a large one. */
export class ContentDigest {
  readonly #hash = sha256.create()

  /** Takes the next text. Where one text ends and the next begins counts. */
  text(piece: string): void {
    this.bytes(utf8ToBytes(piece))
  }

  /** Takes the next bytes. */
  bytes(piece: Uint8Array): void {
    this.#hash.update(utf8ToBytes(`${piece.length}:`)).update(piece)
  }

  /** The digest of everything that was taken, in hexadecimal; nothing more can be taken. */
  finish(): string {
    return bytesToHex(this.#hash.digest())
  }
}
