import { type Activity, type Caller, limits } from "@carillon/core"
import { Effect } from "effect"
import { type Refusal, refusal } from "./Refusal.ts"

/** Nobody reads it. */
const gone = refusal(1501, "The request was given up before its page was made.")

/** A page that was asked for. */
interface Asked {
  hasPlace: boolean
  /** Ends the wait for a place; null until somebody waits for it. */
  begin: (() => void) | null
}

/** The pages of one organization. Some wait only where as many are made as may be. */
interface Pages {
  making: number
  readonly waiting: Set<Asked>
}

/**
 * The places in which an organization's pages are made, from before their rows are read until they are written. Without them hundreds of pages
 * that are asked for at once are all half made at the same time: each holds its rows and what is written of it, and none comes to its end. Who
 * waits for a place holds nothing; places are given in the order in which they were asked for.
 */
export class PagePlaces {
  readonly #organizations = new Map<string, Pages>()
  readonly #activity: Activity["Service"]

  constructor(activity: Activity["Service"]) {
    this.#activity = activity
  }

  /** For how many organizations a page is made. */
  get organizations(): number {
    return this.#organizations.size
  }

  /**
   * Makes a page in a place of its organization, unless nobody waits for it by then. It must not wait for another page. It does not count as open
   * while it waits for others, who may be parked.
   */
  within<A, E>(
    { organization_id, whenGone }: Pick<Caller, "organization_id" | "whenGone">,
    page: Effect.Effect<A, E>,
  ): Effect.Effect<A, E | Refusal> {
    return Effect.suspend(() => {
      let isGone = false
      const stay = whenGone?.(() => {
        isGone = true
      })
      const wanted = Effect.suspend((): Effect.Effect<A, E | Refusal> => (isGone ? Effect.fail(gone) : page))
      return Effect.acquireUseRelease(
        Effect.sync(() => this.#ask(organization_id)),
        (asked) => Effect.andThen(this.#placed(asked), wanted),
        (asked) =>
          Effect.sync(() => {
            stay?.()
            this.#leave(organization_id, asked)
          }),
      )
    })
  }

  #pagesOf(organizationId: string): Pages {
    const pages = this.#organizations.get(organizationId) ?? { making: 0, waiting: new Set() }
    this.#organizations.set(organizationId, pages)
    return pages
  }

  #ask(organizationId: string): Asked {
    const pages = this.#pagesOf(organizationId)
    const asked: Asked = { hasPlace: pages.making < limits.pagesAtOnce, begin: null }
    if (asked.hasPlace) pages.making += 1
    else {
      pages.waiting.add(asked)
      this.#activity.leave()
    }
    return asked
  }

  #placed(asked: Asked): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      if (asked.hasPlace) resume(Effect.void)
      else asked.begin = () => resume(Effect.void)
    })
  }

  #leave(organizationId: string, asked: Asked): void {
    const pages = this.#pagesOf(organizationId)
    if (!asked.hasPlace) {
      pages.waiting.delete(asked)
      this.#activity.enter()
      return
    }
    for (const next of pages.waiting) {
      // The place goes on to the next, so that nobody who comes now gets before it.
      pages.waiting.delete(next)
      next.hasPlace = true
      this.#activity.enter()
      next.begin?.()
      return
    }
    pages.making -= 1
    if (pages.making === 0) this.#organizations.delete(organizationId)
  }
}
