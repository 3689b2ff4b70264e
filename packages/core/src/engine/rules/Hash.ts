/**
 * A fast hash of short keys, the same on every platform. It spreads well and is not cryptographic: whoever chooses the parts
 * can construct collisions, so it decides chances and simulated ids and nothing that must resist an attacker.
 */

import { flatText } from "./FlatText.ts"

type Part = string | number

const multipliers = { a: 0x9e3779b1, b: 0x85ebca6b, c: 0xc2b2ae35, d: 0x27d4eb2f } as const

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits))

/** Every bit of the argument reaches every bit of the result, which is one of 2³² words. */
const finish = (word: number): number => {
  let mixed = word ^ (word >>> 16)
  mixed = Math.imul(mixed, 0x7feb352d)
  mixed ^= mixed >>> 15
  mixed = Math.imul(mixed, 0x846ca68b)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

const numberBits = new DataView(new ArrayBuffer(8))

/** 128 bits of state. Absorbing a word permutes the state, and different words permute it differently. */
class Sponge {
  private a = 0x243f6a88
  private b = 0x5a308d31
  private c = 0x13198a2e
  private d = 0x03707344

  absorb(word: number): void {
    const a = Math.imul(this.a ^ word, multipliers.a)
    const b = Math.imul(this.b ^ rotate(a, 15), multipliers.b)
    const c = Math.imul(this.c ^ rotate(b, 17), multipliers.c)
    const d = Math.imul(this.d ^ rotate(c, 13), multipliers.d)
    this.a = a ^ rotate(d, 11)
    this.b = b
    this.c = c
    this.d = d
  }

  /** The header tells text (odd, with its length) from a number (zero), so that no two lists of parts look alike. */
  absorbPart(part: Part): void {
    if (typeof part === "number") {
      // Adding zero turns -0 into 0.
      numberBits.setFloat64(0, part + 0, true)
      this.absorb(0)
      this.absorb(numberBits.getInt32(0, true))
      this.absorb(numberBits.getInt32(4, true))
      return
    }
    const length = part.length
    this.absorb((length << 1) | 1)
    const even = length & ~1
    for (let index = 0; index < even; index += 2) {
      this.absorb(part.charCodeAt(index) | (part.charCodeAt(index + 1) << 16))
    }
    if (even < length) this.absorb(part.charCodeAt(even))
  }

  squeeze(): number {
    this.absorb(0)
    return finish(this.a + this.c)
  }
}

const absorbed = (parts: ReadonlyArray<Part>): Sponge => {
  const sponge = new Sponge()
  for (const part of parts) sponge.absorbPart(part)
  sponge.absorb(parts.length)
  return sponge
}

/** A uint32 from the parts. The split into parts counts, and so does the difference between 1 and "1". */
export const hash32 = (...parts: ReadonlyArray<Part>): number => absorbed(parts).squeeze()

/** A number in [0, 1) with 53 random-looking bits. */
export const unit = (...parts: ReadonlyArray<Part>): number => {
  const sponge = absorbed(parts)
  return ((sponge.squeeze() >>> 5) * 2 ** 26 + (sponge.squeeze() >>> 6)) / 2 ** 53
}

/** 128 bits as 32 lowercase hexadecimal digits. */
export const hash128Hex = (...parts: ReadonlyArray<Part>): string => {
  const sponge = absorbed(parts)
  let text = ""
  for (let word = 0; word < 4; word++) text += sponge.squeeze().toString(16).padStart(8, "0")
  return text
}

/** Digits and lowercase letters without i, l, o and u, which are misread. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const charactersPerWord = 6

const characters = Array.from(alphabet, (character) => character.charCodeAt(0))

/** URL-safe text of the given length, five bits to the character; 20 characters make an identifier. */
export const hashText = (length: number, ...parts: ReadonlyArray<Part>): string => {
  const sponge = absorbed(parts)
  const codes: Array<number> = []
  let word = 0
  for (let index = 0; index < length; index++) {
    word = index % charactersPerWord === 0 ? sponge.squeeze() : word >>> 5
    codes.push(characters[word & 31] ?? 0)
  }
  return flatText(codes)
}
