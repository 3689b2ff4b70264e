import { Context, Effect, Layer, Result } from "effect"
import { Audit } from "../audit/Audit.ts"
import type { Batch } from "../batches/Batch.ts"
import { type BatchRecord, batchRecord } from "../batches/BatchRecord.ts"
import {
  type BatchProgress,
  type BatchState,
  cascadeToBatch,
  isFinishedBatch,
  newBatch,
} from "../batches/BatchStatus.ts"
import { BatchStore } from "../batches/BatchStore.ts"
import { Callees } from "../callees/Callees.ts"
import { ContactStore } from "../contacts/ContactStore.ts"
import { Explainer } from "../dispatch/Explainer.ts"
import { type CommitDraft, type Decision, type Expectation, joined, unchanged, write } from "../engine/Commit.ts"
import { batchesOf } from "../engine/Guards.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { Ids } from "../engine/Ids.ts"
import { change, raised } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, Malformed, NotFound, StateConflict } from "../Errors.ts"
import type { ContactIntake } from "../intake/ContactIntake.ts"
import { Intake } from "../intake/Intake.ts"
import type { Caller } from "../keys/Caller.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { figure, type Tally } from "../tallies/Tally.ts"
import { tallyAfter } from "../tallies/TallyAfter.ts"
import { TallyStore } from "../tallies/TallyStore.ts"
import type { Campaign, CampaignSettings } from "./Campaign.ts"
import {
  type CampaignExplanation,
  type CampaignRecord,
  campaignRecord,
  type CampaignStats,
  campaignStats,
  type ContactRecord,
  contactRecord,
} from "./CampaignRecords.ts"
import { type CampaignBody, campaignDefaults, type NewCampaign, writeCampaign } from "./CampaignSettings.ts"
import { type CampaignRefusal, type CampaignStatus, decideCampaign, hasEnded } from "./CampaignStatus.ts"
import { type CampaignQuery, CampaignStore } from "./CampaignStore.ts"
import { campaignChange, Lifecycle, moved, progressOf, statusAfterWork, unfinishedOf } from "./Lifecycle.ts"
import { campaignEnded, newBatchChange, showing } from "./NewBatches.ts"
import { References } from "./References.ts"

export interface CampaignsShape {
  /**
   * Creates a campaign and, with contacts, its first batch, in one write: status `created`, `batch_id` set when there are contacts.
   * Fails with NotFound (agent, follow-up agent), InvalidField (unregistered caller ID), Malformed (zone, hours, end), or the
   * translation service's own failure; nothing is stored then.
   */
  readonly create: (
    caller: Caller,
    body: NewCampaign,
    intake: ContactIntake | null,
  ) => Effect.Effect<CampaignRecord, EngineError>
  /** NotFound "Campaign not found." */
  readonly find: (organizationId: string, campaignId: string) => Effect.Effect<CampaignRecord, EngineError>
  readonly page: (
    organizationId: string,
    query: CampaignQuery,
    page: PageRequest,
  ) => Effect.Effect<Page<CampaignRecord>, EngineError>
  readonly stats: (organizationId: string, campaignId: string) => Effect.Effect<CampaignStats, EngineError>
  /** Malformed on an empty body, StateConflict where the status does not allow it, and what `create` fails with. */
  readonly patch: (caller: Caller, campaignId: string, body: CampaignBody) => Effect.Effect<CampaignRecord, EngineError>
  readonly pause: (caller: Caller, campaignId: string) => Effect.Effect<CampaignRecord, EngineError>
  readonly resume: (caller: Caller, campaignId: string) => Effect.Effect<CampaignRecord, EngineError>
  readonly cancel: (caller: Caller, campaignId: string) => Effect.Effect<CampaignRecord, EngineError>
  readonly revive: (caller: Caller, campaignId: string) => Effect.Effect<CampaignRecord, EngineError>
  /** Archives; harmless when archived already, StateConflict while a batch is unfinished. */
  readonly remove: (caller: Caller, campaignId: string) => Effect.Effect<void, EngineError>
  /** Oldest first. */
  readonly batches: (
    organizationId: string,
    campaignId: string,
    page: PageRequest,
  ) => Effect.Effect<Page<BatchRecord>, EngineError>
  /** In the order in which they were handed in. */
  readonly contacts: (
    organizationId: string,
    campaignId: string,
    page: PageRequest,
  ) => Effect.Effect<Page<ContactRecord>, EngineError>
  /** Adds contacts as one more batch; StateConflict once the campaign has ended. */
  readonly append: (
    caller: Caller,
    campaignId: string,
    intake: ContactIntake,
  ) => Effect.Effect<BatchRecord, EngineError>
  readonly explain: (organizationId: string, campaignId: string) => Effect.Effect<CampaignExplanation, EngineError>
}

