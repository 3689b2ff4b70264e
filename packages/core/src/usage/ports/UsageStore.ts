import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { UsageFigures, UsagePlace } from "../rules/Usage.ts"
import type { UsageGroup, UsagePart } from "../rules/UsageParts.ts"

/** A range of creation times, `from` included and `to` not, epoch milliseconds. */
export interface UsageRange {
  readonly from: number
  readonly to: number
  readonly agent_id: string | null
}

/** A tally as it is kept: of the minute that begins at `at`. */
export interface UsageCell extends UsagePlace {
  readonly figures: UsageFigures
}

/**
 * What calls add up to. What a read costs does not grow with the number of calls, but for those of the minutes at the ends of a range. Of more agents
 * or campaigns than `limits.usageGroups`, that many and one more are read, the first ones.
 */
export class UsageStore extends Context.Service<
  UsageStore,
  {
    /**
     * The parts that had calls, in the order of their keys, null first, of a range of whole minutes: from the tallies that commits keep
     * (`put: "usage"`).
     */
    readonly parts: (
      organizationId: string,
      range: UsageRange,
      group: UsageGroup,
    ) => Effect.Effect<ReadonlyArray<UsagePart>, PortError>
    /**
     * The same to the millisecond, of a range that holds no whole minute: from the calls themselves, those and only those that lists show.
     * Each counts as `usageDelta(null, call)`.
     */
    readonly edge: (
      organizationId: string,
      range: UsageRange,
      group: UsageGroup,
    ) => Effect.Effect<ReadonlyArray<UsagePart>, PortError>
    /**
     * The tallies themselves of a range of whole minutes, by their time, then their agent, then their campaign, null first. There are many: an
     * hour is enough at once.
     */
    readonly cells: (
      organizationId: string,
      range: Pick<UsageRange, "from" | "to">,
    ) => Effect.Effect<ReadonlyArray<UsageCell>, PortError>
  }
>()("@carillon/core/usage/UsageStore") {}
