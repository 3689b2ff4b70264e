import { agentOf } from "./agents.ts"
import type { Batch } from "./batches.ts"
import { mebibyte, readBytes, readFields } from "./body.ts"
import type { Timer } from "./clock.ts"
import { type Contact, readContacts, readFile, showContact } from "./contacts.ts"
import type { Listed } from "./csv.ts"
import { conflict, malformed, notFound } from "./errors.ts"
import { defined, Fields, iso, isoOrNull, type Json, text } from "./fields.ts"
import { mint } from "./ids.ts"
import { readParts } from "./multipart.ts"
import type { Organization } from "./organization.ts"
import {
  defaultFollowUps,
  defaultRetries,
  defaultTransliteration,
  type FollowUpPolicy,
  formValues,
  mustEndAfterStart,
  mustOwn,
  readSettings,
  type RetryPolicy,
  type Settings,
  withFollowUps,
  withRetries,
} from "./policy.ts"
import { pageAsked, pageOf } from "./query.ts"
import { type Answer, canonical, type Context, type Route } from "./route.ts"
import { stats } from "./stats.ts"

export const campaignStatuses = [
  "created",
  "active",
  "paused",
  "completed",
  "cancelled",
  "expired",
  "archived",
] as const

export type CampaignStatus = (typeof campaignStatuses)[number]

/** A policy, and the lists that are dialled under it. One that stands behind a lone batch is hidden. */
export interface Campaign {
  readonly campaign_id: string
  readonly hidden: boolean
  name: string
  agent_id: string
  phone_numbers: ReadonlyArray<string> | null
  phone_number_strategy: "round_robin" | "random" | "least_loaded"
  phone_number_index: number
  timezone: string
  working_hours_enforced: boolean
  working_hours: Json
  max_concurrent_calls: number | null
  retry_policy: RetryPolicy
  follow_up_policy: FollowUpPolicy
  transliteration: Json
  start_time: number | null
  end_time: number | null
  default_call_variables: Json
  default_call_context: Json
  metadata: Json
  status: CampaignStatus
  readonly created_at: number
  updated_at: number
  readonly batches: Array<Batch>
  /** Calls that ended, by kind. */
  readonly counters: Record<"completed" | "failed" | "busy" | "no_answer" | "voicemail" | "follow_up", number>
  /** The last turn that it had at the queue. */
  turn: number
  wake: Timer | undefined
  expiry: Timer | undefined
}

export const newCampaign = (
  parts: Pick<Campaign, "name" | "agent_id" | "created_at"> & Partial<Campaign>,
): Campaign => ({
  campaign_id: mint("cmp"),
  hidden: false,
  phone_numbers: null,
  phone_number_strategy: "round_robin",
  phone_number_index: 0,
  timezone: "UTC",
  working_hours_enforced: false,
  working_hours: {},
  max_concurrent_calls: null,
  retry_policy: defaultRetries,
  follow_up_policy: defaultFollowUps,
  transliteration: defaultTransliteration,
  start_time: null,
  end_time: null,
  default_call_variables: {},
  default_call_context: {},
  metadata: {},
  status: "created",
  updated_at: parts.created_at,
  batches: [],
  counters: { completed: 0, failed: 0, busy: 0, no_answer: 0, voicemail: 0, follow_up: 0 },
  turn: 0,
  wake: undefined,
  expiry: undefined,
  ...parts,
})

/** Puts settings that were read over those that stand; policies keep what is not named. */
export const applySettings = (campaign: Campaign, settings: Settings): void => {
  const { follow_up_policy, retry_policy, transliteration, ...plain } = settings
  Object.assign(campaign, defined(plain))
  campaign.retry_policy = withRetries(campaign.retry_policy, retry_policy)
  campaign.follow_up_policy = withFollowUps(campaign.follow_up_policy, follow_up_policy)
  campaign.transliteration = { ...campaign.transliteration, ...defined(transliteration ?? {}) }
}

/** What settings name must be there. */
export const mustExist = (organization: Organization, settings: Settings): void => {
  const agent = settings.follow_up_policy?.follow_up_agent_id
  if (agent !== undefined && agent !== null) agentOf(organization, agent)
  mustOwn(settings.phone_numbers, (phone) => organization.ownsNumber(phone))
}

export const contactsOf = ({ batches }: Campaign): ReadonlyArray<Contact> => batches.flatMap(({ contacts }) => contacts)

export const isFinished = ({ status }: Batch): boolean =>
  ["completed", "cancelled", "expired", "failed"].includes(status)

