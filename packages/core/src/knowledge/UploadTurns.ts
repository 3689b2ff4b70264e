import { Effect } from "effect"
import type { DomainClock } from "../engine/ports/DomainClock.ts"
import { LimitExceeded, type PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import type { UploadPlaces } from "./ports/UploadPlaces.ts"

const busy = new LimitExceeded({
  message: "Another upload for this organization is in progress.",
  retryAfterSeconds: limits.knowledgeRetryAfterSeconds,
})

/** The uploads of this process, each of which has the one place of its organization. */
export class UploadTurns {
  /** The organizations that have one: their places do not lapse here, however far the clock jumps. */
  readonly #uploading = new Set<string>()
  readonly #places: UploadPlaces["Service"]
  readonly #clock: DomainClock["Service"]

  constructor(places: UploadPlaces["Service"], clock: DomainClock["Service"]) {
    this.#places = places
    this.#clock = clock
  }

  /** Runs an upload while its organization's place is held under a name that is new; where another upload has it, nothing runs. */
  within<A, E>(
    organizationId: string,
    newHolder: () => string,
    upload: Effect.Effect<A, E>,
  ): Effect.Effect<A, E | LimitExceeded | PortError> {
    return Effect.suspend(() => {
      if (this.#uploading.has(organizationId)) return Effect.fail(busy)
      const holder = newHolder()
      return Effect.acquireUseRelease(
        this.#take(organizationId, holder),
        (taken): Effect.Effect<A, E | LimitExceeded> => (taken ? upload : Effect.fail(busy)),
        (taken) => {
          if (taken) this.#uploading.delete(organizationId)
          // A place that cannot be given back lapses by itself.
          return Effect.ignore(this.#places.release(organizationId, holder))
        },
      )
    })
  }

  #take(organizationId: string, holder: string): Effect.Effect<boolean, PortError> {
    const now = this.#clock.now()
    const times = { now, until: now + limits.knowledgePlaceMs }
    return Effect.map(this.#places.take(organizationId, holder, times), (taken) => {
      if (taken) this.#uploading.add(organizationId)
      return taken
    })
  }
}
