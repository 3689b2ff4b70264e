/**
 * Calls in a second, evenly: turns are one interval apart, whoever takes them. A turn is taken ahead of time, so whoever waits for one has it for
 * certain and nobody has to try again.
 */

/** When the turns are that were taken, in their order. Those that are past by an interval hold nobody up any more, and need not be kept. */
export type TakenTurns = ReadonlyArray<number>

/** A turn, in milliseconds from now, with what is taken at each pace then; or none, and how long it would have been. */
export type Turn =
  | { readonly _tag: "Taken"; readonly waitMs: number; readonly taken: ReadonlyArray<TakenTurns> }
  | { readonly _tag: "TooLong"; readonly waitMs: number }

/** A pace that a call has to keep: how many in a second, and the turns that are taken. */
export interface Pace {
  readonly perSecond: number
  readonly taken: TakenTurns
}

const intervalOf = ({ perSecond }: Pace): number => 1000 / perSecond

/** The first time from then on that is an interval away from every turn. */
const freeFrom = (pace: Pace, from: number): number => {
  const interval = intervalOf(pace)
  let at = from
  for (const turn of pace.taken) {
    if (turn >= at + interval) return at
    if (turn > at - interval) at = turn + interval
  }
  return at
}

/** The first time from then on that is free at all paces. Each round passes a turn at least. */
const freeAtAll = (paces: ReadonlyArray<Pace>, from: number): number => {
  const at = paces.reduce((latest, pace) => freeFrom(pace, latest), from)
  return at === from ? at : freeAtAll(paces, at)
}

const withTurn = (pace: Pace, at: number, now: number): TakenTurns => {
  const kept = pace.taken.filter((turn) => turn + intervalOf(pace) > now)
  const after = kept.findIndex((turn) => turn > at)
  return after < 0 ? [...kept, at] : kept.toSpliced(after, 0, at)
}

/**
 * The turn of a call that has to keep several paces at once, if it comes within `patienceMs`. Where it does not, none of them loses a turn. A call
 * that has to wait for one of its paces leaves the time until then to others.
 */
export const turnIn = (paces: ReadonlyArray<Pace>, now: number, patienceMs: number): Turn => {
  const at = freeAtAll(paces, now)
  const waitMs = at - now
  if (waitMs > patienceMs) return { _tag: "TooLong", waitMs }
  return { _tag: "Taken", waitMs, taken: paces.map((pace) => withTurn(pace, at, now)) }
}
