import { draw } from "./Chance.ts"

export const operations = ["create", "update", "fetch", "list", "events", "recordings", "media"] as const

export type Operation = (typeof operations)[number]

/**
 * What goes wrong with a request: it is lost and nothing was done; it was done and the answer is lost; it is refused with a 429, undone; it is
 * answered with a 500, undone or done (the page of 20500 says that a call may have been placed).
 */
export const requestFaults = ["lost_before", "lost_after", "too_many", "error_before", "error_after"] as const

export type RequestFault = (typeof requestFaults)[number]

/** What goes wrong with a callback: never sent, sent twice, sent later, or sent after the next one of its call. */
export const callbackFaults = ["lost", "doubled", "late", "reordered"] as const

export type CallbackFault = (typeof callbackFaults)[number]

/** Something that can go wrong. `to` is the number of the call that it is about, where it is about one. */
export type Occasion<On extends string> = {
  readonly on: On
  readonly to: string
  /** Which of its kind about this number it is, from 0. */
  readonly nth: number
}

/** Asked once at each occasion; null: nothing goes wrong. */
export interface Faults {
  readonly request: (occasion: Occasion<Operation>) => RequestFault | null
  /** `on` says which callback: `status:ringing`, `amd`, `recording:completed`, `twiml`. A request for TwiML is lost or it is not. */
  readonly callback: (occasion: Occasion<string>) => CallbackFault | null
}

export const noFaults: Faults = { request: () => null, callback: () => null }

export interface FaultRates {
  readonly seed: string
  /** Chances from 0 to 1; together at most 1. */
  readonly requests?: { readonly [fault in RequestFault]?: number }
  readonly callbacks?: { readonly [fault in CallbackFault]?: number }
}

const pick = <Fault extends string>(
  faults: ReadonlyArray<Fault>,
  rates: { readonly [fault in Fault]?: number },
  drawn: number,
): Fault | null => {
  let below = 0
  for (const fault of faults) {
    below += rates[fault] ?? 0
    if (drawn < below) return fault
  }
  return null
}

/** Faults drawn by a seed: what an occasion meets hangs on the occasion alone, not on what came before it. */
export const drawnFaults = ({ callbacks = {}, requests = {}, seed }: FaultRates): Faults => ({
  request: ({ nth, on, to }) => pick(requestFaults, requests, draw(seed, "request", on, to, nth)),
  callback: ({ nth, on, to }) => pick(callbackFaults, callbacks, draw(seed, "callback", on, to, nth)),
})

/** Counts occasions of one kind about one number. */
export class Occasions {
  readonly #counts = new Map<string, number>()

  next<On extends string>(on: On, to: string): Occasion<On> {
    const key = `${on} ${to}`
    const nth = this.#counts.get(key) ?? 0
    this.#counts.set(key, nth + 1)
    return { on, to, nth }
  }
}
