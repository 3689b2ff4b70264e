import { type OutcomeResult, outcomeResults } from "./Outcome.ts"

/** Weights of results; they need not sum to one. */
export type Mix = { readonly [result in OutcomeResult]?: number }

/** What an ordinary list of consumers gives, roughly. */
export const builtInMix: Mix = {
  completed: 0.58,
  "no-answer": 0.2,
  voicemail: 0.1,
  busy: 0.06,
  failed: 0.03,
  "call-disconnected": 0.02,
  error: 0.01,
}

/** The result at a point in [0, 1) of the weights laid end to end, in the order of the contract's results. */
export const pick = (mix: Mix, point: number): OutcomeResult => {
  const total = outcomeResults.reduce((sum, result) => sum + (mix[result] ?? 0), 0)
  let rest = point * total
  let last: OutcomeResult = "completed"
  for (const result of outcomeResults) {
    const weight = mix[result] ?? 0
    if (weight <= 0) continue
    if (rest < weight) return result
    rest -= weight
    last = result
  }
  // Rounding may leave a trace of the sum.
  return last
}
