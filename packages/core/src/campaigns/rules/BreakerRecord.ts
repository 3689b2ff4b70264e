import type { Breaker } from "./BreakerSetting.ts"
import type { Campaign } from "./Campaign.ts"

/** A breaker as it is shown. */
export interface BreakerRecord extends Breaker {
  /** Who has paused the campaign: this breaker, or somebody who asked for it. Null: it is not paused. */
  readonly paused_reason: "breaker" | "request" | null
}

/** The breaker of a campaign as it is shown; null where there is none. */
export const breakerRecord = ({ breaker, status }: Pick<Campaign, "breaker" | "status">): BreakerRecord | null => {
  if (breaker === undefined) return null
  if (status !== "paused") return { ...breaker, trip: null, paused_reason: null }
  return { ...breaker, paused_reason: breaker.trip === null ? "request" : "breaker" }
}