const verbs = {
  pause: "paused",
  resume: "resumed",
  cancel: "cancelled",
  revive: "revived",
  delete: "deleted",
  edit: "edited",
} as const

const refusal = (reason: CampaignRefusal, status: CampaignStatus, verb: keyof typeof verbs): StateConflict => {
  const messages: { readonly [each in CampaignRefusal]: string } = {
    ended: `This campaign has already ended (status=${status}) and cannot be ${verbs[verb]}.`,
    still_running: `This campaign is still running (status=${status}) and cannot be revived.`,
    archived: "This campaign is archived and cannot be revived.",
    batches_unfinished: "This campaign has batches that are not finished. Cancel it first.",
    not_editable: `This campaign cannot be edited (status=${status}).`,
    agent_in_use: `The agent of this campaign cannot be changed now (status=${status}).`,
  }
  return new StateConflict({ message: messages[reason] })
}

/** A campaign with its batches and how far each has come. */
interface Whole {
  readonly campaign: Campaign
  /** That no batch has joined it since. */
  readonly standing: ReadonlyArray<Expectation>
  readonly tally: Tally
  readonly batches: ReadonlyArray<{ readonly batch: Batch; readonly progress: BatchProgress }>
}

/** The numbers that a campaign and its batches name. */
const numbersOf = ({ batches, campaign }: Whole): ReadonlyArray<string> =>
  [campaign, ...batches.map(({ batch }) => batch)].flatMap(({ phone_numbers }) => phone_numbers ?? [])

