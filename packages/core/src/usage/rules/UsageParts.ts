import type { UsageFigures } from "./Usage.ts"

/** By what usage is divided; a day is one of UTC. */
export const usageGroups = ["day", "agent", "campaign"] as const

export type UsageGroup = (typeof usageGroups)[number]

/** The part of one day (`2026-01-05`), agent or campaign; null holds the calls of no campaign. */
export interface UsagePart {
  readonly key: string | null
  readonly figures: UsageFigures
}
