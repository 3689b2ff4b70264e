import { Effect } from "effect"
import type { Activity } from "../engine/Activity.ts"
import { Places } from "../engine/Places.ts"
import { LimitExceeded } from "../Errors.ts"
import { limits } from "../Limits.ts"

const tooMany = new LimitExceeded({
  message: `${limits.knowledgeQueries.open} questions to knowledge bases of this organization are in progress.`,
  retryAfterSeconds: limits.knowledgeRetryAfterSeconds,
})

/** Questions to knowledge bases: a few of an organization are asked at once, and so many may be open, those that wait included. */
export class Questions {
  readonly #places: Places
  /** How many are open, of each organization that has any. */
  readonly #open = new Map<string, number>()

  constructor(activity: Activity["Service"]) {
    this.#places = new Places(activity, limits.knowledgeQueries.atOnce)
  }

  /** Asks in a place of its organization, unless too many are open. */
  ask<A, E>(organizationId: string, question: Effect.Effect<A, E>): Effect.Effect<A, E | LimitExceeded> {
    return Effect.suspend((): Effect.Effect<A, E | LimitExceeded> => {
      const open = this.#open.get(organizationId) ?? 0
      if (open >= limits.knowledgeQueries.open) return Effect.fail(tooMany)
      this.#open.set(organizationId, open + 1)
      return Effect.ensuring(
        this.#places.within(organizationId, question),
        Effect.sync(() => this.#close(organizationId)),
      )
    })
  }

  #close(organizationId: string): void {
    const left = (this.#open.get(organizationId) ?? 1) - 1
    if (left === 0) this.#open.delete(organizationId)
    else this.#open.set(organizationId, left)
  }
}
