import { limits } from "../../Limits.ts"

/** Automatic attempts of one delivery (specification, "Delivery rules"). */
export const maxAttempts = limits.webhookAttemptOffsetsMs.length

/**
 * When the next attempt starts, or null after the last: 0, 5, 30 and 90 s after the first start, and no sooner than the end of the one
 * before. Counted from the first start, all four are over inside two minutes even when each takes its full 30 s.
 */
export const nextAttemptAt = (attempts: number, firstStart: number, lastEnd: number): number | null => {
  const offset = limits.webhookAttemptOffsetsMs[attempts]
  return offset === undefined ? null : Math.max(lastEnd, firstStart + offset)
}
