import { Context, Effect, Layer, Result } from "effect"
import { Audit } from "../audit/Audit.ts"
import type { Call } from "../calls/Call.ts"
import { type CallFilter, CallStore } from "../calls/CallStore.ts"
import { scheduleFault, scheduleFaults } from "../calls/ScheduleWindow.ts"
import { listed } from "../calls/Surviving.ts"
import type { Campaign } from "../campaigns/Campaign.ts"
import { hasEnded } from "../campaigns/CampaignStatus.ts"
import { CampaignStore } from "../campaigns/CampaignStore.ts"
import { finishing, Lifecycle, moved, progressOf } from "../campaigns/Lifecycle.ts"
import { campaignEnded, showing } from "../campaigns/NewBatches.ts"
import { copiedFault } from "../campaigns/CopiedSettings.ts"
import { References } from "../campaigns/References.ts"
import { type FollowUpPolicy, followUpPolicyDefaults } from "../dispatch/FollowUpPlan.ts"
import { type RetryPolicy, retryPolicyDefaults } from "../dispatch/RetryPlan.ts"
import { type Decision, joined, unchanged, write } from "../engine/Commit.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { Ids } from "../engine/Ids.ts"
import { change, raised } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, InvalidField, NotFound, StateConflict } from "../Errors.ts"
import type { ContactIntake } from "../intake/ContactIntake.ts"
import { Intake } from "../intake/Intake.ts"
import type { JsonObject } from "../Json.ts"
import type { Caller } from "../keys/Caller.ts"
import { limits } from "../Limits.ts"
import { oversized } from "../Measure.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import type { Tally } from "../tallies/Tally.ts"
import { tallyAfter } from "../tallies/TallyAfter.ts"
import { TallyStore } from "../tallies/TallyStore.ts"
import type { Batch } from "./Batch.ts"
import { type BatchRecord, batchRecord } from "./BatchRecord.ts"
import {
  type BatchCommand,
  type BatchProgress,
  type BatchRefusal,
  type BatchStatus,
  decideBatch,
  isFinishedBatch,
  newBatch,
} from "./BatchStatus.ts"
import { type BatchQuery, BatchStore } from "./BatchStore.ts"

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

