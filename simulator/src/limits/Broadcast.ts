import type { SlotNews, SlotStore } from "@carillon/core/ports"
import { Effect } from "effect"

type Listener = (executionIds: ReadonlyArray<string>) => void

/** Tells every process of a world of the lines that were granted, as Redis does by its channel. */
export class Broadcast {
  readonly #listeners = new Set<Listener>()

  readonly subscribe: (typeof SlotNews)["Service"]["subscribe"] = (listener) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The store, with what it grants told to everybody. */
  over(slots: SlotStore["Service"]): SlotStore["Service"] {
    const told = <E>(granting: Effect.Effect<ReadonlyArray<string>, E>) =>
      Effect.tap(granting, (granted) =>
        Effect.sync(() => {
          if (granted.length > 0) for (const listener of this.#listeners) listener(granted)
        }),
      )
    return {
      ...slots,
      release: (...args) => told(slots.release(...args)),
      want: (...args) => told(slots.want(...args)),
      lapse: (...args) => told(slots.lapse(...args)),
    }
  }
}
