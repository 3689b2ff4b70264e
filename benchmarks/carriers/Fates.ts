import { draw } from "../../packages/twilio/test/standin/Chance.ts"
import type { Outcome } from "./Leg.ts"

/** What the seed has for a leg. Seconds. */
export interface Drawn {
  readonly outcome: Outcome
  readonly ring: number
  readonly talk: number
  /** From the end to what it cost. */
  readonly costed: number
}

/** Shares of a hundred. */
const shares: ReadonlyArray<readonly [outcome: Outcome, share: number]> = [
  ["answered", 55],
  ["machine", 10],
  ["busy", 15],
  ["no_answer", 15],
  ["failed", 5],
]
const hundred = 100

const outcomeOf = (drawn: number): Outcome => {
  let below = 0
  for (const [outcome, share] of shares) {
    below += share / hundred
    if (drawn < below) return outcome
  }
  return "failed"
}

const talks = [0.2, 0.6, 1, 1.4, 2.2]
/** One price in twenty comes so late that a call's final word does not wait for it. */
const latePriceShare = 0.05
const priceSeconds = { soon: 0.5, late: 6 }

/** What becomes of the nth leg to a number: the same for the same seed, whatever else happens. */
export const drawnFate = (seed: string, to: string, nth: number): Drawn => ({
  outcome: outcomeOf(draw(seed, "outcome", to, nth)),
  ring: 0.1 + 0.4 * draw(seed, "ring", to, nth),
  talk: talks[Math.floor(draw(seed, "talk", to, nth) * talks.length)] ?? 1,
  costed: draw(seed, "costed", to, nth) < latePriceShare ? priceSeconds.late : priceSeconds.soon,
})
