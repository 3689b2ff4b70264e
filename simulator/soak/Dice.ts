import { Hash } from "@carillon/core/domain"

/** Draws of one world of the soak: a function of its seed and of how many there were. */
export class Dice {
  readonly #seed: number
  #draws = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  /** In [0, 1). */
  draw(): number {
    return Hash.unit("soak", this.#seed, this.#draws++)
  }

  /** A whole number from 0 to `most`. */
  upTo(most: number): number {
    return Math.floor(this.draw() * (most + 1))
  }

  happens(chance: number): boolean {
    return this.draw() < chance
  }

  /** One of them; undefined where there are none. */
  anyOf<A>(items: ReadonlyArray<A>): A | undefined {
    return items[Math.floor(this.draw() * items.length)]
  }

  oneOf<A>(items: readonly [A, ...ReadonlyArray<A>]): A {
    return this.anyOf(items) ?? items[0]
  }
}
