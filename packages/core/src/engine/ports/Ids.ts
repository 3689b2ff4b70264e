import { randomBytes } from "@noble/hashes/utils.js"
import { Context, Layer } from "effect"
import { flatText } from "../rules/FlatText.ts"
import { hashText } from "../rules/Hash.ts"
import { idPrefixes, type Mint } from "../rules/IdKinds.ts"

const characters = Array.from("0123456789abcdefghijklmnopqrstuvwxyz", (character) => character.charCodeAt(0))
const idLength = 22

/** Bytes that are drawn at once: a draw from the platform's source costs far more than the few bytes of one id. */
const poolBytes = 4096
let pool = new Uint8Array()
let drawn = 0

const randomByte = (): number => {
  if (drawn === pool.length) {
    pool = randomBytes(poolBytes)
    drawn = 0
  }
  return pool[drawn++] ?? 0
}

const randomText = (): string => {
  const codes: Array<number> = []
  while (codes.length < idLength) {
    const byte = randomByte()
    // 252 is the largest multiple of 36 in a byte: above it the draw would be biased.
    if (byte < 252) codes.push(characters[byte % 36] ?? 0)
  }
  return flatText(codes)
}

/**
 * Mints identifiers. The derivation names what the id belongs to (organization, agent, number, nth …): the simulator makes
 * the id from it, so that one more draw elsewhere shifts nothing; production ignores it.
 */
export class Ids extends Context.Service<Ids, { readonly mint: Mint }>()("@carillon/core/engine/Ids") {
  /** Unpredictable ids from the platform's cryptographic source. */
  static readonly layer = Layer.succeed(Ids, { mint: (kind) => idPrefixes[kind] + randomText() })

  /**
   * Ids that are a function of the seed and the derivation alone. What an engine counts (its commits, its direct dials) begins anew with
   * the next engine, so each that runs on the same rows needs a seed of its own.
   */
  static readonly layerSeeded = (seed: string | number) =>
    Layer.succeed(Ids, {
      mint: (kind, ...derivation) => idPrefixes[kind] + hashText(idLength, seed, kind, ...derivation),
    })
}
