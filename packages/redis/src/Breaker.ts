/** When Redis stops being asked and when it is asked again: a rule over what was seen, with hysteresis. */
export interface BreakerState {
  readonly open: boolean
  /** While closed: time-outs in a row. While open: answered probes in a row. */
  readonly streak: number
}

export const closed: BreakerState = { open: false, streak: 0 }

/** Time-outs in a row that open it: one slow moment of either side does not. */
export const timeoutsToOpen = 3

/** Answered probes in a row that close it again. */
export const answersToClose = 3

/** What follows from an answer that came in time, or did not. */
export const observe = (state: BreakerState, answered: boolean): BreakerState => {
  if (answered !== state.open) return state.streak === 0 ? state : { open: state.open, streak: 0 }
  const streak = state.streak + 1
  if (streak < (state.open ? answersToClose : timeoutsToOpen)) return { open: state.open, streak }
  return { open: !state.open, streak: 0 }
}
