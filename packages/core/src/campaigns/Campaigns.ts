import { Context, Effect, Layer } from "effect"
import { roomFault } from "../batches/steps/BatchRoom.ts"
import { type BatchRecord, batchRecord } from "../batches/rules/BatchRecord.ts"
import { BatchStore } from "../batches/ports/BatchStore.ts"
import { batchOfCampaign, type HandedIn } from "../batches/steps/NewBatch.ts"
import { Callees } from "../callees/Callees.ts"
import { ContactStore } from "../contacts/ports/ContactStore.ts"
import { Explainer } from "../dispatch/Explainer.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Ids } from "../engine/ports/Ids.ts"
import { nextTurn } from "../engine/ports/Pacing.ts"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, Malformed } from "../Errors.ts"
import type { ContactIntake } from "../intake/rules/ContactIntake.ts"
import { foundOrNothing } from "../idempotency/FoundOrNothing.ts"
import type { Recalled } from "../idempotency/rules/Recalled.ts"
import { Intake } from "../intake/Intake.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { TallyStore } from "../tallies/ports/TallyStore.ts"
import { appendContacts } from "./steps/AppendContacts.ts"
import type { Campaign } from "./rules/Campaign.ts"
import type { CampaignEntry } from "./rules/CampaignEntry.ts"
import { campaignOf, fillingCampaign } from "./steps/CampaignReads.ts"
import {
  type CampaignExplanation,
  type CampaignRecord,
  campaignRecord,
  type CampaignStats,
  campaignStats,
  type ContactRecord,
  contactRecord,
} from "./rules/CampaignRecords.ts"
import { referencesIn } from "./steps/CampaignReferences.ts"
import { type CampaignBody, campaignDefaults, type NewCampaign, writeCampaign } from "./rules/CampaignSettings.ts"
import { hasEnded } from "./rules/CampaignStatus.ts"
import { type CampaignQuery, CampaignStore } from "./ports/CampaignStore.ts"
import { createCampaign } from "./steps/CreateCampaign.ts"
import { editCampaign } from "./steps/EditCampaign.ts"
import { Lifecycle } from "./Lifecycle.ts"
import { cancelCampaign, deleteCampaign, pauseCampaign, resumeCampaign, reviveCampaign } from "./steps/MoveCampaign.ts"
import type { Steered } from "./steps/Steering.ts"

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
  /** What `create` answers of a campaign that a request with an `Idempotency-Key` may have made before its process was gone. */
  readonly recall: (organizationId: string, campaignId: string) => Effect.Effect<Recalled<CampaignRecord>, EngineError>
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
  /** What happened to a campaign and who brought that about, newest first: its last `limits.campaignLogEntries` entries. */
  readonly log: (
    organizationId: string,
    campaignId: string,
    page: PageRequest,
  ) => Effect.Effect<Page<CampaignEntry>, EngineError>
}

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
      // Answers list them where something names none.
      const { numbers: registeredOf } = yield* AccountStore
      const lifecycle = yield* Lifecycle
      const intakes = yield* Intake
      const explainer = yield* Explainer
      const steps = yield* Steps
      const clock = yield* DomainClock
      const ids = yield* Ids
      let nth = 0

      const find = (organizationId: string, campaignId: string) =>
        steps.look(() => campaignOf(organizationId, campaignId))

      const shownWith = (registered: ReadonlyArray<string>, campaign: Campaign) =>
        Effect.map(tallies.read(campaign.campaign_id), (tally) => campaignRecord(campaign, tally, registered, null))

      /** Steers a campaign, which is mended before where it has ended and its batches have not; answers with it. */
      const steered = Effect.fnUntraced(function* (
        { organization_id }: Caller,
        campaignId: string,
        steering: Effect.Effect<Steered, EngineError>,
      ) {
        if (hasEnded(yield* find(organization_id, campaignId))) yield* lifecycle.mend(campaignId)
        const registered = yield* registeredOf(organization_id)
        const { campaign, tally } = yield* steering
        return campaignRecord(campaign, tally, registered, null)
      })

      /** Contacts of a campaign as they are handed in. */
      const handedInto = (
        campaignId: string,
        { contacts, file_name }: ContactIntake,
        batchId: string = ids.mint("batch", campaignId, nth++),
      ): HandedIn => ({
        batch_id: batchId,
        file_name,
        total_contacts: contacts.length,
      })

      const create: CampaignsShape["create"] = Effect.fnUntraced(function* (caller, body, intake) {
        const { organization_id } = caller
        const settings = yield* Effect.fromResult(writeCampaign(campaignDefaults(body.name, body.agent_id), body))
        yield* steps.look(() => referencesIn(organization_id, settings, body))
        const campaign_id = caller.keyed?.subject ?? ids.mint("campaign", organization_id, body.name, nth++)
        const handedIn = intake === null ? null : handedInto(campaign_id, intake)
        const registered = yield* registeredOf(organization_id)
        const show = steps.take(createCampaign, { caller, campaign_id, settings, body, handedIn })
        const { campaign, tally } = yield* intake === null || handedIn === null
          ? show
          : intakes.take(
              { ...settings, organization_id, campaign_id, batch_id: handedIn.batch_id },
              intake,
              settings.transliteration,
              show,
            )
        return campaignRecord(campaign, tally, registered, handedIn?.batch_id ?? null)
      })

      const append: CampaignsShape["append"] = Effect.fnUntraced(function* (caller, campaign_id, intake) {
        const { organization_id } = caller
        const filled = yield* steps.look(() => fillingCampaign(organization_id, campaign_id))
        const { campaign } = filled
        const handedIn = handedInto(campaign_id, intake, caller.keyed?.subject)
        const full = roomFault(batchOfCampaign(handedIn, campaign, clock.now()), filled)
        if (full !== null) return yield* full
        const registered = yield* registeredOf(organization_id)
        const show = steps.take(appendContacts, { caller, campaign_id, handedIn })
        const shown = yield* intakes.take(
          { ...campaign, batch_id: handedIn.batch_id },
          intake,
          campaign.transliteration,
          show,
        )
        return batchRecord(shown.batch, shown.campaign, shown.tally, registered)
      })

      const listContacts: CampaignsShape["contacts"] = Effect.fnUntraced(function* (organizationId, campaignId, page) {
        const campaign = yield* find(organizationId, campaignId)
        const items: Array<ContactRecord> = []
        const now = clock.now()
        const { setting } = yield* callees.sureHours(organizationId, Math.max(now, campaign.start_time ?? now))
        const parts = yield* batches.contactsOfCampaign(campaignId, page)
        for (const { batch, count, from } of parts.items) {
          for (const row of yield* contacts.rows(batch.batch_id, from, count)) {
            // When a callee may be called next is looked for over weeks.
            const isTurnOver = setting !== null && items.length % limits.contactsTimedAtOnce === 0
            if (isTurnOver && items.length > 0) yield* nextTurn
            items.push(contactRecord(row, batch, campaign, now, setting))
          }
        }
        return { items, total: parts.total }
      })

      /** A campaign with the batch that it was created with: the first one, where that is as old. */
      const created = Effect.fnUntraced(function* (organizationId: string, campaignId: string) {
        const campaign = yield* find(organizationId, campaignId)
        const registered = yield* registeredOf(organizationId)
        const tally = yield* tallies.read(campaignId)
        const [first] = (yield* batches.pageOfCampaign(campaignId, { page: 1, page_size: 1 })).items
        const isItsOwn = first?.created_at === campaign.created_at
        return campaignRecord(campaign, tally, registered, first !== undefined && isItsOwn ? first.batch_id : null)
      })

      return Campaigns.of({
        create,
        recall: (organizationId, campaignId) => foundOrNothing(created(organizationId, campaignId)),
        find: Effect.fnUntraced(function* (organizationId, campaignId) {
          const campaign = yield* find(organizationId, campaignId)
          return yield* shownWith(yield* registeredOf(organizationId), campaign)
        }),
        page: Effect.fnUntraced(function* (organizationId, query, page) {
          const { items, total } = yield* store.page(organizationId, query, page)
          const registered = yield* registeredOf(organizationId)
          return { items: yield* Effect.forEach(items, (campaign) => shownWith(registered, campaign)), total }
        }),
        stats: Effect.fnUntraced(function* (organizationId, campaignId) {
          const campaign = yield* find(organizationId, campaignId)
          return campaignStats(campaign, yield* tallies.read(campaignId))
        }),
        patch: (caller, campaign_id, body) =>
          Object.keys(body).length === 0
            ? Effect.fail(new Malformed({ message: "The request body has no field to change." }))
            : steered(caller, campaign_id, steps.take(editCampaign, { caller, campaign_id, body })),
        pause: (caller, campaign_id) =>
          steered(caller, campaign_id, steps.take(pauseCampaign, { caller, campaign_id })),
        resume: (caller, campaign_id) =>
          steered(caller, campaign_id, steps.take(resumeCampaign, { caller, campaign_id })),
        cancel: (caller, campaign_id) =>
          steered(caller, campaign_id, steps.take(cancelCampaign, { caller, campaign_id })),
        revive: (caller, campaign_id) =>
          steered(caller, campaign_id, steps.take(reviveCampaign, { caller, campaign_id })),
        remove: (caller, campaign_id) =>
          Effect.asVoid(steered(caller, campaign_id, steps.take(deleteCampaign, { caller, campaign_id }))),
        batches: Effect.fnUntraced(function* (organizationId, campaignId, page) {
          const campaign = yield* find(organizationId, campaignId)
          const registered = yield* registeredOf(organizationId)
          const { items, total } = yield* batches.pageOfCampaign(campaignId, page)
          const shown = yield* Effect.forEach(items, (batch) =>
            Effect.map(tallies.read(batch.batch_id), (tally) => batchRecord(batch, campaign, tally, registered)),
          )
          return { items: shown, total }
        }),
        contacts: listContacts,
        append,
        explain: (organizationId, campaignId) => Effect.flatMap(find(organizationId, campaignId), explainer.explain),
        log: (organizationId, campaignId, page) =>
          Effect.andThen(find(organizationId, campaignId), store.entries(campaignId, page)),
      })
    }),
  )
}
