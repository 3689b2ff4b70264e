import type { DomainEvent, FollowingChange, OtherChange } from "../../Changes.ts"
import type { AuditEntry } from "./AuditEntry.ts"
import type { DiscardableKind, Put, RemovableKind, RowKind } from "../../Rows.ts"
import type { Guard } from "./Guards.ts"
import type { HeldKey } from "./HeldKey.ts"
import type { WakeupChange } from "./Wakeup.ts"

/**
 * One change. A put expects the revision before its own, so the row that was read is the row that is replaced, and a removal
 * the revision that was read. Some rows are unique beside their ids within their organization (`unique` of their descriptions, `Rows.ts`); a
 * second one is a conflict. A knowledge base that is removed takes its uploads with it.
 * A debit, a host's change of a balance, usage, a tally's change, a guard that is raised and an endpoint's attempt are relative, so that what comes
 * together does not conflict, and raise no revision: a put of an organization that is there leaves its balance as it is, and one of a subscription its
 * health. A discard leaves nothing of the row, whatever its revision. A call is erased whose dial was definitely refused and is not to count: there
 * never was a leg.
 */
export type Change =
  | Put
  | {
      readonly put: "removal"
      readonly organization_id: string
      readonly kind: RemovableKind
      readonly id: string
      readonly revision: number
    }
  | {
      readonly put: "discard"
      readonly organization_id: string
      readonly kind: DiscardableKind
      readonly id: string
    }
  | OtherChange
  | FollowingChange
  | { readonly put: "guard"; readonly guard: Guard }

/** A number as a campaign, or a batch for itself, calls it. */
export interface LaneNumber {
  readonly lane_id: string
  readonly to_number: string
}

/**
 * What must still hold when a commit is written: a row's revision (0 for none), a guard's version (0 for one never raised), that no call
 * of a lane to a number holds a line, or that a process has the key of its request still.
 */
export type Expectation =
  | { readonly kind: RowKind; readonly id: string; readonly revision: number }
  | { readonly guard: Guard; readonly version: number }
  | { readonly free: LaneNumber }
  | { readonly held: HeldKey }

/** A number of a lane as one text. */
export const laneNumberName = ({ lane_id, to_number }: LaneNumber): string => `${lane_id} ${to_number}`

/** A step's outcome as data: what must still hold, what changes, when to look again, what to tell, what to record. */
export interface Commit {
  readonly id: string
  readonly organization_id: string
  readonly expect: ReadonlyArray<Expectation>
  readonly changes: ReadonlyArray<Change>
  readonly wakeups: ReadonlyArray<WakeupChange>
  readonly events: ReadonlyArray<DomainEvent>
  readonly audit: ReadonlyArray<AuditEntry>
}

/** A commit before it has an id; everything left out is empty. */
export type CommitDraft = Pick<Commit, "organization_id"> & Partial<Omit<Commit, "id" | "organization_id">>
