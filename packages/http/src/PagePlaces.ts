import { type Caller, limits } from "@carillon/core"
import { type Activity, Places } from "@carillon/core/ports"
import { Effect } from "effect"
import { type Refusal, refusal } from "./Refusal.ts"

/** Nobody reads it. */
const gone = refusal(1501, "The request was given up before its page was made.")

/**
 * The places in which an organization's pages are made, from before their rows are read until they are written. Without them hundreds of pages
 * that are asked for at once are all half made at the same time: each holds its rows and what is written of it, and none comes to its end.
 */
export class PagePlaces {
  readonly #places: Places

  constructor(activity: Activity["Service"]) {
    this.#places = new Places(activity, limits.pagesAtOnce)
  }

  /** Makes a page in a place of its organization, unless nobody waits for it by then. It must not wait for another page. */
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
      return Effect.ensuring(
        this.#places.within(organization_id, wanted),
        Effect.sync(() => stay?.()),
      )
    })
  }
}
