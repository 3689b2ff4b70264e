import { createHash } from "node:crypto"

const charactersOfAnId = 12

const hash = (...key: ReadonlyArray<string | number>) => createHash("sha256").update(JSON.stringify(key))

/** Makes ids of each kind as LiveKit writes them: a prefix such as `RM_` and twelve characters. */
export class Guids {
  readonly #seed: string
  readonly #counts = new Map<string, number>()

  constructor(seed: string) {
    this.#seed = seed
  }

  next(prefix: string): string {
    const nth = this.#counts.get(prefix) ?? 0
    this.#counts.set(prefix, nth + 1)
    const text = hash(this.#seed, prefix, nth)
      .digest("base64")
      .replaceAll(/[^0-9A-Za-z]/g, "")
    return `${prefix}_${text.slice(0, charactersOfAnId)}`
  }
}
