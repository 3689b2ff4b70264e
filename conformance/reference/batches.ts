import { agentOf } from "./agents.ts"
import { batchCalls, bookable, type Call } from "./calls.ts"
import { applySettings, type Campaign, campaignOf, isFinished, mustExist, newCampaign, readList } from "./campaigns.ts"
import type { Timer } from "./clock.ts"
import type { Contact } from "./contacts.ts"
import { conflict, missing, notFound } from "./errors.ts"
import { integer, iso, isoOrNull, type Json, moment, orNull, text } from "./fields.ts"
import type { Organization } from "./organization.ts"
import { readSettings } from "./policy.ts"
import { pageAsked, pageOf } from "./query.ts"
import type { Answer, Context, Route } from "./route.ts"

const batchStatuses = [
  "created",
  "scheduled",
  "in_progress",
  "dispatched",
  "completed",
  "paused",
  "cancelled",
  "expired",
  "failed",
] as const

export type BatchStatus = (typeof batchStatuses)[number]

/** A list that is dialled under a policy. */
export interface Batch {
  readonly batch_id: string
  readonly campaign: Campaign
  readonly agent_id: string
  readonly name: string | null
  readonly file_name: string | null
  status: BatchStatus
  /** What it goes back to, and whether the campaign's pause paused it. */
  pausedFrom: BatchStatus | null
  pausedByCampaign: boolean
  contacts: ReadonlyArray<Contact>
  readonly concurrency_limit: number | null
  scheduled_at: number | null
  started_at: number | null
  completed_at: number | null
  readonly metadata: Json
  readonly created_at: number
  updated_at: number
  timer: Timer | undefined
}

const countOf = (contacts: ReadonlyArray<Contact>, ...statuses: ReadonlyArray<string>): number =>
  contacts.filter(({ status }) => statuses.includes(status)).length

const show = (batch: Batch, { calls, organization_id }: Organization) => {
  const { campaign, contacts } = batch
  const execution_status: Record<string, number> = {}
  for (const { status } of calls.filter((call: Call) => call.batch_id === batch.batch_id)) {
    execution_status[status] = (execution_status[status] ?? 0) + 1
  }
  return {
    batch_id: batch.batch_id,
    organization_id,
    agent_id: batch.agent_id,
    campaign_id: campaign.hidden ? null : campaign.campaign_id,
    name: batch.name,
    status: batch.status,
    phone_numbers: campaign.phone_numbers,
    file_name: batch.file_name,
    valid_contacts: contacts.length,
    total_contacts: contacts.length,
    pending_contacts: countOf(contacts, "pending", "retry_scheduled", "follow_up_scheduled"),
    in_progress_contacts: countOf(contacts, "in_progress"),
    completed_contacts: contacts.filter(({ reached }) => reached).length,
    failed_contacts: countOf(contacts, "failed"),
    skipped_contacts: countOf(contacts, "skipped"),
    execution_status,
    retry_policy: campaign.retry_policy,
    concurrency_limit: batch.concurrency_limit,
    scheduled_at: isoOrNull(batch.scheduled_at),
    started_at: isoOrNull(batch.started_at),
    completed_at: isoOrNull(batch.completed_at),
    metadata: batch.metadata,
    created_at: iso(batch.created_at),
    updated_at: iso(batch.updated_at),
  }
}

const create =
  (kind: "json" | "form") =>
  async (context: Context): Promise<Answer> => {
    const { organization, world } = context
    const { body, contacts, fingerprint } = await readList(context, kind)
    const agentId = body.required("agent_id", text(1))
    if (kind === "json" && !body.has("contacts")) throw missing("contacts")
    const listed = contacts() ?? []
    const name = body.optional("name", orNull(text(0, 200))) ?? null
    const campaignId = body.optional("campaign_id", orNull(text(1))) ?? null
    const scheduledAt = body.optional("scheduled_at", orNull(moment)) ?? null
    const limit = body.optional("concurrency_limit", orNull(integer(1, 10_000))) ?? null
    const settings = readSettings(body)
    if (scheduledAt !== null) bookable(scheduledAt, world.clock.now())
    return context.once(fingerprint, () => {
      agentOf(organization, agentId)
      const known = campaignId === null ? null : campaignOf(organization, campaignId)
      mustExist(organization, settings)
      const campaign =
        known ?? newCampaign({ name: name ?? "", agent_id: agentId, created_at: world.clock.now(), hidden: true })
      if (["cancelled", "expired", "archived"].includes(campaign.status)) {
        throw conflict(`This campaign is ${campaign.status} and takes no batches.`)
      }
      if (known === null) applySettings(campaign, { ...settings, start_time: undefined, end_time: undefined })
      const more = {
        agentId,
        name,
        scheduledAt,
        limit,
        metadata: settings.metadata ?? {},
        fileName: kind === "form" ? "contacts.csv" : null,
      }
      const batch = world.dispatcher.addBatch(organization, campaign, listed, more)
      context.touch("batch", batch.batch_id)
      const answer = { status: 201, body: show(batch, organization) }
      world.dispatcher.serve(organization)
      return answer
    })
  }

