import { Context, Effect, Layer } from "effect"
import type { Call } from "../calls/rules/Call.ts"
import { type CallFilter, CallStore } from "../calls/ports/CallStore.ts"
import { scheduleFault, scheduleFaults } from "../calls/rules/ScheduleWindow.ts"
import { listed } from "../calls/steps/Surviving.ts"
import { CampaignStore } from "../campaigns/ports/CampaignStore.ts"
import { copiedFault } from "../campaigns/rules/CopiedSettings.ts"
import { followUpAgentOf, followUpPolicyOf } from "../contacts/rules/ContactProgress.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Ids } from "../engine/ports/Ids.ts"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, InvalidField } from "../Errors.ts"
import type { ContactIntake } from "../intake/rules/ContactIntake.ts"
import { foundOrNothing } from "../idempotency/FoundOrNothing.ts"
import type { Recalled } from "../idempotency/rules/Recalled.ts"
import { Intake } from "../intake/Intake.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import { limits } from "../Limits.ts"
import { oversized } from "../Measure.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { TallyStore } from "../tallies/ports/TallyStore.ts"
import type { Batch } from "./rules/Batch.ts"
import { batchOf } from "./steps/BatchReads.ts"
import { roomFault } from "./steps/BatchRoom.ts"
import { type BatchRecord, batchRecord } from "./rules/BatchRecord.ts"
import { type BatchQuery, BatchStore } from "./ports/BatchStore.ts"
import { batchReferences, createBatch } from "./steps/CreateBatch.ts"
import { type MovedBatch, pauseBatch, resumeBatch, scheduleBatch, stopBatch } from "./steps/MoveBatch.ts"
import { batchFor, type NewBatch } from "./steps/NewBatch.ts"

export interface BatchesShape {
  /**
   * Fails with NotFound (agent, campaign, follow-up agent), InvalidField (unregistered caller ID; `scheduled_at` less than 2 minutes
   * or more than 30 days ahead; settings too large to be stored), StateConflict (the campaign has ended, or has as many batches as it may). Nothing is stored then.
   */
  readonly create: (caller: Caller, body: NewBatch, intake: ContactIntake) => Effect.Effect<BatchRecord, EngineError>
  /** NotFound "Batch not found." */
  readonly find: (organizationId: string, batchId: string) => Effect.Effect<BatchRecord, EngineError>
  /** The same of a batch that a request with an `Idempotency-Key` may have made before its process was gone. */
  readonly recall: (organizationId: string, batchId: string) => Effect.Effect<Recalled<BatchRecord>, EngineError>
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

const scheduleError = (scheduledAt: number, now: number): InvalidField | null => {
  const fault = scheduleFault(scheduledAt, now)
  return fault === null ? null : new InvalidField({ field: "scheduled_at", reason: scheduleFaults[fault] })
}

/** What a body has too much of. */
const tooLarge = (body: NewBatch): InvalidField | null =>
  oversized("batch", body, Object.keys(body), limits.settingsBytes) ??
  copiedFault({
    default_call_variables: body.default_call_variables ?? {},
    follow_up_policy: { follow_up_prompt: body.follow_up_policy?.follow_up_prompt ?? null },
  })

/** Batches as customers create, read and steer them (specification, "Batches"). */
export class Batches extends Context.Service<Batches, BatchesShape>()("@carillon/core/batches/Batches") {
  static readonly layer = Layer.effect(
    Batches,
    Effect.gen(function* () {
      const store = yield* BatchStore
      const campaigns = yield* CampaignStore
      const calls = yield* CallStore
      const tallies = yield* TallyStore
      // Answers list them where something names none.
      const { numbers: registeredOf } = yield* AccountStore
      const intakes = yield* Intake
      const steps = yield* Steps
      const clock = yield* DomainClock
      const ids = yield* Ids
      let nth = 0

      const find = (organizationId: string, batchId: string) => steps.look(() => batchOf(organizationId, batchId))

      const shownWith = Effect.fnUntraced(function* (batch: Batch, registered: ReadonlyArray<string>) {
        const campaign = batch.campaign_id === null ? null : yield* campaigns.locate(batch.campaign_id)
        return batchRecord(batch, campaign, yield* tallies.read(batch.batch_id), registered)
      })

      const create: BatchesShape["create"] = Effect.fnUntraced(function* (caller, body, intake) {
        const { organization_id } = caller
        const scheduledAt = body.scheduled_at ?? null
        const fault = (scheduledAt === null ? null : scheduleError(scheduledAt, clock.now())) ?? tooLarge(body)
        if (fault !== null) return yield* fault
        const filled = yield* steps.look(() => batchReferences(organization_id, body))
        const campaign = filled?.campaign ?? null
        const handedIn = {
          batch_id: caller.keyed?.subject ?? ids.mint("batch", organization_id, body.campaign_id ?? "", nth++),
          file_name: intake.file_name,
          total_contacts: intake.contacts.length,
        }
        const batch = batchFor(handedIn, organization_id, body, campaign, clock.now())
        const full = filled === null ? null : roomFault(batch, filled)
        if (full !== null) return yield* full
        const registered = yield* registeredOf(organization_id)
        const show = steps.take(createBatch, { caller, body, handedIn })
        const follow_up_agent_id = followUpAgentOf(batch, campaign)
        const asked = {
          ...batch,
          follow_up_policy: { ...followUpPolicyOf(batch, campaign), follow_up_agent_id },
          call_order: campaign?.call_order,
        }
        const shown = yield* intakes.take(asked, intake, campaign?.transliteration ?? null, show)
        return batchRecord(shown.batch, shown.campaign, shown.tally, registered)
      })

      /** Moves a batch as a request says, and answers with it. */
      const moved = Effect.fnUntraced(function* (
        { organization_id }: Caller,
        moving: Effect.Effect<MovedBatch, EngineError>,
      ) {
        const registered = yield* registeredOf(organization_id)
        const { batch, campaign, tally } = yield* moving
        return batchRecord(batch, campaign, tally, registered)
      })

      const found: BatchesShape["find"] = Effect.fnUntraced(function* (organizationId, batchId) {
        const batch = yield* find(organizationId, batchId)
        return yield* shownWith(batch, yield* registeredOf(organizationId))
      })

      return Batches.of({
        create,
        find: found,
        recall: (organizationId, batchId) => foundOrNothing(found(organizationId, batchId)),
        page: Effect.fnUntraced(function* (organizationId, query, page) {
          const { items, total } = yield* store.page(organizationId, query, page)
          const registered = yield* registeredOf(organizationId)
          return { items: yield* Effect.forEach(items, (batch) => shownWith(batch, registered)), total }
        }),
        executions: (organizationId, batchId, filter, page) =>
          Effect.flatMap(find(organizationId, batchId), () =>
            listed(calls, organizationId, { ...filter, batch_id: batchId }, page),
          ),
        schedule: Effect.fnUntraced(function* (caller, batch_id, scheduled_at) {
          yield* find(caller.organization_id, batch_id)
          const fault = scheduleError(scheduled_at, clock.now())
          if (fault !== null) return yield* fault
          return yield* moved(caller, steps.take(scheduleBatch, { caller, batch_id, scheduled_at }))
        }),
        stop: (caller, batch_id) => moved(caller, steps.take(stopBatch, { caller, batch_id })),
        pause: (caller, batch_id) => moved(caller, steps.take(pauseBatch, { caller, batch_id })),
        resume: (caller, batch_id) => moved(caller, steps.take(resumeBatch, { caller, batch_id })),
      })
    }),
  )
}
