/**
 * The request rate: two adjacent 60-second counters, the previous one weighted by its remaining overlap (specification,
 * "Request rate"). Everything is whole milliseconds and integers, so that every store decides alike:
 * `estimate × 60000 = previous × (60000 − msIntoCurrent) + current × 60000`, refused once that reaches `limit × 60000`.
 */

/** Length of the window; windows are aligned to the Unix epoch. */
export const windowMs = 60_000

const maxRetryAfterSeconds = 60

/** The two counters; `window` is the number of the current one, counted from the epoch. */
export interface WindowState {
  readonly window: number
  readonly current: number
  readonly previous: number
}

/** The counters of an organization and bucket that was never used. */
export const emptyWindow: WindowState = { window: 0, current: 0, previous: 0 }

/**
 * The figures that the rate-limit headers report. `retryAfterSeconds` is 0 where the request passes; otherwise the smallest
 * whole second, 1 to 60, after which one request would pass if nothing else came.
 */
export interface RateHit {
  readonly allowed: boolean
  readonly remaining: number
  readonly resetSeconds: number
  readonly retryAfterSeconds: number
}

/** A hit with the counters after it. */
export interface CountedHit extends RateHit {
  readonly state: WindowState
}

/** Checks, then counts; a refused request consumes nothing. `nowMs` is whole epoch milliseconds. */
export const hit = (state: WindowState, limit: number, nowMs: number): CountedHit => {
  const rolled = roll(state, nowMs)
  const msIntoCurrent = intoCurrent(rolled, nowMs)
  const room = roomMs(rolled, limit, msIntoCurrent)
  const allowed = room > 0
  return {
    allowed,
    state: allowed ? { window: rolled.window, current: rolled.current + 1, previous: rolled.previous } : rolled,
    remaining: allowed ? Math.max(0, Math.floor(room / windowMs) - 1) : 0,
    resetSeconds: secondsToRoll(msIntoCurrent),
    retryAfterSeconds: allowed ? 0 : secondsUntil(reopening(rolled, limit), nowMs),
  }
}

/** The same figures without counting anything: `allowed` says whether a request would pass now. */
export const peek = (state: WindowState, limit: number, nowMs: number): RateHit => {
  const rolled = roll(state, nowMs)
  const msIntoCurrent = intoCurrent(rolled, nowMs)
  const room = roomMs(rolled, limit, msIntoCurrent)
  const allowed = room > 0
  return {
    allowed,
    remaining: allowed ? Math.floor(room / windowMs) : 0,
    resetSeconds: secondsToRoll(msIntoCurrent),
    retryAfterSeconds: allowed ? 0 : secondsUntil(reopening(rolled, limit), nowMs),
  }
}

/**
 * The first millisecond, from `nowMs` on, at which one request passes if nothing else comes: `nowMs` itself while there is
 * room, infinity under a ceiling of zero. Until then the estimate only falls, so a process that remembers this instant may
 * refuse without asking the shared store and still be exact.
 */
export const deniedUntil = (state: WindowState, limit: number, nowMs: number): number => {
  const rolled = roll(state, nowMs)
  if (roomMs(rolled, limit, intoCurrent(rolled, nowMs)) > 0) return nowMs
  return reopening(rolled, limit)
}

const roll = (state: WindowState, nowMs: number): WindowState => {
  const window = Math.floor(nowMs / windowMs)
  // A clock that fell back stays in the newest window it has seen: counted requests are never forgotten.
  if (window <= state.window) return state
  return { window, current: 0, previous: window === state.window + 1 ? state.current : 0 }
}

const intoCurrent = (state: WindowState, nowMs: number): number => Math.max(0, nowMs - state.window * windowMs)

/** What is left below the ceiling, in requests × milliseconds. */
const roomMs = (state: WindowState, limit: number, msIntoCurrent: number): number =>
  limit * windowMs - (state.previous * (windowMs - msIntoCurrent) + state.current * windowMs)

/** From 1 to 60: a window that has just begun rolls in 60 seconds. */
const secondsToRoll = (msIntoCurrent: number): number => Math.ceil((windowMs - msIntoCurrent) / 1000)

/** Whole seconds, 60 where no second within a minute would do. */
const secondsUntil = (ms: number, nowMs: number): number =>
  Math.min(maxRetryAfterSeconds, Math.ceil((ms - nowMs) / 1000))

/** When a state without room has some again: within its window if the previous counter alone fills it, else in the next. */
const reopening = (state: WindowState, limit: number): number => {
  if (limit <= 0) return Number.POSITIVE_INFINITY
  const start = state.window * windowMs
  return state.current < limit
    ? start + msUntilBelow(state.previous, limit - state.current)
    : start + windowMs + msUntilBelow(state.current, limit)
}

/** The first millisecond of a window at which the previous counter weighs less than `room`: `previous × (60000 − ms) < room × 60000`. */
const msUntilBelow = (previous: number, room: number): number => windowMs + 1 - Math.ceil((room * windowMs) / previous)
