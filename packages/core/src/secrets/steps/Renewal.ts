import { Effect } from "effect"
import type { Question } from "../../engine/steps/SetDescription.ts"
import type { Kept } from "../rules/Kept.ts"

/** What a walk over all secrets came to. */
export interface Resealed {
  /** Secrets that there are. */
  readonly secrets: number
  /** Of them, those that were not as `Secrets` would write them now, and are. */
  readonly resealed: number
  /** Of them, those that do not open with any key of this process; they stay as they are. */
  readonly unreadable: number
}

export const nothing: Resealed = { secrets: 0, resealed: 0, unreadable: 0 }

export const together = (one: Resealed, other: Resealed): Resealed => ({
  secrets: one.secrets + other.secrets,
  resealed: one.resealed + other.resealed,
  unreadable: one.unreadable + other.unreadable,
})

/** A secret as it lay in its row, and as it shall lie there. */
export interface Renewed {
  readonly before: string
  readonly text: string
  readonly isUnreadable: boolean
}

/** Secrets under the first key, as far as they can be read. */
export const renewed: Question<ReadonlyArray<Kept>, ReadonlyArray<Renewed>> = {
  about: "whoever keeps secrets, to bring them under the first key",
  ask: ({ keeping, secrets }, all) =>
    Effect.forEach(all, ({ place, sealed }) =>
      Effect.gen(function* () {
        const isCurrent = sealed === "" || secrets.isCurrent(sealed)
        const open = isCurrent
          ? null
          : yield* keeping.open({ sealed, place }).pipe(Effect.catchTag("SecretUnreadable", () => Effect.succeed(null)))
        const text = open === null ? sealed : yield* keeping.seal(open, place)
        return { before: sealed, text, isUnreadable: text !== "" && !secrets.isCurrent(text) }
      }),
    ),
}

/** What was found in secrets; one that is empty is none. */
export const foundIn = (all: ReadonlyArray<Renewed>): Resealed => ({
  secrets: all.filter(({ text }) => text !== "").length,
  resealed: all.filter(({ before, text }) => text !== before).length,
  unreadable: all.filter(({ isUnreadable }) => isUnreadable).length,
})
