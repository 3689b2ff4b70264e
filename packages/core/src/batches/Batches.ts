import { Context, type Effect } from "effect"
import type { Call } from "../calls/Call.ts"
import type { CallFilter } from "../calls/CallStore.ts"
import type { FollowUpPolicy } from "../dispatch/FollowUpPlan.ts"
import type { RetryPolicy } from "../dispatch/RetryPlan.ts"
import type { EngineError } from "../Errors.ts"
import type { ContactIntake } from "../intake/ContactIntake.ts"
import type { JsonObject } from "../Json.ts"
import type { Caller } from "../keys/Caller.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import type { BatchRecord } from "./BatchRecord.ts"
import type { BatchStatus } from "./BatchStatus.ts"

/** The decoded body of `POST /v2/batches` without its contacts: only the fields that were sent. */
export interface NewBatch {
  readonly agent_id: string
  readonly campaign_id?: string | null
  readonly name?: string | null
  readonly phone_numbers?: ReadonlyArray<string> | null
  /** Epoch milliseconds; without it dialling starts at once. */
  readonly scheduled_at?: number | null
  readonly retry_policy?: Partial<RetryPolicy> | null
  readonly follow_up_policy?: Partial<FollowUpPolicy> | null
  readonly default_call_variables?: JsonObject | null
  readonly metadata?: JsonObject | null
  readonly concurrency_limit?: number | null
}

export interface BatchQuery {
  readonly status?: BatchStatus
  readonly agent_id?: string
  readonly campaign_id?: string
}

export interface BatchesShape {
  /**
   * Fails with NotFound (agent, campaign, follow-up agent), InvalidField (unregistered caller ID; `scheduled_at` less than 2 minutes
   * or more than 30 days ahead), StateConflict (the campaign has ended). Nothing is stored then.
   */
  readonly create: (caller: Caller, body: NewBatch, intake: ContactIntake) => Effect.Effect<BatchRecord, EngineError>
  /** NotFound "Batch not found." */
  readonly find: (organizationId: string, batchId: string) => Effect.Effect<BatchRecord, EngineError>
  /** Newest first. */
  readonly page: (
    organizationId: string,
    query: BatchQuery,
    page: PageRequest,
  ) => Effect.Effect<Page<BatchRecord>, EngineError>
  /** The calls of one batch, which must exist in the organization; newest first. */
  readonly executions: (
    organizationId: string,
    batchId: string,
    filter: CallFilter,
    page: PageRequest,
  ) => Effect.Effect<Page<Call>, EngineError>
  /** Books a batch that has not begun to dial. */
  readonly schedule: (caller: Caller, batchId: string, scheduledAt: number) => Effect.Effect<BatchRecord, EngineError>
  readonly stop: (caller: Caller, batchId: string) => Effect.Effect<BatchRecord, EngineError>
  readonly pause: (caller: Caller, batchId: string) => Effect.Effect<BatchRecord, EngineError>
  readonly resume: (caller: Caller, batchId: string) => Effect.Effect<BatchRecord, EngineError>
}

/** Batches as customers create, read and steer them (specification, "Batches"). */
export class Batches extends Context.Service<Batches, BatchesShape>()("@carillon/core/batches/Batches") {}
