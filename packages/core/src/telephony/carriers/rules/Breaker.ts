/**
 * When a carrier that does not answer is left alone, and when it is tried again: pure rules over one small state. It is asked by one dial at a
 * time, in growing distances, until one is answered.
 */

/** How much is put up with. */
export interface BreakerPolicy {
  /** Dials in a row that are not heard, after which the carrier counts as away. */
  readonly failures: number
  /** How long it is left alone the first time, in milliseconds; each time that a trial fails it is twice as long, up to `maxAwayMs`. */
  readonly awayMs: number
  readonly maxAwayMs: number
}

/** What is known of a carrier. */
export interface BreakerState {
  /** Dials in a row that it did not hear. */
  readonly failed: number
  /** Trials in a row that failed since it is away. */
  readonly trials: number
  /** Until when nobody asks it; null while it is there. */
  readonly awayUntil: number | null
  /** The dial that tries whether it is back began then; null while none does. */
  readonly tryingSince: number | null
}

export const closed: BreakerState = { failed: 0, trials: 0, awayUntil: null, tryingSince: null }

/** Whether a carrier may be asked now: as ever, as the one trial, or not before `waitMs` have passed. */
export type BreakerAnswer =
  | { readonly _tag: "Pass" }
  | { readonly _tag: "Trial" }
  | { readonly _tag: "Away"; readonly waitMs: number }

/** A trial that has said nothing for so long has died with its process: another one is made. */
const trialMs = (policy: BreakerPolicy): number => policy.maxAwayMs

/** Asks whether a dial may go to the carrier. A trial is noted, so that the next who asks waits for what comes of it. */
export const asks = (
  state: BreakerState,
  policy: BreakerPolicy,
  now: number,
): { readonly state: BreakerState; readonly answer: BreakerAnswer } => {
  const { awayUntil, tryingSince } = state
  if (awayUntil === null) return { state, answer: { _tag: "Pass" } }
  if (now < awayUntil) return { state, answer: { _tag: "Away", waitMs: awayUntil - now } }
  const overAt = tryingSince === null ? now : tryingSince + trialMs(policy)
  if (now < overAt) return { state, answer: { _tag: "Away", waitMs: overAt - now } }
  return { state: { ...state, tryingSince: now }, answer: { _tag: "Trial" } }
}

/** The carrier after it answered a dial, whatever it said. */
export const heard = (): BreakerState => closed

const awayFor = (trials: number, { awayMs, maxAwayMs }: BreakerPolicy): number =>
  Math.min(maxAwayMs, awayMs * 2 ** Math.min(trials, 30))

/** The carrier after a dial that it did not hear. One that began before it was known to be away changes nothing more. */
export const unheard = (state: BreakerState, policy: BreakerPolicy, wasTrial: boolean, now: number): BreakerState => {
  if (state.awayUntil !== null && !wasTrial) return state
  const failed = state.failed + 1
  if (state.awayUntil === null && failed < policy.failures) return { ...state, failed }
  const trials = wasTrial ? state.trials + 1 : 0
  return { failed, trials, awayUntil: now + awayFor(trials, policy), tryingSince: null }
}

/** The state after a trial that was given up before it said anything: the next dial is the trial. */
export const trialLeft = (state: BreakerState): BreakerState => ({ ...state, tryingSince: null })

/** The carrier after it answered something else than a dial: it may be tried at once. Only a dial shows that it takes dials. */
export const answers = (state: BreakerState, now: number): BreakerState =>
  state.awayUntil === null ? state : { ...state, awayUntil: Math.min(state.awayUntil, now) }
