import { createHash } from "node:crypto"

const bytesOfADraw = 6

const hash = (seed: string, key: ReadonlyArray<string | number>) =>
  createHash("sha256").update(JSON.stringify([seed, ...key]))

/** A number from 0 up to 1, the same for the same seed and key, whatever else was drawn before. */
export const draw = (seed: string, ...key: ReadonlyArray<string | number>): number =>
  hash(seed, key).digest().readUIntBE(0, bytesOfADraw) / 256 ** bytesOfADraw

/** The nth SID of a kind: its prefix and 32 hexadecimal digits. */
export const sidOf = (seed: string, prefix: string, nth: number): string =>
  prefix + hash(seed, [prefix, nth]).digest("hex").slice(0, 32)
