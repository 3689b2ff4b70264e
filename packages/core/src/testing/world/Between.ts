import { Effect } from "effect"
import type { Interposition } from "./Interposed.ts"

/** Puts something in front of the nth use of a port from the moment it is armed. */
export class Between {
  #left = -1
  #thing: Effect.Effect<unknown> = Effect.void

  readonly interpose: Interposition = (_, effect) =>
    Effect.suspend(() => {
      if (this.#left < 0) return effect
      this.#left -= 1
      return this.#left < 0 ? Effect.andThen(this.#thing, effect) : effect
    })

  arm(nth: number, thing: Effect.Effect<unknown>): void {
    this.#left = nth
    this.#thing = thing
  }

  /** Whether there was an nth use. */
  disarm(): boolean {
    const hasCome = this.#left < 0
    this.#left = -1
    return hasCome
  }
}