const show = (campaign: Campaign, organization: Organization, batchId: string | null = null) => {
  const contacts = contactsOf(campaign)
  const { counters } = campaign
  return {
    campaign_id: campaign.campaign_id,
    organization_id: organization.organization_id,
    name: campaign.name,
    agent_id: campaign.agent_id,
    phone_numbers: campaign.phone_numbers ?? [...organization.numbers.values()].map(({ phone_number }) => phone_number),
    phone_number_strategy: campaign.phone_number_strategy,
    phone_number_index: campaign.phone_number_index,
    timezone: campaign.timezone,
    working_hours_enforced: campaign.working_hours_enforced,
    working_hours: campaign.working_hours,
    max_concurrent_calls: campaign.max_concurrent_calls,
    retry_policy: campaign.retry_policy,
    follow_up_policy: campaign.follow_up_policy,
    transliteration: campaign.transliteration,
    start_time: isoOrNull(campaign.start_time),
    end_time: isoOrNull(campaign.end_time),
    default_call_variables: campaign.default_call_variables,
    default_call_context: campaign.default_call_context,
    status: campaign.status,
    metadata: campaign.metadata,
    batch_id: batchId,
    total_contacts: contacts.length,
    total_batches: campaign.batches.length,
    active_batches: campaign.batches.filter((batch) => !isFinished(batch) && batch.status !== "paused").length,
    completed_contacts: contacts.filter(({ reached }) => reached).length,
    completed_calls: counters.completed,
    failed_calls: counters.failed,
    busy_calls: counters.busy,
    no_answer_calls: counters.no_answer,
    voicemail_calls: counters.voicemail,
    in_progress_calls: contacts.filter(({ live }) => live !== null).length,
    follow_up_calls: counters.follow_up,
    follow_up_exhausted: contacts.filter(
      ({ followUps, live, reached }) =>
        !reached && live === null && followUps >= campaign.follow_up_policy.max_attempts,
    ).length,
    created_at: iso(campaign.created_at),
    updated_at: iso(campaign.updated_at),
  }
}

export const campaignOf = ({ campaigns }: Organization, id: string): Campaign => {
  const found = campaigns.get(id)
  if (found === undefined) throw notFound("Campaign")
  return found
}

const formMaxBytes = 25 * mebibyte
const contactsMaxBytes = 32 * mebibyte

const isForm = (type: string): boolean => /^multipart\/form-data/i.test(type)

/** A body that may carry contacts, in either of its two forms; the fingerprint is that of what it says. */
export const readList = async (
  { request }: Context,
  kind: "either" | "json" | "form",
): Promise<{
  readonly body: Fields
  readonly contacts: () => ReadonlyArray<Listed> | null
  readonly fingerprint: string
}> => {
  const type = request.headers["content-type"] ?? ""
  if (kind !== "form" && (kind === "json" || !isForm(type))) {
    const body = await readFields(request, { maxBytes: contactsMaxBytes })
    const contacts = () => (body.has("contacts") ? readContacts(body.values["contacts"]) : null)
    return { body, contacts, fingerprint: canonical(body.values) }
  }
  const parts = readParts(await readBytes(request, formMaxBytes), type)
  const fingerprint = JSON.stringify(
    parts.map(({ bytes, filename, name }) => [name, filename, bytes.toString("base64")]),
  )
  return { body: new Fields(formValues(parts)), contacts: () => readFile(parts), fingerprint }
}

const create = async (context: Context): Promise<Answer> => {
  const { organization, world } = context
  const { body, contacts, fingerprint } = await readList(context, "either")
  const name = body.required("name", text(1, 200))
  const agentId = body.required("agent_id", text(1))
  const listed = contacts()
  const settings = readSettings(body)
  mustEndAfterStart(settings.start_time ?? null, settings.end_time ?? null)
  return context.once(fingerprint, () => {
    agentOf(organization, agentId)
    mustExist(organization, settings)
    const campaign = newCampaign({ name, agent_id: agentId, created_at: world.clock.now() })
    applySettings(campaign, settings)
    organization.campaigns.put(campaign.campaign_id, campaign)
    context.touch("campaign", campaign.campaign_id)
    world.dispatcher.expireAtEnd(organization, campaign)
    if (listed === null) return { status: 201, body: show(campaign, organization) }
    const batch = world.dispatcher.addBatch(organization, campaign, listed, {})
    const answer = { status: 201, body: { ...show(campaign, organization, batch.batch_id), status: "created" } }
    world.dispatcher.serve(organization)
    return answer
  })
}

const editable = ["agent_id", "name"] as const

