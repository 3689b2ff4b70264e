import { Effect } from "effect"
import type { Activity } from "./Activity.ts"

/** One who has asked for a place. */
interface Asked {
  hasPlace: boolean
  /** Ends the wait for a place; null until somebody waits for it. */
  begin: (() => void) | null
}

/** The places of one organization. Some wait only where all are taken. */
interface Taken {
  places: number
  readonly waiting: Set<Asked>
}

/**
 * Each organization has a few places in which something is done that takes a connection or much memory for a while. Without them hundreds of its
 * requests do so at once, and none of anybody else's gets on. Who waits for a place holds nothing; places are given in the order in which they were
 * asked for.
 */
export class Places {
  readonly #organizations = new Map<string, Taken>()
  readonly #activity: Activity["Service"]
  readonly #most: number

  constructor(activity: Activity["Service"], most: number) {
    this.#activity = activity
    this.#most = most
  }

  /** How many organizations have something done. */
  get organizations(): number {
    return this.#organizations.size
  }

  /**
   * Does something in a place of an organization. It must not wait for another of these places. It does not count as open while it waits for others, who
   * may be parked.
   */
  within<A, E, R>(organizationId: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.acquireUseRelease(
      Effect.sync(() => this.#ask(organizationId)),
      (asked) => Effect.andThen(this.#placed(asked), work),
      (asked) => Effect.sync(() => this.#leave(organizationId, asked)),
    )
  }

  #takenOf(organizationId: string): Taken {
    const taken = this.#organizations.get(organizationId) ?? { places: 0, waiting: new Set() }
    this.#organizations.set(organizationId, taken)
    return taken
  }

  #ask(organizationId: string): Asked {
    const taken = this.#takenOf(organizationId)
    const asked: Asked = { hasPlace: taken.places < this.#most, begin: null }
    if (asked.hasPlace) taken.places += 1
    else {
      taken.waiting.add(asked)
      this.#activity.leave()
    }
    return asked
  }

  #placed(asked: Asked): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      // Who is given a place goes on in a turn of its own, and not within the one who leaves: hundreds may have nothing to do there.
      if (asked.hasPlace) resume(Effect.void)
      else asked.begin = () => resume(Effect.yieldNow)
    })
  }

  #leave(organizationId: string, asked: Asked): void {
    const taken = this.#takenOf(organizationId)
    if (!asked.hasPlace) {
      taken.waiting.delete(asked)
      this.#activity.enter()
      return
    }
    for (const next of taken.waiting) {
      // The place goes on to the next, so that nobody who comes now gets before it.
      taken.waiting.delete(next)
      next.hasPlace = true
      this.#activity.enter()
      next.begin?.()
      return
    }
    taken.places -= 1
    if (taken.places === 0) this.#organizations.delete(organizationId)
  }
}
