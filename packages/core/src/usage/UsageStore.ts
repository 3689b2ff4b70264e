import { Context, type Effect } from "effect"
import type { PortError } from "../Errors.ts"
import type { UsageFigures } from "./Usage.ts"

/** By what usage is divided; a day is one of UTC. */
export const usageGroups = ["day", "agent", "campaign"] as const

export type UsageGroup = (typeof usageGroups)[number]

/** A range of creation times in whole minutes, `from` included and `to` not, epoch milliseconds. */
export interface UsageRange {
  readonly from: number
  readonly to: number
  readonly agent_id: string | null
}

/** The part of one day (`2026-01-05`), agent or campaign; null holds the calls of no campaign. */
export interface UsagePart {
  readonly key: string | null
  readonly figures: UsageFigures
}

/** Reads of the tallies that commits keep (`put: "usage"`): what it costs does not grow with the number of calls. */
export class UsageStore extends Context.Service<
  UsageStore,
  {
    /** The parts that had calls, in the order of their keys, null first. */
    readonly parts: (
      organizationId: string,
      range: UsageRange,
      group: UsageGroup,
    ) => Effect.Effect<ReadonlyArray<UsagePart>, PortError>
  }
>()("@carillon/core/usage/UsageStore") {}
