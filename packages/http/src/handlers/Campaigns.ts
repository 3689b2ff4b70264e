import {
  campaignStatusFilter,
  pageRequest,
  paginate,
  toWireBatch,
  toWireCampaign,
  toWireCampaignLogEntry,
  toWireContact,
  toWireExplanation,
  toWireStats,
} from "@carillon/api"
import { type Caller, Campaigns, type EngineError } from "@carillon/core"
import type { CampaignRecord } from "@carillon/core/domain"
import { Effect } from "effect"
import type { HandlersOf, Incoming } from "../Handler.ts"
import { contactsOf, instantOrNull } from "./CampaignBodies.ts"
import { enumeration } from "./CallPages.ts"
import { rowsOf } from "../PageText.ts"

type Move = (caller: Caller, campaignId: string) => Effect.Effect<CampaignRecord, EngineError>

const contactsIn = (payload: Incoming<"campaigns.create">["payload"]) => {
  if ("file" in payload) return contactsOf(payload.file)
  return payload.contacts === undefined ? Effect.succeed(null) : contactsOf(payload.contacts)
}

/** The settings of a body without its contacts, its times as epoch milliseconds. */
const settingsIn = Effect.fnUntraced(function* <
  Body extends { readonly start_time?: string | null; readonly end_time?: string | null },
>({ start_time, end_time, ...settings }: Body) {
  return {
    ...settings,
    ...(start_time === undefined ? {} : { start_time: yield* instantOrNull("start_time", start_time) }),
    ...(end_time === undefined ? {} : { end_time: yield* instantOrNull("end_time", end_time) }),
  }
})

/** Creating, reading, steering and ending campaigns. */
export const campaignHandlers = Effect.gen(function* () {
  const campaigns = yield* Campaigns

  const moved =
    (move: Move) =>
    ({ caller, params }: { readonly caller: Caller; readonly params: { readonly campaign_id: string } }) =>
      Effect.map(move(caller, params.campaign_id), (campaign) => ({
        status: 200 as const,
        body: toWireCampaign(campaign),
      }))

  const handlers: HandlersOf<"campaigns"> = {
    "campaigns.create": Effect.fnUntraced(function* ({ caller, payload }) {
      const intake = yield* contactsIn(payload)
      const body = yield* settingsIn(payload)
      return { status: 201, body: toWireCampaign(yield* campaigns.create(caller, body, intake)) }
    }),
    "campaigns.list": Effect.fnUntraced(function* ({ caller, query }) {
      const request = pageRequest(query)
      const filter =
        query.status === undefined ? {} : { status: yield* enumeration(campaignStatusFilter(query.status)) }
      const { items, total } = yield* campaigns.page(caller.organization_id, filter, request)
      return { status: 200, body: { data: rowsOf(items, toWireCampaign), pagination: paginate(request, total) } }
    }),
    "campaigns.get": ({ caller, params }) =>
      Effect.map(campaigns.find(caller.organization_id, params.campaign_id), (campaign) => ({
        status: 200,
        body: toWireCampaign(campaign),
      })),
    "campaigns.update": Effect.fnUntraced(function* ({ caller, params, payload }) {
      const body = yield* settingsIn(payload)
      return { status: 200, body: toWireCampaign(yield* campaigns.patch(caller, params.campaign_id, body)) }
    }),
    "campaigns.remove": ({ caller, params }) =>
      Effect.as(campaigns.remove(caller, params.campaign_id), { status: 204 }),
    "campaigns.stats": ({ caller, params }) =>
      Effect.map(campaigns.stats(caller.organization_id, params.campaign_id), (stats) => ({
        status: 200,
        body: toWireStats(stats),
      })),
    "campaigns.pause": moved(campaigns.pause),
    "campaigns.resume": moved(campaigns.resume),
    "campaigns.cancel": moved(campaigns.cancel),
    "campaigns.revive": moved(campaigns.revive),
    "campaigns.batches": Effect.fnUntraced(function* ({ caller, params, query }) {
      const request = pageRequest(query)
      const { items, total } = yield* campaigns.batches(caller.organization_id, params.campaign_id, request)
      return { status: 200, body: { data: rowsOf(items, toWireBatch), pagination: paginate(request, total) } }
    }),
    "campaigns.contacts": Effect.fnUntraced(function* ({ caller, params, query }) {
      const request = pageRequest(query)
      const { items, total } = yield* campaigns.contacts(caller.organization_id, params.campaign_id, request)
      return { status: 200, body: { data: rowsOf(items, toWireContact), pagination: paginate(request, total) } }
    }),
    "campaigns.append": Effect.fnUntraced(function* ({ caller, params, payload }) {
      const intake = yield* contactsOf("file" in payload ? payload.file : payload.contacts)
      return { status: 201, body: toWireBatch(yield* campaigns.append(caller, params.campaign_id, intake)) }
    }),
    "campaigns.explain": ({ caller, params }) =>
      Effect.map(campaigns.explain(caller.organization_id, params.campaign_id), (explanation) => ({
        status: 200,
        body: toWireExplanation(explanation),
      })),
    "campaigns.log": Effect.fnUntraced(function* ({ caller, params, query }) {
      const request = pageRequest(query)
      const { items, total } = yield* campaigns.log(caller.organization_id, params.campaign_id, request)
      return {
        status: 200,
        body: { data: rowsOf(items, toWireCampaignLogEntry), pagination: paginate(request, total) },
      }
    }),
  }
  return handlers
})
