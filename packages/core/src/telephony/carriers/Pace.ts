/**
 * Calls in a second, evenly: each turn is one interval after the turn before it, whoever takes it. A turn is taken ahead of time, so whoever
 * waits for one has it for certain and nobody has to try again.
 */

/** When the next turn is; 0 where there has been none. */
export type NextTurn = number

/** A turn, in milliseconds from now; or none, and how long it would have been. */
export type Turn =
  | { readonly _tag: "Taken"; readonly waitMs: number; readonly next: ReadonlyArray<NextTurn> }
  | { readonly _tag: "TooLong"; readonly waitMs: number }

/** A pace that a call has to keep: how many in a second, and when its next turn is. */
export interface Pace {
  readonly perSecond: number
  readonly next: NextTurn
}

/** The turn of a call that has to keep several paces at once, if it comes within `patienceMs`. Where it does not, none of them loses a turn. */
export const turnIn = (paces: ReadonlyArray<Pace>, now: number, patienceMs: number): Turn => {
  const at = paces.reduce((latest, { next }) => Math.max(latest, next), now)
  const waitMs = at - now
  if (waitMs > patienceMs) return { _tag: "TooLong", waitMs }
  return { _tag: "Taken", waitMs, next: paces.map(({ perSecond }) => at + 1000 / perSecond) }
}
