import { Context, type Effect } from "effect"
import type { SlotDemand } from "../../Changes.ts"
import type { PortError } from "../../Errors.ts"
import type { OldestRequest, Page, PageRequest, Placed } from "../../Pagination.ts"
import type { Call, CallMedia } from "../rules/Call.ts"
import type { CallStatus } from "../rules/CallStatus.ts"
import type { WatchedCall } from "../rules/WatchedCall.ts"

/** Filters of the call lists; everything given must hold. Dates are epoch milliseconds, inclusive, on creation time. */
export interface CallFilter {
  readonly statuses?: ReadonlySet<CallStatus>
  /** The pseudo-status: calls that a voicemail box answered, in union with `statuses`. */
  readonly voicemail?: boolean
  readonly direction?: "inbound" | "outbound"
  readonly from_date?: number
  readonly to_date?: number
  readonly agent_id?: string
  readonly batch_id?: string
  readonly campaign_id?: string
  readonly contact_id?: string
  readonly parent_execution_id?: string
  readonly to_number?: string
  readonly from_number?: string
}

/** Calls that hold a line, as the dispatcher counts them: an organization's from one number. */
export interface LiveCallKey {
  readonly organization_id: string
  readonly from_number: string
}

/** Reads of calls. Adapters keep an index for every filter field, ordered by (created_at, commit order). */
export class CallStore extends Context.Service<
  CallStore,
  {
    readonly find: (organizationId: string, executionId: string) => Effect.Effect<Call | null, PortError>
    /** The call of a wake-up or a carrier's report, which know no organization. */
    readonly locate: (executionId: string) => Effect.Effect<Call | null, PortError>
    readonly media: (organizationId: string, executionId: string) => Effect.Effect<CallMedia | null, PortError>
    readonly page: (
      organizationId: string,
      filter: CallFilter,
      page: PageRequest,
    ) => Effect.Effect<Page<Call>, PortError>
    /** The oldest of those that lists show, whatever their status. */
    readonly oldest: (
      organizationId: string,
      request: OldestRequest,
    ) => Effect.Effect<ReadonlyArray<Placed<Call>>, PortError>
    /** How many committed calls hold a line at each of the levels: the count that admission falls back to. */
    readonly holding: (levels: ReadonlyArray<SlotDemand>) => Effect.Effect<ReadonlyArray<number>, PortError>
    /** How many committed calls that hold a line there are of each key. */
    readonly live: (keys: ReadonlyArray<LiveCallKey>) => Effect.Effect<ReadonlyArray<number>, PortError>
    /** The committed call of a lane that goes to the number and holds a line, of several the one with the lowest id; null where there is none. */
    readonly onNumber: (laneId: string, toNumber: string) => Effect.Effect<Call | null, PortError>
    /** Of the calls of a campaign that its breaker watches, those that ended last, newest first. */
    readonly watched: (campaignId: string, limit: number) => Effect.Effect<ReadonlyArray<WatchedCall>, PortError>
    /** Every committed call that holds a line, for the reconciler, in pages after the given id. */
    readonly holders: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<Call>, PortError>
    /** Every call with a `due_at`, for rebuilding wake-ups, in pages after the given id. */
    readonly due: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<Call>, PortError>
    /** Every call whose processing is not complete, for rebuilding wake-ups, in pages after the given id. */
    readonly processing: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<Call>, PortError>
  }
>()("@carillon/core/calls/CallStore") {}