const batchOf = ({ batches }: Organization, id: string): Batch => {
  const found = batches.get(id)
  if (found === undefined) throw notFound("Batch")
  return found
}

const finishedMessage = (batch: Batch, what: string) =>
  conflict(`This batch has already finished (status=${batch.status}) and cannot be ${what}.`)

const move =
  (how: "pause" | "resume" | "stop", what: string, status: number) =>
  (context: Context): Answer => {
    const { organization, world } = context
    const batch = batchOf(organization, context.id)
    context.touch("batch", batch.batch_id)
    if (isFinished(batch)) throw finishedMessage(batch, what)
    if (how === "pause") world.dispatcher.pauseBatch(batch, false)
    if (how === "resume") world.dispatcher.resumeBatch(organization, batch)
    if (how === "stop") world.dispatcher.cancelBatch(organization, batch)
    batch.updated_at = world.clock.now()
    world.dispatcher.serve(organization)
    return { status, body: show(batch, organization) }
  }

const schedule = async (context: Context): Promise<Answer> => {
  const { organization, world } = context
  const body = await context.fields()
  const at = bookable(body.required("scheduled_at", moment), world.clock.now())
  const batch = batchOf(organization, context.id)
  context.touch("batch", batch.batch_id)
  if (isFinished(batch)) throw finishedMessage(batch, "scheduled")
  if (batch.status === "in_progress" || batch.status === "dispatched") {
    throw conflict(`This batch has already begun (status=${batch.status}) and cannot be scheduled.`)
  }
  world.dispatcher.schedule(organization, batch, at)
  return { status: 200, body: show(batch, organization) }
}

const listed = ({ organization, query }: Context): Answer => {
  pageAsked(query)
  const status = query.word("status", batchStatuses)
  const [agentId, campaignId] = [query.text("agent_id"), query.text("campaign_id")]
  const rows = organization.batches.newestFirst(
    (one) =>
      (status === null || one.status === status) &&
      (agentId === null || one.agent_id === agentId) &&
      (campaignId === null || (!one.campaign.hidden && one.campaign.campaign_id === campaignId)),
  )
  return { status: 200, body: pageOf(query, rows, (one) => show(one, organization)) }
}

const ofCampaign = ({ id, organization, query }: Context): Answer => {
  const campaign = campaignOf(organization, id)
  const rows = campaign.batches.toReversed()
  return { status: 200, body: pageOf(query, rows, (one) => show(one, organization)) }
}

const all = "/v2/batches"
const one = `${all}/{batch_id}`
const read = { method: "GET", scope: "calls:read" } as const
const write = { method: "POST", scope: "batches:write" } as const
const dials = { ...write, bucket: "calls.create" } as const

export const batchRoutes: ReadonlyArray<Route> = [
  { ...dials, path: all, action: "batch.create", handle: create("json") },
  { ...dials, path: `${all}/upload`, action: "batch.upload", handle: create("form") },
  { ...read, path: all, handle: listed },
  {
    ...read,
    path: one,
    handle: ({ id, organization }) => ({ status: 200, body: show(batchOf(organization, id), organization) }),
  },
  {
    ...read,
    path: `${one}/executions`,
    bucket: "executions.list",
    handle: (context) => {
      batchOf(context.organization, context.id)
      return batchCalls(context)
    },
  },
  { ...dials, path: `${one}/schedule`, action: "batch.schedule", handle: schedule },
  { ...write, path: `${one}/stop`, action: "batch.stop", handle: move("stop", "stopped", 200) },
  { ...write, path: `${one}/pause`, action: "batch.pause", handle: move("pause", "paused", 200) },
  { ...write, path: `${one}/resume`, action: "batch.resume", handle: move("resume", "resumed", 202) },
  { ...read, path: "/v2/campaigns/{campaign_id}/batches", handle: ofCampaign },
]
