import { draw } from "../../../twilio/test/standin/Chance.ts"

/**
 * What goes wrong with a request: it is lost and nothing was done; it was done and the answer is lost; it is refused with a 429, undone; it is
 * answered with a 503, undone or done.
 */
export const requestFaults = [
  "lost_before",
  "lost_after",
  "too_many",
  "unavailable_before",
  "unavailable_after",
] as const

export type RequestFault = (typeof requestFaults)[number]

/** What goes wrong with a webhook: never sent, sent twice, sent later, or sent after the next one of its room. */
export const webhookFaults = ["lost", "doubled", "late", "reordered"] as const

export type WebhookFault = (typeof webhookFaults)[number]

/** Something that can go wrong. */
export interface Occasion {
  /** The method, such as `CreateRoom`, or the event, such as `participant_left`. */
  readonly on: string
  /** The number that is called where it is about one, and otherwise the room. */
  readonly about: string
  /** Which of its kind about this it is, from 0. */
  readonly nth: number
}

/** Asked once at each occasion; null: nothing goes wrong. */
export interface Faults {
  readonly request: (occasion: Occasion) => RequestFault | null
  readonly webhook: (occasion: Occasion) => WebhookFault | null
}

export const noFaults: Faults = { request: () => null, webhook: () => null }

export interface FaultRates {
  readonly seed: string
  /** Chances from 0 to 1; together at most 1. */
  readonly requests?: { readonly [fault in RequestFault]?: number }
  readonly webhooks?: { readonly [fault in WebhookFault]?: number }
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
export const drawnFaults = ({ requests = {}, seed, webhooks = {} }: FaultRates): Faults => ({
  request: ({ about, nth, on }) => pick(requestFaults, requests, draw(seed, "request", on, about, nth)),
  webhook: ({ about, nth, on }) => pick(webhookFaults, webhooks, draw(seed, "webhook", on, about, nth)),
})

/** Counts occasions of one kind about one thing. */
export class Occasions {
  readonly #counts = new Map<string, number>()

  next(on: string, about: string): Occasion {
    const key = `${on} ${about}`
    const nth = this.#counts.get(key) ?? 0
    this.#counts.set(key, nth + 1)
    return { on, about, nth }
  }
}
