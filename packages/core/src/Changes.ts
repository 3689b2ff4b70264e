// What a commit carries beside rows, collected from the nouns as `Rows.ts` collects the kinds of rows: the engine knows it by this module alone.
import type { Call } from "./calls/rules/Call.ts"
import type { Correction } from "./calls/rules/CallFacts.ts"
import type { SlotLevel } from "./limits/rules/SlotLevels.ts"
import type { BalanceChange, Debit } from "./organizations/rules/Balance.ts"
import type { TallyChange } from "./tallies/rules/Tally.ts"
import type { UsageChange } from "./usage/rules/Usage.ts"
import type { EventType } from "./webhooks/rules/EventType.ts"
import type { EndpointFailure } from "./webhooks/rules/Subscription.ts"

/** What follows from a change of a row by its description alone. */
export type FollowingChange = TallyChange | UsageChange | BalanceChange

/** What a step changes relatively, or takes back, beside rows that it puts and removes. */
export type OtherChange = TallyChange | UsageChange | Debit | EndpointAttempt | ErasedCall

/** What is counted of a campaign or a batch, by the name of the figure. */
export type Figures = TallyChange["add"]

/** An attempt that an endpoint has had, for the health of its subscription; `failure` null means that it took it. */
export interface EndpointAttempt {
  readonly put: "endpoint_attempt"
  readonly organization_id: string
  readonly subscription_id: string
  readonly at: number
  readonly failure: EndpointFailure | null
}

/** A call that is taken back as it was read, as if it had never been written. */
export interface ErasedCall {
  readonly put: "erased_call"
  readonly call: Call
}

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
