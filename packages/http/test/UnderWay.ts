import { TestWorld } from "@carillon/core/testing"
import { Effect } from "effect"

/** How many uses of a store were under way at once, and how many there were. Each takes a turn of the event loop. */
export class UnderWay {
  reads = 0
  most = 0
  #now = 0

  /** What a world is made with so that those uses are counted whose operation, such as `usage.parts`, is meant. */
  readonly counting =
    (isMeant: (operation: string) => boolean): TestWorld.Interposition =>
    (operation, effect) =>
      isMeant(operation)
        ? Effect.andThen(this.#begin, Effect.ensuring(Effect.andThen(turn, effect), this.#end))
        : effect

  readonly #begin = Effect.sync(() => {
    this.reads += 1
    this.#now += 1
    this.most = Math.max(this.most, this.#now)
  })

  readonly #end = Effect.sync(() => {
    this.#now -= 1
  })
}

const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
