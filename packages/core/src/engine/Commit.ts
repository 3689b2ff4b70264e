import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { Call } from "../calls/Call.ts"
import type { Correction } from "../calls/CallFacts.ts"
import type { SlotLevel } from "../limits/SlotLevels.ts"
import type { DiscardableKind, Put, RemovableKind, RowKind } from "../Rows.ts"
import type { TallyChange } from "../tallies/Tally.ts"
import type { UsageChange } from "../usage/Usage.ts"
import type { EventType } from "../webhooks/EventType.ts"
import type { EndpointFailure } from "../webhooks/Subscription.ts"
import type { Guard } from "./Guards.ts"
import type { WakeupChange } from "./Wakeup.ts"

/** An attempt that an endpoint has had, for the health of its subscription; `failure` null means that it took it. */
export interface EndpointAttempt {
  readonly put: "endpoint_attempt"
  readonly organization_id: string
  readonly subscription_id: string
  readonly at: number
  readonly failure: EndpointFailure | null
}

/** What an organization pays from its wallet, in its currency. */
export interface Debit {
  readonly put: "debit"
  readonly organization_id: string
  readonly amount: number
}

/** A call that is taken back as it was read, as if it had never been written. */
export interface ErasedCall {
  readonly put: "erased_call"
  readonly call: Call
}

/**
 * One change. A put expects the revision before its own, so the row that was read is the row that is replaced, and a removal
 * the revision that was read. Some rows are unique beside their ids within their organization (`unique` of their descriptions, `Rows.ts`); a
 * second one is a conflict. A knowledge base that is removed takes its uploads with it.
 * A debit, usage, a tally's change, a guard that is raised and an endpoint's attempt are relative, so that what comes together does not
 * conflict. A discard leaves nothing of the row, whatever its revision. A call is erased whose dial was definitely refused and is not to count: there
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
  | Debit
  | EndpointAttempt
  | {
      readonly put: "discard"
      readonly organization_id: string
      readonly kind: DiscardableKind
      readonly id: string
    }
  | TallyChange
  | ErasedCall
  | UsageChange
  | { readonly put: "guard"; readonly guard: Guard }

/** A fact that others may be told of (webhooks), raised in the commit that made it true. */
export interface DomainEvent {
  readonly type: EventType
  readonly organization_id: string
  readonly execution_id: string
  readonly at: number
  /** Its place among the call's events of this type, from 1. */
  readonly sequence: number
  /** What was corrected; null for every other type. */
  readonly correction: Correction | null
}

/** One level that a dial must fit into; `ceiling` null means that the level refuses nothing. */
export interface SlotDemand {
  readonly level: SlotLevel
  readonly key: string
  readonly ceiling: number | null
}

/** A number as a campaign, or a batch for itself, calls it. */
export interface LaneNumber {
  readonly lane_id: string
  readonly to_number: string
}

/**
 * What must still hold when a commit is written: a row's revision (0 for none), a guard's version (0 for one never raised), or that no call
 * of a lane to a number holds a line.
 */
export type Expectation =
  | { readonly kind: RowKind; readonly id: string; readonly revision: number }
  | { readonly guard: Guard; readonly version: number }
  | { readonly free: LaneNumber }

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