const edit = async (context: Context): Promise<Answer> => {
  const { organization, world } = context
  const body = await context.fields()
  const campaign = campaignOf(organization, context.id)
  context.touch("campaign", campaign.campaign_id)
  if (Object.keys(body.values).length === 0) throw malformed("The request body must not be empty.")
  const [agentId, name] = editable.map((field) => body.optional(field, text(1, field === "name" ? 200 : undefined)))
  const settings = readSettings(body)
  const start = settings.start_time === undefined ? campaign.start_time : settings.start_time
  const end = settings.end_time === undefined ? campaign.end_time : settings.end_time
  mustEndAfterStart(start, end)
  if (campaign.status === "cancelled" || campaign.status === "archived") {
    throw conflict(`This campaign is ${campaign.status} and cannot be edited.`)
  }
  if (agentId !== undefined) {
    agentOf(organization, agentId)
    if (campaign.status !== "created" && campaign.status !== "paused" && agentId !== campaign.agent_id) {
      throw conflict("The agent can be changed only while the campaign is created or paused.")
    }
  }
  mustExist(organization, settings)
  if (agentId !== undefined) campaign.agent_id = agentId
  if (name !== undefined) campaign.name = name
  applySettings(campaign, settings)
  campaign.updated_at = world.clock.now()
  world.dispatcher.edited(organization, campaign)
  return { status: 200, body: show(campaign, organization) }
}

const move =
  (how: "pause" | "resume" | "cancel" | "revive") =>
  (context: Context): Answer => {
    const { organization, world } = context
    const campaign = campaignOf(organization, context.id)
    context.touch("campaign", campaign.campaign_id)
    world.dispatcher[how](organization, campaign)
    campaign.updated_at = world.clock.now()
    return { status: 200, body: show(campaign, organization) }
  }

const remove = (context: Context): Answer => {
  const campaign = campaignOf(context.organization, context.id)
  context.touch("campaign", campaign.campaign_id)
  if (campaign.batches.some((batch) => !isFinished(batch))) {
    throw conflict("This campaign has batches that are running. Cancel it first.")
  }
  campaign.status = "archived"
  return { status: 204 }
}

const append = async (context: Context): Promise<Answer> => {
  const { organization, world } = context
  const { contacts } = await readList(context, "either")
  const listed = contacts()
  const campaign = campaignOf(organization, context.id)
  if (listed === null) throw malformed("No contacts were supplied.")
  if (["cancelled", "expired", "archived"].includes(campaign.status)) {
    throw conflict(`This campaign is ${campaign.status} and takes no contacts.`)
  }
  const batch = world.dispatcher.addBatch(organization, campaign, listed, {})
  if (campaign.status === "completed") campaign.status = "active"
  context.touch("campaign", campaign.campaign_id)
  world.dispatcher.serve(organization)
  return { status: 201, body: show(campaign, organization, batch.batch_id) }
}

const explain = ({ id, organization, world }: Context): Answer => {
  const campaign = campaignOf(organization, id)
  const body = {
    campaign_id: id,
    status: campaign.status,
    blocking: world.dispatcher.reasons(organization, campaign),
    estimated_finish: null,
  }
  return { status: 200, body }
}

const listed = ({ organization, query }: Context): Answer => {
  pageAsked(query)
  const status = query.word("status", campaignStatuses)
  const rows = organization.campaigns.newestFirst((one) => status === null || one.status === status)
  return { status: 200, body: pageOf(query, rows, (one) => show(one, organization)) }
}

const all = "/v2/campaigns"
const one = `${all}/{campaign_id}`
const read = { method: "GET", scope: "calls:read" } as const
const write = { method: "POST", scope: "batches:write" } as const

export const campaignRoutes: ReadonlyArray<Route> = [
  { ...write, path: all, bucket: "calls.create", action: "campaign.create", handle: create },
  { ...read, path: all, handle: listed },
  {
    ...read,
    path: one,
    handle: ({ id, organization }) => ({ status: 200, body: show(campaignOf(organization, id), organization) }),
  },
  {
    ...read,
    path: `${one}/stats`,
    handle: ({ id, organization }) => ({ status: 200, body: stats(organization, campaignOf(organization, id)) }),
  },
  { ...write, path: `${one}/pause`, action: "campaign.pause", handle: move("pause") },
  { ...write, path: `${one}/resume`, action: "campaign.resume", handle: move("resume") },
  { ...write, path: `${one}/cancel`, action: "campaign.cancel", handle: move("cancel") },
  { ...write, path: `${one}/revive`, action: "campaign.revive", handle: move("revive") },
  { ...write, method: "PATCH", path: one, action: "campaign.update", handle: edit },
  { ...write, method: "DELETE", path: one, action: "campaign.archive", handle: remove },
  {
    ...read,
    path: `${one}/contacts`,
    handle: ({ id, organization, query }) => ({
      status: 200,
      body: pageOf(query, contactsOf(campaignOf(organization, id)), showContact),
    }),
  },
  { ...write, path: `${one}/contacts`, action: "campaign.append", handle: append },
  { ...read, path: `${one}/explain`, handle: explain },
]
