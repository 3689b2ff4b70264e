import { addJson } from "./JsonParts.ts"

/** A long body as bytes, in pieces that are none of them large. */
export interface AnswerPieces {
  readonly bytes: ReadonlyArray<Uint8Array>
  /** Characters of its text. */
  readonly characters: number
}

/** What an answer was written as: one text where it is short. */
export type Written = { readonly text: string } | { readonly pieces: AnswerPieces }

/** An answer that is so short is one text. */
const briefCharacters = 16 * 1024
const pieceBytes = 64 * 1024

const encoder = new TextEncoder()

/** Writes an answer part by part. A long one is bytes from then on, and its text is nowhere whole. */
export class AnswerWriter {
  readonly #bytes: Array<Uint8Array> = []
  #open: Uint8Array | null = null
  #used = 0
  /** Parts that are no bytes yet. */
  #parts: Array<string> = []
  #waiting = 0
  #characters = 0

  /** Characters that were written so far. */
  get characters(): number {
    return this.#characters
  }

  readonly add = (part: string): void => {
    this.#parts.push(part)
    this.#waiting += part.length
    this.#characters += part.length
    if (this.#waiting > briefCharacters) this.#encode()
  }

  /** Adds a value as JSON. */
  json(value: unknown): void {
    addJson(value, this.add)
  }

  finish(): Written {
    if (this.#bytes.length === 0 && this.#open === null) return { text: this.#parts.join("") }
    this.#encode()
    // The last piece may be a small part of its room.
    if (this.#open !== null) this.#bytes.push(this.#open.slice(0, this.#used))
    return { pieces: { bytes: this.#bytes, characters: this.#characters } }
  }

  #encode(): void {
    const text = this.#parts.join("")
    this.#parts = []
    this.#waiting = 0
    for (let from = 0; from < text.length;) {
      this.#open ??= new Uint8Array(pieceBytes)
      const { read, written } = encoder.encodeInto(text.slice(from), this.#open.subarray(this.#used))
      from += read
      this.#used += written
      if (from < text.length) this.#close(this.#open)
    }
  }

  #close(full: Uint8Array): void {
    this.#bytes.push(full.subarray(0, this.#used))
    this.#open = null
    this.#used = 0
  }
}

/** A value as the JSON of an answer. */
export const writtenJson = (value: object): Written => {
  const writer = new AnswerWriter()
  writer.json(value)
  return writer.finish()
}

/** How many bytes there are. */
export const countOf = ({ bytes }: AnswerPieces): number => bytes.reduce((sum, { length }) => sum + length, 0)

/** All pieces in one place. */
export const wholeOf = (pieces: AnswerPieces): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(countOf(pieces))
  let at = 0
  for (const piece of pieces.bytes) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

// A text may begin with what looks like a mark of byte order.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** The text of what was written. */
export const textOf = (written: Written): string =>
  "text" in written ? written.text : decoder.decode(wholeOf(written.pieces))
