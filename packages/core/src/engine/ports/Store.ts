import { Context, Data, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import { type Commit, type LaneNumber, laneNumberName } from "../rules/Commit.ts"
import type { SlotDemand } from "../../Changes.ts"
import type { RowKind } from "../../Rows.ts"
import type { FoundRows, RowAsked } from "../rules/FoundRows.ts"
import type { Guard, GuardKind } from "../rules/Guards.ts"
import { type HeldKey, heldKeyName } from "../rules/HeldKey.ts"

/** What may not be as a commit expects it. */
export type ConflictKind = RowKind | GuardKind | "lane_number" | "idempotency_key"

/**
 * A row is not at the revision, or a guard not at the version, that the commit expects, or a number of a lane is not free: reload and decide
 * again. Where the key of a request is not held any more nothing is decided again.
 */
export class Conflict extends Data.TaggedError("Conflict")<{
  readonly kind: ConflictKind
  readonly id: string
}> {}

/** What is said of a number that somebody is in a call with. */
export const numberTaken = (free: LaneNumber): Conflict =>
  new Conflict({ kind: "lane_number", id: laneNumberName(free) })

/** What is said of a key that somebody else has taken over, or that is let go: no later try can hold it again. */
export const keyLost = (held: HeldKey): Conflict => new Conflict({ kind: "idempotency_key", id: heldKeyName(held) })

/** A level is full by the count of committed calls: nothing was written. */
export class AdmissionRefused extends Data.TaggedError("AdmissionRefused")<{
  readonly level: SlotDemand["level"]
  readonly used: number
  readonly max: number
}> {}

/**
 * The only way to write, and the way to read a row by its id or its second key. A commit applies whole or not at all, in one transaction; the
 * same commit id applies once, so a commit whose answer was lost is simply sent again.
 */
export class Store extends Context.Service<
  Store,
  {
    readonly commit: (commit: Commit) => Effect.Effect<void, Conflict | PortError>
    /**
     * Commits only while the committed calls that hold a line leave room at every level, counted under the organization's
     * lock: the gate's footing when the slot store is away.
     */
    readonly admit: (
      commit: Commit,
      levels: ReadonlyArray<SlotDemand>,
    ) => Effect.Effect<void, Conflict | AdmissionRefused | PortError>
    /**
     * Reads rows of any kinds and any organizations, several at once. Each is as some commit left it; they need not be of one moment. It fails
     * as the reads of a kind do (`dependency` of its description).
     */
    readonly rows: (asked: ReadonlyArray<RowAsked>) => Effect.Effect<FoundRows, PortError>
    /** The version of each guard, 0 for one that was never raised. */
    readonly versions: (guards: ReadonlyArray<Guard>) => Effect.Effect<ReadonlyArray<number>, PortError>
  }
>()("@carillon/core/engine/Store") {}