/** Campaigns as customers create, read, steer and end them (specification, "Campaigns"). */
export class Campaigns extends Context.Service<Campaigns, CampaignsShape>()("@carillon/core/campaigns/Campaigns") {
  static readonly layer = Layer.effect(
    Campaigns,
    Effect.gen(function* () {
      const store = yield* CampaignStore
      const batches = yield* BatchStore
      const contacts = yield* ContactStore
      const callees = yield* Callees
      const tallies = yield* TallyStore
      const references = yield* References
      const lifecycle = yield* Lifecycle
      const intakes = yield* Intake
      const explainer = yield* Explainer
      const steps = yield* Steps
      const audit = yield* Audit
      const clock = yield* DomainClock
      const ids = yield* Ids
      let nth = 0

      const campaignOf = Effect.fnUntraced(function* (organizationId: string, campaignId: string) {
        const campaign = yield* store.find(organizationId, campaignId)
        return campaign ?? (yield* new NotFound({ message: "Campaign not found." }))
      })

      const shownWith = (registered: ReadonlyArray<string>, campaign: Campaign, batchId: string | null = null) =>
        Effect.map(tallies.read(campaign.campaign_id), (tally) => campaignRecord(campaign, tally, registered, batchId))

      const recordOf = (campaign: Campaign, batchId: string | null = null) =>
        Effect.flatMap(references.registered(campaign.organization_id), (registered) =>
          shownWith(registered, campaign, batchId),
        )

      const whole = Effect.fnUntraced(function* (organizationId: string, campaignId: string) {
        const standing = yield* steps.standing(batchesOf(campaignId))
        const campaign = yield* campaignOf(organizationId, campaignId)
        const now = clock.now()
        const rows: Array<Whole["batches"][number]> = []
        for (const batch of yield* batches.ofCampaign(campaignId)) {
          rows.push({ batch, progress: progressOf(batch, yield* tallies.read(batch.batch_id), now) })
        }
        return { campaign, standing, tally: yield* tallies.read(campaignId), batches: rows } satisfies Whole
      })

      const allowed = (caller: Caller, action: string, campaignId: string) =>
        audit.allowed(caller, { action, resource: { type: "campaign", id: campaignId } })

      /** The part of a commit that names the numbers to call from, as far as a body has named them anew. */
      const naming = (organizationId: string, settings: CampaignSettings, body: CampaignBody) =>
        references.numbers(organizationId, body.phone_numbers === undefined ? [] : (settings.phone_numbers ?? []))

      /** Checks what settings name, as far as a body has named it anew. */
      const verify = Effect.fnUntraced(function* (
        organizationId: string,
        settings: CampaignSettings,
        body: CampaignBody,
      ) {
        if (body.agent_id !== undefined) yield* references.agent(organizationId, settings.agent_id)
        const followUpAgent = settings.follow_up_policy.follow_up_agent_id
        if (typeof body.follow_up_policy?.follow_up_agent_id === "string" && followUpAgent !== null) {
          yield* references.agent(organizationId, followUpAgent)
        }
        yield* naming(organizationId, settings, body)
        if (body.transliteration !== undefined) yield* references.languages(settings.transliteration)
      })

      /** The change of a campaign and of those of its batches that move with it. */
      const step = (
        caller: Caller,
        action: string,
        { campaign: before, standing, tally, batches: rows }: Whole,
        now: number,
        after: Omit<Campaign, "revision" | "updated_at">,
        cascade: (row: Whole["batches"][number]) => BatchState,
      ): Decision<Result.Result<Campaign, StateConflict>> => {
        const moves = rows.map((row) => ({ batch: row.batch, state: cascade(row) }))
        const unfinished = moves.filter(({ state }) => !isFinishedBatch(state.status)).length
        const comesBack = after.status === "active" && before.status !== "active"
        // A campaign that is revived without work goes on until its end, paused meanwhile or not.
        const isIdle = unfinished === 0 && (action === "campaign.revive" || before.idle_with === rows.length)
        const idle = comesBack ? { idle_with: isIdle ? rows.length : null } : {}
        const campaign = raised(before, { ...after, ...idle, revision: before.revision, updated_at: now })
        const status = comesBack ? statusAfterWork(campaign, tally, unfinished) : campaign.status
        const parts: Array<Partial<CommitDraft>> = []
        for (const { batch, state } of moves) {
          const agent_id = batch.agent_id === before.agent_id ? campaign.agent_id : batch.agent_id
          const sameAgent = agent_id === batch.agent_id || isFinishedBatch(state.status)
          const sameState = state.status === batch.status && state.paused_by === batch.paused_by
          if (sameAgent && sameState && state.cancelled_by === batch.cancelled_by) continue
          parts.push(
            change(
              "batch",
              batch,
              { ...moved(batch, state, now), agent_id: sameAgent ? batch.agent_id : agent_id },
              now,
            ),
          )
        }
        return write(
          joined(
            { organization_id: campaign.organization_id, expect: standing },
            campaignChange(before, { ...campaign, status }, now, figure(tally, "contacts") > 0),
            ...parts,
            {
              audit: [allowed(caller, action, campaign.campaign_id)],
            },
          ),
          Result.succeed(campaign),
        )
      }

      const stays = (campaign: Campaign) => unchanged(Result.succeed(campaign))

      const steer = Effect.fnUntraced(function* (
        caller: Caller,
        campaignId: string,
        decide: (view: Whole, now: number) => Decision<Result.Result<Campaign, StateConflict>>,
        named: Effect.Effect<Partial<CommitDraft>, EngineError> = Effect.succeed({}),
      ) {
        if (hasEnded(yield* campaignOf(caller.organization_id, campaignId))) yield* lifecycle.mend(campaignId)
        const registered = yield* references.registered(caller.organization_id)
        const view = Effect.gen(function* () {
          const before = yield* whole(caller.organization_id, campaignId)
          const again = hasEnded(before.campaign)
            ? yield* references.namedAgain(caller.organization_id, numbersOf(before))
            : {}
          return { before, again, parts: yield* named }
        })
        const { reply } = yield* steps.run(view, ({ before, again, parts }, now) => {
          const { commit, reply } = decide(before, now)
          const goesOn = Result.isSuccess(reply) && !hasEnded(reply.success)
          const draft = commit === null ? null : joined(commit, parts, goesOn ? again : {})
          const tally = tallyAfter(before.tally, campaignId, draft?.changes)
          const record = (campaign: Campaign) => campaignRecord(campaign, tally, registered, null)
          return { commit: draft, reply: Result.map(reply, record) }
        })
        return yield* Effect.fromResult(reply)
      })

      const batchFor = (campaign: Campaign, intake: ContactIntake): Batch => {
        const now = clock.now()
        return {
          ...newBatch,
          batch_id: ids.mint("batch", campaign.campaign_id, nth++),
          organization_id: campaign.organization_id,
          revision: 1,
          campaign_id: campaign.campaign_id,
          agent_id: campaign.agent_id,
          name: campaign.name,
          file_name: intake.file_name,
          phone_numbers: null,
          retry_policy: null,
          follow_up_policy: null,
          default_call_variables: {},
          metadata: {},
          concurrency_limit: null,
          total_contacts: intake.contacts.length,
          scheduled_at: null,
          started_at: null,
          completed_at: null,
          created_at: now,
          updated_at: now,
        }
      }

      const create: CampaignsShape["create"] = Effect.fnUntraced(function* (caller, body, intake) {
        const { organization_id } = caller
        const settings = yield* Effect.fromResult(writeCampaign(campaignDefaults(body.name, body.agent_id), body))
        yield* verify(organization_id, settings, body)
        const now = clock.now()
        const campaign: Campaign = {
          ...settings,
          campaign_id: ids.mint("campaign", organization_id, body.name, nth++),
          organization_id,
          revision: 1,
          status: "created",
          idle_with: null,
          created_at: now,
          updated_at: now,
        }
        const batch = intake === null ? null : batchFor(campaign, intake)
        const shown = joined(
          { organization_id, audit: [allowed(caller, "campaign.create", campaign.campaign_id)] },
          campaignChange(null, campaign, now, batch !== null),
          batch === null ? {} : newBatchChange(batch),
        )
        const registered = yield* references.registered(organization_id)
        // A number may be given up while the contacts are stored.
        const show = steps.run(naming(organization_id, settings, body), (named) =>
          write(joined(shown, named), undefined),
        )
        yield* intake === null || batch === null ? show : intakes.take(batch, intake, campaign.transliteration, show)
        const tally = tallyAfter({}, campaign.campaign_id, shown.changes)
        return campaignRecord(campaign, tally, registered, batch?.batch_id ?? null)
      })

      const patch: CampaignsShape["patch"] = Effect.fnUntraced(function* (caller, campaignId, body) {
        if (Object.keys(body).length === 0) {
          return yield* new Malformed({ message: "The request body has no field to change." })
        }
        const current = yield* campaignOf(caller.organization_id, campaignId)
        const settings = yield* Effect.fromResult(writeCampaign(current, body))
        yield* verify(caller.organization_id, settings, body)
        const decide = (view: Whole, now: number): Decision<Result.Result<Campaign, StateConflict>> => {
          const { campaign } = view
          // What was valid a moment ago is written on the row as it is now.
          const next = Result.getOrElse(writeCampaign(campaign, body), () => settings)
          const decision = decideCampaign(campaign.status, {
            kind: "edit",
            changesAgent: next.agent_id !== campaign.agent_id,
            endTimeMs: next.end_time,
            nowMs: now,
          })
          if (!decision.ok) return unchanged(Result.fail(refusal(decision.reason, decision.status, "edit")))
          const reopens = campaign.status === "expired" && decision.to === "active"
          return step(
            caller,
            "campaign.update",
            view,
            now,
            { ...campaign, ...next, status: decision.to },
            ({ batch, progress }) => (reopens ? cascadeToBatch(batch, { kind: "reopen", progress }) : batch),
          )
        }
        return yield* steer(caller, campaignId, decide, naming(caller.organization_id, settings, body))
      })

      const pause: CampaignsShape["pause"] = (caller, campaignId) =>
        steer(caller, campaignId, (view, now) => {
          const { campaign } = view
          const decision = decideCampaign(campaign.status, { kind: "pause" })
          if (!decision.ok) return unchanged(Result.fail(refusal(decision.reason, decision.status, "pause")))
          return step(caller, "campaign.pause", view, now, { ...campaign, status: decision.to }, ({ batch }) =>
            cascadeToBatch(batch, { kind: "pause" }),
          )
        })

      const resume: CampaignsShape["resume"] = (caller, campaignId) =>
        steer(caller, campaignId, (view, now) => {
          const { campaign } = view
          const decision = decideCampaign(campaign.status, { kind: "resume" })
          if (!decision.ok) return unchanged(Result.fail(refusal(decision.reason, decision.status, "resume")))
          if (decision.to === campaign.status) return stays(campaign)
          return step(
            caller,
            "campaign.resume",
            view,
            now,
            { ...campaign, status: decision.to },
            ({ batch, progress }) => cascadeToBatch(batch, { kind: "resume", progress }),
          )
        })

      const cancel: CampaignsShape["cancel"] = (caller, campaignId) =>
        steer(caller, campaignId, (view, now) => {
          const { campaign } = view
          const decision = decideCampaign(campaign.status, { kind: "cancel" })
          if (!decision.ok) return unchanged(Result.fail(refusal(decision.reason, decision.status, "cancel")))
          return step(caller, "campaign.cancel", view, now, { ...campaign, status: decision.to }, ({ batch }) =>
            cascadeToBatch(batch, { kind: "cancel" }),
          )
        })

      const revive: CampaignsShape["revive"] = (caller, campaignId) =>
        steer(caller, campaignId, (view, now) => {
          const { campaign } = view
          const decision = decideCampaign(campaign.status, { kind: "revive" })
          if (!decision.ok) return unchanged(Result.fail(refusal(decision.reason, decision.status, "revive")))
          return step(
            caller,
            "campaign.revive",
            view,
            now,
            { ...campaign, status: decision.to },
            ({ batch, progress }) => cascadeToBatch(batch, { kind: "reopen", progress }),
          )
        })

      const remove: CampaignsShape["remove"] = Effect.fnUntraced(function* (caller, campaignId) {
        yield* steer(caller, campaignId, (view, now) => {
          const { campaign, tally } = view
          const decision = decideCampaign(campaign.status, {
            kind: "delete",
            unfinishedBatches: unfinishedOf(tally),
          })
          if (!decision.ok) return unchanged(Result.fail(refusal(decision.reason, decision.status, "delete")))
          if (decision.to === campaign.status) return stays(campaign)
          return step(caller, "campaign.delete", view, now, { ...campaign, status: decision.to }, ({ batch }) => batch)
        })
      })

      const append: CampaignsShape["append"] = Effect.fnUntraced(function* (caller, campaignId, intake) {
        const campaign = yield* campaignOf(caller.organization_id, campaignId)
        if (hasEnded(campaign)) return yield* campaignEnded(campaign)
        const batch = batchFor(campaign, intake)
        const registered = yield* references.registered(caller.organization_id)
        const show = steps.run(
          Effect.flatMap(campaignOf(caller.organization_id, campaignId), (row) =>
            hasEnded(row) ? campaignEnded(row) : Effect.succeed(row),
          ),
          (row, now) => {
            // The campaign may have been edited while its contacts were stored.
            const shown = { ...batch, agent_id: row.agent_id, name: row.name }
            const audited = allowed(caller, "campaign.append", campaignId)
            const draft = showing(shown, row, audited, now)
            return write(draft, batchRecord(shown, row, tallyAfter({}, batch.batch_id, draft.changes), registered))
          },
        )
        const { reply } = yield* intakes.take(batch, intake, campaign.transliteration, show)
        return reply
      })

      const listContacts: CampaignsShape["contacts"] = Effect.fnUntraced(function* (organizationId, campaignId, page) {
        const campaign = yield* campaignOf(organizationId, campaignId)
        const items: Array<ContactRecord> = []
        let total = 0
        const now = clock.now()
        const { setting } = yield* callees.sureHours(organizationId)
        const skip = (page.page - 1) * page.page_size
        for (const batch of yield* batches.ofCampaign(campaignId)) {
          // Its contacts were kept for their time, and are going.
          if (batch.purging_since !== undefined) continue
          const from = Math.max(0, skip - total)
          const wanted = page.page_size - items.length
          if (from < batch.total_contacts && wanted > 0) {
            const rows = yield* contacts.rows(batch.batch_id, from, wanted)
            items.push(...rows.map((row) => contactRecord(row, batch, campaign, now, setting)))
          }
          total += batch.total_contacts
        }
        return { items, total }
      })

      return Campaigns.of({
        create,
        find: (organizationId, campaignId) =>
          Effect.flatMap(campaignOf(organizationId, campaignId), (row) => recordOf(row)),
        page: Effect.fnUntraced(function* (organizationId, query, page) {
          const { items, total } = yield* store.page(organizationId, query, page)
          const registered = yield* references.registered(organizationId)
          return { items: yield* Effect.forEach(items, (campaign) => shownWith(registered, campaign)), total }
        }),
        stats: Effect.fnUntraced(function* (organizationId, campaignId) {
          const campaign = yield* campaignOf(organizationId, campaignId)
          return campaignStats(campaign, yield* tallies.read(campaignId))
        }),
        patch,
        pause,
        resume,
        cancel,
        revive,
        remove,
        batches: Effect.fnUntraced(function* (organizationId, campaignId, { page, page_size }) {
          const campaign = yield* campaignOf(organizationId, campaignId)
          const registered = yield* references.registered(organizationId)
          const all = yield* batches.ofCampaign(campaignId)
          const skip = (page - 1) * page_size
          const items = yield* Effect.forEach(all.slice(skip, skip + page_size), (batch) =>
            Effect.map(tallies.read(batch.batch_id), (tally) => batchRecord(batch, campaign, tally, registered)),
          )
          return { items, total: all.length }
        }),
        contacts: listContacts,
        append,
        explain: (organizationId, campaignId) =>
          Effect.flatMap(campaignOf(organizationId, campaignId), explainer.explain),
      })
    }),
  )
}
