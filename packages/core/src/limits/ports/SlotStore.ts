import { Context, type Effect } from "effect"
import type { SlotDemand } from "../../Changes.ts"
import type { PortError } from "../../Errors.ts"
import type { SlotLevel } from "../rules/SlotLevels.ts"

/** A dial that asks for a line at all of its levels or at none. */
export interface SlotRequest {
  readonly execution_id: string
  readonly organization_id: string
  /** In the order platform, organization, agent, campaign; a level that does not apply is left out. */
  readonly levels: ReadonlyArray<SlotDemand>
  readonly now: number
  /** A reservation that is not held by then is void (epoch milliseconds). */
  readonly reservedUntil: number
  /** Until when the dial waits in line if it is blocked; null: it does not wait. */
  readonly waitUntil: number | null
}

/** The answer to an acquire: a fenced membership, or the first level that blocks with its figures. */
export type SlotAnswer =
  | { readonly _tag: "Acquired"; readonly fence: number }
  | { readonly _tag: "Blocked"; readonly level: SlotLevel; readonly used: number; readonly max: number }

/** A membership as the reconciler sees it. */
export interface SlotMember {
  readonly execution_id: string
  readonly organization_id: string
  readonly levels: ReadonlyArray<{ readonly level: SlotLevel; readonly key: string }>
  readonly fence: number
  readonly state: "reserved" | "held"
  readonly reserved_until: number
}

/**
 * Memberships of live lines, never counters. Acquire and release are idempotent by execution id and fence; waiting dials
 * stand in order of arrival in the line of the level that blocks them, so one that waits for its agent delays nobody else.
 */
export class SlotStore extends Context.Service<
  SlotStore,
  {
    /** A member that asks again gets the fence it has. */
    readonly acquire: (request: SlotRequest) => Effect.Effect<SlotAnswer, PortError>
    /** Makes a reservation last; false when it has lapsed or the fence is stale. */
    readonly hold: (executionId: string, fence: number) => Effect.Effect<boolean, PortError>
    /** Frees the line and hands it on; returns the waiting dials that now have a reservation. A stale fence frees nothing. */
    readonly release: (
      executionId: string,
      fence: number,
      now: number,
    ) => Effect.Effect<ReadonlyArray<string>, PortError>
    /**
     * Leaves the line of waiting dials; what was reserved for it there and is not held is handed on. Returns the waiting dials that now have
     * a reservation.
     */
    readonly leave: (executionId: string, now: number) => Effect.Effect<ReadonlyArray<string>, PortError>
    readonly used: (
      levels: ReadonlyArray<{ readonly level: SlotLevel; readonly key: string }>,
    ) => Effect.Effect<ReadonlyArray<number>, PortError>
    /** Memberships in pages after the given execution id. */
    readonly members: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<SlotMember>, PortError>
    /** Enters a held membership that the rows prove, over a ceiling if need be; it replaces a mere reservation. */
    readonly restore: (member: Omit<SlotMember, "state" | "reserved_until">) => Effect.Effect<void, PortError>
    /**
     * Says whether contacts of the organization wait for a line. While they do, freed lines go to waiting dials and to the dispatcher
     * in turn, a waiting dial first; what was kept for the dispatcher and not taken is handed on. Returns the dials that now have one.
     */
    readonly want: (
      organizationId: string,
      wanting: boolean,
      now: number,
    ) => Effect.Effect<ReadonlyArray<string>, PortError>
    /** Voids lapsed reservations; returns the waiting dials that now have one. */
    readonly lapse: (now: number) => Effect.Effect<ReadonlyArray<string>, PortError>
  }
>()("@carillon/core/limits/SlotStore") {}