export interface BatchesShape {
  /**
   * Fails with NotFound (agent, campaign, follow-up agent), InvalidField (unregistered caller ID; `scheduled_at` less than 2 minutes
   * or more than 30 days ahead; settings too large to be stored), StateConflict (the campaign has ended). Nothing is stored then.
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

const refusals: { readonly [reason in BatchRefusal]: (status: BatchStatus, verb: string) => string } = {
  finished: (status, verb) => `This batch has already finished (status=${status}) and cannot be ${verb}.`,
  already_started: (status) => `This batch has already started (status=${status}) and cannot be scheduled.`,
  paused: () => "This batch is paused. Resume it before it is scheduled.",
}

const verbs = { schedule: "scheduled", pause: "paused", resume: "resumed", stop: "stopped" } as const

const scheduleError = (scheduledAt: number, now: number): InvalidField | null => {
  const fault = scheduleFault(scheduledAt, now)
  return fault === null ? null : new InvalidField({ field: "scheduled_at", reason: scheduleFaults[fault] })
}

/** Batches as customers create, read and steer them (specification, "Batches"). */
export class Batches extends Context.Service<Batches, BatchesShape>()("@carillon/core/batches/Batches") {
  static readonly layer = Layer.effect(
    Batches,
    Effect.gen(function* () {
      const store = yield* BatchStore
      const campaigns = yield* CampaignStore
      const calls = yield* CallStore
      const tallies = yield* TallyStore
      const references = yield* References
      const lifecycle = yield* Lifecycle
      const intakes = yield* Intake
      const steps = yield* Steps
      const audit = yield* Audit
      const clock = yield* DomainClock
      const ids = yield* Ids
      let nth = 0

      const batchOf = Effect.fnUntraced(function* (organizationId: string, batchId: string) {
        const batch = yield* store.find(organizationId, batchId)
        return batch ?? (yield* new NotFound({ message: "Batch not found." }))
      })

      const campaignFor = Effect.fnUntraced(function* (organizationId: string, campaignId: string | null) {
        if (campaignId === null) return null
        const campaign = yield* campaigns.find(organizationId, campaignId)
        if (campaign === null) return yield* new NotFound({ message: "Campaign not found." })
        return hasEnded(campaign) ? yield* campaignEnded(campaign) : campaign
      })

      const shownWith = Effect.fnUntraced(function* (batch: Batch, registered: ReadonlyArray<string>) {
        const campaign = batch.campaign_id === null ? null : yield* campaigns.locate(batch.campaign_id)
        return batchRecord(batch, campaign, yield* tallies.read(batch.batch_id), registered)
      })

      const recordOf = (batch: Batch) =>
        Effect.flatMap(references.registered(batch.organization_id), (registered) => shownWith(batch, registered))

      const allowed = (caller: Caller, action: string, batchId: string) =>
        audit.allowed(caller, { action, resource: { type: "batch", id: batchId } })

      const create: BatchesShape["create"] = Effect.fnUntraced(function* (caller, body, intake) {
        const { organization_id } = caller
        const scheduledAt = body.scheduled_at ?? null
        const fault = scheduledAt === null ? null : scheduleError(scheduledAt, clock.now())
        if (fault !== null) return yield* fault
        const copied = {
          default_call_variables: body.default_call_variables ?? {},
          follow_up_policy: { follow_up_prompt: body.follow_up_policy?.follow_up_prompt ?? null },
        }
        const tooLarge = oversized("batch", body, Object.keys(body), limits.settingsBytes) ?? copiedFault(copied)
        if (tooLarge !== null) return yield* tooLarge
        yield* references.agent(organization_id, body.agent_id)
        const campaign = yield* campaignFor(organization_id, body.campaign_id ?? null)
        const followUpAgent = body.follow_up_policy?.follow_up_agent_id ?? null
        if (followUpAgent !== null) yield* references.agent(organization_id, followUpAgent)
        const numbers = body.phone_numbers ?? []
        yield* references.numbers(organization_id, numbers)
        const now = clock.now()
        const batch: Batch = {
          ...newBatch,
          status: scheduledAt === null ? newBatch.status : "scheduled",
          batch_id: ids.mint("batch", organization_id, body.campaign_id ?? "", nth++),
          organization_id,
          revision: 1,
          campaign_id: campaign?.campaign_id ?? null,
          agent_id: body.agent_id,
          name: body.name ?? null,
          file_name: intake.file_name,
          phone_numbers: numbers.length === 0 ? null : numbers,
          ...ownPolicies(body, campaign),
          default_call_variables: body.default_call_variables ?? {},
          metadata: body.metadata ?? {},
          concurrency_limit: body.concurrency_limit ?? null,
          total_contacts: intake.contacts.length,
          scheduled_at: scheduledAt,
          started_at: null,
          completed_at: null,
          created_at: now,
          updated_at: now,
        }
        // The campaign may end, or be edited, or a number given up, while its contacts are stored.
        const view = Effect.zip(
          campaignFor(organization_id, batch.campaign_id),
          references.numbers(organization_id, numbers),
        )
        const registered = yield* references.registered(organization_id)
        const show = steps.run(view, ([row, named], now) => {
          const shown = { ...batch, ...ownPolicies(body, row) }
          const audited = allowed(caller, "batch.create", batch.batch_id)
          const draft = joined(showing(shown, row, audited, now), named)
          return write(draft, batchRecord(shown, row, tallyAfter({}, batch.batch_id, draft.changes), registered))
        })
        const { reply } = yield* intakes.take(batch, intake, campaign?.transliteration ?? null, show)
        return reply
      })

      /** Decides a request that names the batch and writes what it makes of it. */
      const steer = Effect.fnUntraced(function* (
        caller: Caller,
        batchId: string,
        commandFor: (batch: Batch, progress: BatchProgress) => BatchCommand,
        changes: Partial<Batch> = {},
      ) {
        const registered = yield* references.registered(caller.organization_id)
        const view = Effect.gen(function* () {
          const batch = yield* batchOf(caller.organization_id, batchId)
          return { batch, tally: yield* tallies.read(batchId), of: yield* lifecycle.campaignOf(batch) }
        })
        const { reply } = yield* steps.run(
          view,
          ({ batch, tally, of }, now): Decision<Result.Result<BatchRecord, StateConflict>> => {
            const record = (row: Batch, figures: Tally) => batchRecord(row, of?.campaign ?? null, figures, registered)
            const command = commandFor(batch, progressOf(batch, tally, now))
            const decision = decideBatch(batch, command)
            if (!decision.ok) {
              const message = refusals[decision.reason](decision.status, verbs[command.kind])
              return unchanged(Result.fail(new StateConflict({ message })))
            }
            const after = raised(batch, { ...moved(batch, decision.to, now), ...changes })
            if (after.status === batch.status && after.paused_by === batch.paused_by && command.kind !== "schedule") {
              return unchanged(Result.succeed(record(batch, tally)))
            }
            const finishes = isFinishedBatch(after.status) && !isFinishedBatch(batch.status)
            const draft = joined(
              { organization_id: batch.organization_id },
              change("batch", batch, after, now),
              finishes ? finishing(of, now) : {},
              {
                wakeups: [{ set: { kind: "dispatch", subject: batch.organization_id, at: now } }],
                audit: [allowed(caller, `batch.${command.kind}`, batchId)],
              },
            )
            return write(draft, Result.succeed(record(after, tallyAfter(tally, batchId, draft.changes))))
          },
        )
        const { campaign_id, status } = yield* Effect.fromResult(reply)
        // Whoever is answered finds the campaign completed, where another batch was stopped at the same moment. The batch is stopped
        // whatever becomes of this look, and the dispatcher looks, too.
        if (campaign_id !== null && isFinishedBatch(status)) yield* Effect.ignore(lifecycle.complete(campaign_id))
        return yield* Effect.fromResult(reply)
      })

      return Batches.of({
        create,
        find: (organizationId, batchId) => Effect.flatMap(batchOf(organizationId, batchId), recordOf),
        page: Effect.fnUntraced(function* (organizationId, query, page) {
          const { items, total } = yield* store.page(organizationId, query, page)
          const registered = yield* references.registered(organizationId)
          return { items: yield* Effect.forEach(items, (batch) => shownWith(batch, registered)), total }
        }),
        executions: (organizationId, batchId, filter, page) =>
          Effect.flatMap(batchOf(organizationId, batchId), () =>
            listed(calls, organizationId, { ...filter, batch_id: batchId }, page),
          ),
        schedule: Effect.fnUntraced(function* (caller, batchId, scheduledAt) {
          yield* batchOf(caller.organization_id, batchId)
          const fault = scheduleError(scheduledAt, clock.now())
          if (fault !== null) return yield* fault
          return yield* steer(caller, batchId, () => ({ kind: "schedule" }), { scheduled_at: scheduledAt })
        }),
        stop: (caller, batchId) => steer(caller, batchId, () => ({ kind: "stop" })),
        pause: (caller, batchId) => steer(caller, batchId, () => ({ kind: "pause" })),
        resume: (caller, batchId) => steer(caller, batchId, (_, progress) => ({ kind: "resume", progress })),
      })
    }),
  )
}

/** A batch's own policy, null where it says nothing and follows its campaign. */
const ownPolicy = <A extends object>(sent: Partial<A> | null | undefined, inherited: A): A | null =>
  sent === undefined || sent === null ? null : { ...inherited, ...sent }

const ownPolicies = (body: NewBatch, campaign: Campaign | null): Pick<Batch, "retry_policy" | "follow_up_policy"> => ({
  retry_policy: ownPolicy(body.retry_policy, campaign?.retry_policy ?? retryPolicyDefaults),
  follow_up_policy: ownPolicy(body.follow_up_policy, campaign?.follow_up_policy ?? followUpPolicyDefaults),
})
