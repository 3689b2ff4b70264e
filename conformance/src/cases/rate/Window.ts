/** The request-rate formula of the specification (Limits > Request rate), for what a run expects to see. */

/** Requests counted in the current minute and in the one before. */
export interface Counts {
  readonly previous: number
  readonly current: number
}

/** Milliseconds of a window. */
export const windowMs = 60_000

/** `previous * (60 - seconds_into_current) / 60 + current`, at so many milliseconds into the current window. */
export const estimate = ({ previous, current }: Counts, intoMs: number): number =>
  (previous * (windowMs - intoMs)) / windowMs + current

/** What is left under a limit, floored at 0. */
export const remaining = (limit: number, counts: Counts, intoMs: number): number =>
  Math.max(0, Math.floor(limit - estimate(counts, intoMs)))

/** The counts after some milliseconds without a request. */
const later = (counts: Counts, intoMs: number, passedMs: number): readonly [Counts, number] => {
  const windows = Math.floor((intoMs + passedMs) / windowMs)
  const into = (intoMs + passedMs) % windowMs
  if (windows === 0) return [counts, into]
  return [{ previous: windows === 1 ? counts.current : 0, current: 0 }, into]
}

/** The smallest whole second in 1..60 after which one request would pass; 60 where none would do. */
export const retryAfterSeconds = (limit: number, counts: Counts, intoMs: number): number => {
  for (let seconds = 1; seconds < 60; seconds++) {
    const [then, into] = later(counts, intoMs, seconds * 1_000)
    if (estimate(then, into) < limit) return seconds
  }
  return 60
}
