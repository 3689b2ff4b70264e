import { Result } from "effect"
import { knowledgeBasesOf } from "../../agents/rules/AgentKnowledge.ts"
import type { Batch } from "../../batches/rules/Batch.ts"
import { laneOf } from "../../batches/rules/Batch.ts"
import { isFinishedBatch } from "../../batches/rules/BatchStatus.ts"
import { calleeId } from "../../callees/rules/Callee.ts"
import type { CallCapsSetting } from "../../callees/rules/CallCaps.ts"
import { isCallable } from "../../callees/rules/CalleeHours.ts"
import { bindingOf, entryFor } from "../../callees/rules/HoursRow.ts"
import { untilWorkingDay } from "../../callees/rules/Marks.ts"
import { suppressionOf } from "../../callees/rules/Suppression.ts"
import type { Call } from "../../calls/rules/Call.ts"
import { holdsLine } from "../../calls/rules/Call.ts"
import { isTerminal } from "../../calls/rules/CallStatus.ts"
import type { Campaign } from "../../campaigns/rules/Campaign.ts"
import { hoursOf } from "../../campaigns/rules/CampaignSettings.ts"
import { type Contact, isWaiting, placeOf } from "../../contacts/rules/Contact.ts"
import type { AuditEntry } from "../../engine/rules/AuditEntry.ts"
import { firstOpen, fromCallingGuard, isGiven } from "../../dispatch/rules/CallingWindow.ts"
import type { Change, Commit } from "../../engine/rules/Commit.ts"
import type { KnowledgeBase } from "../../knowledge/rules/KnowledgeBase.ts"
import { limits } from "../../Limits.ts"
import { isSpent } from "../../organizations/rules/Balance.ts"
import type { Organization } from "../../organizations/rules/Organization.ts"
import type { Tally } from "../../tallies/rules/Tally.ts"
import { batchTallies, callTallies, contactTallies } from "../../tallies/rules/TallyChanges.ts"
import type { RowsByKind } from "../RowsByKind.ts"

/** A law that does not hold, and for what. */
export interface Violation {
  readonly law: string
  readonly detail: string
}

/** What the laws look at besides the rows. */
export interface Sight {
  readonly rows: RowsByKind
  readonly now: number
  /** The number that a contact is rung at. */
  readonly numberOf: (batchId: string, row: number) => string | null
  readonly tally: (subject: string) => Tally
  /** Who is registered for a line with whoever counts them. */
  readonly lines: () => ReadonlyArray<{ readonly execution_id: string; readonly state: string }>
}

type Found = Iterable<Violation>

const ended: ReadonlySet<Campaign["status"] | Batch["status"]> = new Set([
  "completed",
  "cancelled",
  "expired",
  "archived",
])

const campaignOf = ({ rows }: Sight, { campaign_id }: { readonly campaign_id: string | null }): Campaign | null =>
  campaign_id === null ? null : (rows.of("campaign").get(campaign_id) ?? null)

/** No ended campaign has an unfinished batch, and no batch is of a campaign that does not exist. */
function* batchesOfEnded(sight: Sight): Found {
  for (const batch of sight.rows.of("batch").values()) {
    const campaign = campaignOf(sight, batch)
    if (batch.campaign_id !== null && campaign === null) {
      yield {
        law: "a batch has its campaign",
        detail: `${batch.batch_id} is of ${batch.campaign_id}, which is not there`,
      }
    }
    if (campaign === null || !ended.has(campaign.status) || isFinishedBatch(batch.status)) continue
    yield {
      law: "no ended campaign has an unfinished batch",
      detail: `${campaign.campaign_id} is ${campaign.status}, its ${batch.batch_id} is ${batch.status}`,
    }
  }
}

/** What is counted of campaigns and batches is what their rows say, and those that were kept for their time. */
function* tallies({ rows, tally }: Sight): Found {
  const counted = new Map<string, { [figure: string]: number }>()
  const add = (changes: ReadonlyArray<Change>) => {
    for (const change of changes) {
      if (change.put !== "tally") continue
      const figures = counted.get(change.subject) ?? {}
      for (const name in change.add) figures[name] = (figures[name] ?? 0) + (change.add[name] ?? 0)
      counted.set(change.subject, figures)
    }
  }
  for (const batch of rows.of("batch").values()) add(batchTallies(null, batch))
  for (const table of [rows.of("contact"), rows.purged("contact")]) {
    for (const contact of table.values()) add(contactTallies(null, contact))
  }
  for (const table of [rows.of("call"), rows.purged("call")]) {
    for (const call of table.values()) add(callTallies(null, call))
  }
  for (const [subject, figures] of counted) {
    const told = tally(subject)
    for (const name of new Set([...Object.keys(figures), ...Object.keys(told)])) {
      if (name === "phone_number_index" || (figures[name] ?? 0) === (told[name] ?? 0)) continue
      yield {
        law: "counts are right",
        detail: `${name} of ${subject} is ${told[name] ?? 0}, not ${figures[name] ?? 0}`,
      }
    }
  }
}

const twice = function* <A>(rows: Iterable<A>, keyOf: (row: A) => string | null, law: string): Found {
  const seen = new Set<string>()
  for (const row of rows) {
    const key = keyOf(row)
    if (key === null) continue
    if (seen.has(key)) yield { law, detail: key }
    seen.add(key)
  }
}

/** What an organization may have once it has once, and what a row names is there. */
function* references({ rows }: Sight): Found {
  yield* twice(
    rows.of("experiment").values(),
    (row) => (row.status === "active" ? row.main_agent_id : null),
    "one active experiment for an agent",
  )
  yield* twice(
    rows.of("phone_number").values(),
    (row) => `${row.organization_id} ${row.phone_number}`,
    "a number is registered once",
  )
  yield* twice(
    rows.of("provider").values(),
    (row) => `${row.organization_id} ${row.provider_name}`,
    "a provider has a name of its own",
  )
  yield* twice(
    rows.of("knowledge_base").values(),
    (row) => `${row.organization_id} ${row.collection}`,
    "a knowledge base has a name of its own",
  )
  yield* twice(rows.of("inbound_agent").values(), (row) => row.phone_number_id, "one agent answers a number")
  yield* twice(
    rows.of("subscription").values(),
    (row) => (row.agent_id === null ? row.organization_id : null),
    "one default subscription",
  )
  const own = Map.groupBy(rows.of("subscription").values(), (row) => row.agent_id)
  for (const [agentId, list] of own) {
    if (agentId === null || list.length <= limits.subscriptionsPerAgent) continue
    yield { law: "an agent has at most so many subscriptions", detail: `${agentId} has ${list.length}` }
  }
  for (const { inbound_agent_id, phone_number_id } of rows.of("inbound_agent").values()) {
    if (rows.of("phone_number").has(phone_number_id)) continue
    yield { law: "a bound number is registered", detail: `${inbound_agent_id} answers ${phone_number_id}` }
  }
  for (const { document_id, retrieval_id } of rows.of("knowledge_upload").values()) {
    if (rows.of("knowledge_base").has(retrieval_id)) continue
    yield { law: "an upload has its knowledge base", detail: `${document_id} is of ${retrieval_id}` }
  }
}

/** Nobody of a lane is called at a number that another one of it is in a call with. */
const legs = ({ rows }: Sight): Found =>
  twice(
    rows.of("call").values(),
    (call) =>
      call.batch_id === null || !holdsLine(call)
        ? null
        : `${laneOf({ ...call, batch_id: call.batch_id })} ${call.to_number}`,
    "a number has one call of a lane",
  )

/** What was kept for its time is gone with all that was its own, and comes back by nothing. What is counted of it stays: `tallies` says so. */
function* gone({ rows }: Sight): Found {
  const law = "what was purged is gone"
  for (const contactId of rows.purged("contact").keys()) {
    if (rows.of("contact").has(contactId)) yield { law, detail: `${contactId} is there again` }
  }
  const calls = rows.purged("call")
  for (const id of calls.keys()) {
    if (rows.of("call").has(id)) yield { law, detail: `${id} is there again` }
    if (rows.of("call_media").has(id)) yield { law, detail: `what was said in ${id} is there` }
  }
  for (const { erased, event_id, execution_id } of rows.of("event").values()) {
    if (erased !== true && calls.has(execution_id)) {
      yield { law, detail: `${event_id} is of ${execution_id}` }
    }
  }
}

/** What organizations have to spend is what commits have charged and what their hosts have given, whatever else was written of them meanwhile. */
export function* wallets(rows: RowsByKind, stored: Pick<ReadonlyMap<string, Organization>, "get">): Found {
  for (const { organization_id, wallet } of rows.of("organization").values()) {
    const balance = stored.get(organization_id)?.wallet.balance
    if (balance === wallet.balance) continue
    yield {
      law: "a wallet has what was charged and given",
      detail: `${organization_id} has ${balance}, and shall have ${wallet.balance}`,
    }
  }
}

/** What holds between any two port operations once both have committed: whatever is still to come. */
export const safety = (sight: Sight): ReadonlyArray<Violation> => [
  ...batchesOfEnded(sight),
  ...tallies(sight),
  ...references(sight),
  ...legs(sight),
  ...gone(sight),
]

/** Whether a campaign, or a batch for itself, lets a batch dial now. Hours are not looked at: whoever explores them opens them first. */
const isOpen = (sight: Sight, batch: Batch): boolean => {
  const { now, rows } = sight
  const campaign = campaignOf(sight, batch)
  const isRunning =
    campaign === null ||
    ((campaign.status === "created" || campaign.status === "active") &&
      (campaign.start_time === null || campaign.start_time <= now) &&
      (campaign.end_time === null || campaign.end_time > now))
  const isDue = batch.status !== "scheduled" || batch.scheduled_at === null || batch.scheduled_at <= now
  const organization = rows.of("organization").get(batch.organization_id)
  return (
    isRunning &&
    isDue &&
    batch.status !== "paused" &&
    !isFinishedBatch(batch.status) &&
    !rows.isHeld &&
    // The hours that operations set never open.
    entryFor(rows.of("callee_hours").get(batch.organization_id) ?? null, batch) === null &&
    rows.of("agent").get(batch.agent_id)?.status === "ACTIVE" &&
    organization !== undefined &&
    !isSpent(organization.wallet)
  )
}

const contactsOf = ({ rows }: Sight, { batch_id }: Batch): ReadonlyArray<Contact> =>
  [...rows.of("contact").values()].filter((contact) => contact.batch_id === batch_id)

/** Nobody who may be dialled waits, and a batch whose contacts are all over is over. */
function* undialled(sight: Sight): Found {
  for (const batch of sight.rows.of("batch").values()) {
    if (!isOpen(sight, batch)) continue
    const touched = contactsOf(sight, batch)
    const fresh = batch.total_contacts - touched.length
    const law = "whoever may be dialled is dialled"
    if (fresh > 0)
      yield { law, detail: `${fresh} contacts of ${batch.batch_id} (${batch.status}) were never looked at` }
    for (const { contact_id, eligible_at, status, waits_for_number } of touched) {
      if (!isWaiting(status) || waits_for_number || eligible_at === null || eligible_at > sight.now) continue
      yield { law, detail: `${contact_id} is ${status} since ${sight.now - eligible_at} ms` }
    }
    if (
      fresh === 0 &&
      touched.every(({ status }) => status === "completed" || status === "failed" || status === "skipped")
    ) {
      yield { law: "a batch without work completes", detail: `${batch.batch_id} is ${batch.status}` }
    }
  }
}

/** Nobody waits for a number that nobody holds: whoever does has somebody before it in a call, or with its turn to come. */
export function* forgotten(sight: Sight): Found {
  const { rows } = sight
  const waiting = [...rows.of("contact").values()].filter((contact) => contact.waits_for_number)
  if (waiting.length === 0) return
  const numberOf = ({ batch_id, row }: Contact) => sight.numberOf(batch_id, row)
  const live = new Set(
    [...rows.of("call").values()]
      .filter(holdsLine)
      .map((call) => `${call.campaign_id ?? call.batch_id} ${call.to_number}`),
  )
  const turns = new Set(
    [...rows.of("contact").values()]
      .filter((contact) => isWaiting(contact.status) && !contact.waits_for_number)
      .map((contact) => `${contact.batch_id} ${numberOf(contact)}`),
  )
  for (const contact of waiting) {
    const batch = rows.of("batch").get(contact.batch_id)
    const number = numberOf(contact)
    if (batch === undefined || isFinishedBatch(batch.status)) continue
    if (live.has(`${laneOf(batch)} ${number}`) || turns.has(`${batch.batch_id} ${number}`)) continue
    yield { law: "nobody waits for a number that nobody holds", detail: `${contact.contact_id} waits for ${number}` }
  }
}

/** No contact waits for the end of a call that has ended. */
function* attempts({ rows }: Sight): Found {
  for (const { contact_id, last_execution_id, status } of rows.of("contact").values()) {
    const last = last_execution_id === null ? undefined : rows.of("call").get(last_execution_id)
    if (status !== "in_progress" || (last !== undefined && !isTerminal(last.status))) continue
    const of = last === undefined ? "a call that is not there" : `a call that is ${last.status}`
    yield { law: "a contact's attempt ends with its call", detail: `${contact_id} is in progress by ${of}` }
  }
}

/** Whether somebody has brought the campaign back, after which it may stay active without work (specification, "Campaign status"). */
type Reopened = (campaignId: string) => boolean

function* unended(sight: Sight, reopened: Reopened): Found {
  for (const campaign of sight.rows.of("campaign").values()) {
    if (campaign.status !== "created" && campaign.status !== "active") continue
    const batches = [...sight.rows.of("batch").values()].filter((batch) => batch.campaign_id === campaign.campaign_id)
    if (batches.length === 0) continue
    if (campaign.end_time !== null && campaign.end_time <= sight.now) {
      yield { law: "a campaign expires at its end", detail: `${campaign.campaign_id} is ${campaign.status}` }
    } else if (batches.every(({ status }) => isFinishedBatch(status)) && !reopened(campaign.campaign_id)) {
      yield { law: "a campaign without work completes", detail: `${campaign.campaign_id} is ${campaign.status}` }
    }
  }
}

/** Whether a call waits for a time that has not come, or for dialling to be released. */
const isBookedFor = ({ due_at, status }: Call, { now, rows }: Sight): boolean =>
  (status === "scheduled" || status === "rescheduled") && due_at !== null && (due_at > now || rows.isHeld)

/** Every call has ended or is booked for later, no line outlives its call, and nobody waits for its facts beyond their time. */
function* calls(sight: Sight): Found {
  for (const call of sight.rows.of("call").values()) {
    const { execution_id, status, due_at, folded_into, processing } = call
    if (processing.due_at !== null && processing.due_at <= sight.now) {
      yield { law: "a call's facts are not waited for beyond their time", detail: execution_id }
    }
    if (isBookedFor(call, sight) || folded_into !== null) continue
    if (!isTerminal(status)) yield { law: "every call ends", detail: `${execution_id} is ${status}` }
    else if (due_at !== null) yield { law: "an ended call is looked at no more", detail: execution_id }
    if (holdsLine(call)) yield { law: "no line outlives its call", detail: `${execution_id} (${status}) holds a line` }
  }
  for (const { execution_id, state } of sight.lines()) {
    yield { law: "no line outlives its call", detail: `${execution_id} is registered as ${state}` }
  }
}

function* outbox({ now, rows }: Sight): Found {
  for (const { event_id, routed_at } of rows.of("event").values()) {
    if (routed_at === null) yield { law: "every event finds its endpoints", detail: event_id }
  }
  for (const { delivery_id, status, due_at } of rows.of("delivery").values()) {
    if (status === "delivered" || status === "failed" || (due_at !== null && due_at > now)) continue
    yield { law: "every delivery ends", detail: `${delivery_id} is ${status}` }
  }
}

/** What holds once nothing is to come any more. */
export const liveness = (sight: Sight, reopened: Reopened): ReadonlyArray<Violation> => [
  ...undialled(sight),
  ...forgotten(sight),
  ...attempts(sight),
  ...unended(sight, reopened),
  ...calls(sight),
  ...days(sight),
  ...outbox(sight),
]

/** What a commit must find as it is written; `rows` are those from before it. */
export function* atCommit(
  rows: RowsByKind,
  { audit, changes }: Pick<Commit, "audit" | "changes">,
  sight: Pick<Sight, "now" | "numberOf">,
): Found {
  yield* atEnding(rows, changes)
  for (const entry of audit) yield* atAudit(rows, entry, changes)
  for (const change of changes) {
    if (change.put === "organization" && change.row.revision === 1) yield* atHolding(rows, changes)
    if (change.put === "call") yield* atCall(rows, change.row, changes)
    if (change.put === "contact") {
      yield* atPutOff(rows, change.row, sight)
      yield* atHold(rows, change.row, sight)
    }
    if (change.put === "campaign") yield* atNaming(rows, rows.of("campaign").get(change.row.campaign_id), change.row)
    if (change.put === "batch" && change.row.purging_since !== undefined && !isFinishedBatch(change.row.status)) {
      yield { law: purging, detail: `${change.row.batch_id} goes on though its contacts are going` }
    }
    if (change.put === "batch") yield* atNaming(rows, rows.of("batch").get(change.row.batch_id), change.row)
    if (change.put === "knowledge_base" && change.row.removing === true) yield* atGivingUp(rows, change.row)
    if (change.put === "removal" && change.kind === "knowledge_base") yield* atRemoval(rows, change.id)
    if (change.put === "removal" && change.kind === "phone_number") yield* atRelease(rows, change.id)
    if (change.put === "removal" && change.kind === "call") yield* atPurgedCall(rows, change.id)
    if (change.put === "discard" && change.kind === "contact") yield* atPurgedContact(rows, change.id)
  }
}

const purging = "nothing that is under way loses its row"

/** A call goes when nothing more will be asked, heard, told or done because of it. */
function* atPurgedCall(rows: RowsByKind, id: string): Found {
  const call = rows.of("call").get(id)
  if (call === undefined) return
  const { contact_id, due_at, folded_into, processing, status } = call
  const isOver = folded_into !== null || (isTerminal(status) && due_at === null && processing.due_at === null)
  if (!isOver || holdsLine(call)) yield { law: purging, detail: `${id} is ${status}` }
  const contact = contact_id === null ? undefined : rows.of("contact").get(contact_id)
  if (contact?.status === "in_progress" || (contact !== undefined && isWaiting(contact.status))) {
    yield { law: purging, detail: `${id} is of ${contact.contact_id}, which is ${contact.status}` }
  }
  for (const { delivery_id, due_at: due, execution_id } of rows.of("delivery").values()) {
    if (execution_id === id && due !== null)
      yield { law: purging, detail: `${delivery_id} of ${id} is still to be sent` }
  }
}

/** A contact goes with its batch, which has finished and is not brought back. */
function* atPurgedContact(rows: RowsByKind, id: string): Found {
  const place = placeOf(id)
  const batch = place === null ? undefined : rows.of("batch").get(place.batch_id)
  if (batch === undefined || !isFinishedBatch(batch.status) || batch.purging_since === undefined) {
    yield { law: purging, detail: `${id} is of a batch that is ${batch?.status}` }
  }
  if (rows.of("contact").get(id)?.status === "in_progress") yield { law: purging, detail: `${id} is in progress` }
}

/** Who ends a campaign finishes all of its batches with it, and none joins it afterwards: what is mended later was wrong until then. */
function* atEnding(rows: RowsByKind, changes: ReadonlyArray<Change>): Found {
  const moved = changes.flatMap((change) => (change.put === "batch" ? [change.row] : []))
  const batches = new Map([...rows.of("batch").values(), ...moved].map((batch) => [batch.batch_id, batch]))
  const ending = new Set<string>()
  for (const change of changes) {
    if (change.put !== "campaign" || !ended.has(change.row.status)) continue
    const before = rows.of("campaign").get(change.row.campaign_id)
    if (before !== undefined && !ended.has(before.status)) ending.add(change.row.campaign_id)
  }
  const joining = moved.filter(({ batch_id, campaign_id }) => {
    const status = campaign_id === null ? undefined : rows.of("campaign").get(campaign_id)?.status
    return !rows.of("batch").has(batch_id) && status !== undefined && ended.has(status)
  })
  const left = [...batches.values()].filter(({ campaign_id }) => campaign_id !== null && ending.has(campaign_id))
  for (const { batch_id, campaign_id, status } of [...left, ...joining]) {
    if (isFinishedBatch(status)) continue
    yield { law: "a campaign ends with its batches", detail: `${campaign_id} has ended, its ${batch_id} is ${status}` }
  }
}

/** What is removed is given up first: from then on it counts as not there. */
function* atRemoval(rows: RowsByKind, id: string): Found {
  if (rows.of("knowledge_base").get(id)?.removing === true) return
  yield { law: "a knowledge base is given up before it is removed", detail: id }
}

/** A number stays while something names it that may still dial without being revived. */
function* atRelease(rows: RowsByKind, id: string): Found {
  const number = rows.of("phone_number").get(id)
  if (number === undefined) return
  const { organization_id, phone_number } = number
  const naming = [...rows.of("campaign").values(), ...rows.of("batch").values()]
    .filter((row) => row.organization_id === organization_id && row.phone_numbers?.includes(phone_number))
    .filter(({ status }) => !ended.has(status) && status !== "failed")
  const booked = [...rows.of("call").values()].filter(
    (call) =>
      call.organization_id === organization_id &&
      call.from_number === phone_number &&
      (call.status === "scheduled" || call.status === "rescheduled"),
  )
  for (const { status } of [...naming, ...booked]) {
    yield {
      law: "a number that is named stays",
      detail: `${phone_number} is given up, and what calls from it is ${status}`,
    }
  }
}

/** Whatever names a number to call from names one that is registered then. */
function* atNaming(
  rows: RowsByKind,
  before: Pick<Batch | Campaign, "phone_numbers"> | undefined,
  { organization_id, phone_numbers }: Pick<Batch | Campaign, "organization_id" | "phone_numbers">,
): Found {
  const known = new Set(before?.phone_numbers)
  const registered = new Set(
    [...rows.of("phone_number").values()]
      .filter((number) => number.organization_id === organization_id)
      .map(({ phone_number }) => phone_number),
  )
  for (const number of phone_numbers ?? []) {
    if (known.has(number) || registered.has(number)) continue
    yield { law: "who names a number finds it registered", detail: `${number} is not registered` }
  }
}

/** What a customer did by a commit: by a key that is active, and with a number that nobody else has. */
function* atAudit(rows: RowsByKind, { action, actor }: AuditEntry, changes: ReadonlyArray<Change>): Found {
  if (/^api_key\.(create|revoke)$/.test(action) && actor.key_id !== null) {
    const { status } = rows.of("api_key").get(actor.key_id) ?? { status: "gone" }
    if (status !== "active")
      yield { law: "only an active key makes and revokes keys", detail: `${actor.key_id} is ${status}` }
  }
  if (action === "phone_number.create" || action === "organization.import") yield* atHolding(rows, changes)
}

/** A number that an organization is given is no other's. */
function* atHolding(rows: RowsByKind, changes: ReadonlyArray<Change>): Found {
  for (const change of changes) {
    if (change.put !== "phone_number") continue
    const { organization_id, phone_number } = change.row
    for (const other of rows.of("phone_number").values()) {
      if (other.phone_number !== phone_number || other.organization_id === organization_id) continue
      yield {
        law: "nobody registers a number that another has",
        detail: `${phone_number} is of ${other.organization_id} and ${organization_id}`,
      }
    }
  }
}

/** A name may be given to an agent before there is such a knowledge base, or after, but none is taken from it. */
function* atGivingUp(rows: RowsByKind, { collection, retrieval_id }: KnowledgeBase): Found {
  if (rows.of("knowledge_base").get(retrieval_id)?.removing === true) return
  for (const agent of rows.of("agent").values()) {
    if (agent.status === "ARCHIVED" || !knowledgeBasesOf(agent).includes(collection)) continue
    yield { law: "a knowledge base that an agent uses stays", detail: `${agent.agent_id} uses ${collection}` }
  }
}

function* atCall(rows: RowsByKind, call: Call, changes: ReadonlyArray<Change>): Found {
  const before = rows.of("call").get(call.execution_id)
  if (before !== undefined && isTerminal(before.status) && before.status !== call.status) {
    yield {
      law: "what has ended stays so",
      detail: `${call.execution_id} went from ${before.status} to ${call.status}`,
    }
  }
  if (call.dial === "intended" && (before?.dial ?? "none") === "none") {
    yield* atDial(rows, call)
    yield* atCallee(rows, call)
    yield* atHours(rows, call)
    yield* atCaps(rows, call, changes)
  }
  const isBurned = before === undefined && call.batch_id !== null && call.dial === "refused"
  if (isBurned) yield* atCallee(rows, call, skipped)
  // An attempt that was burned begins and ends in one commit, and rings nobody.
  if (before !== undefined || call.batch_id === null || isTerminal(call.status)) return
  const campaign = call.campaign_id === null ? undefined : rows.of("campaign").get(call.campaign_id)
  if (call.campaign_id !== null && campaign?.status !== "created" && campaign?.status !== "active") {
    yield { law: "only a running campaign dials", detail: `${call.campaign_id} is ${campaign?.status}` }
  }
  const batch = rows.of("batch").get(call.batch_id)
  if (batch === undefined || batch.status === "paused" || isFinishedBatch(batch.status)) {
    yield { law: "only a running batch dials", detail: `${call.batch_id} is ${batch?.status}` }
  }
}

/** When a dial is committed: its row has the time at which the carrier is asked about it. */
const dialledAt = ({ due_at, updated_at }: Call): number =>
  due_at === null ? updated_at : due_at - limits.questionDelayMs

const dayMs = 86_400_000

/** How many dials may lie within how many milliseconds. */
const roomOf = (caps: CallCapsSetting) =>
  [
    [caps.per_day, dayMs],
    [caps.per_week, 7 * dayMs],
    [caps.per_thirty_days, 30 * dayMs],
    [caps.minimum_rest_seconds === null ? null : 1, (caps.minimum_rest_seconds ?? 0) * 1_000],
  ] as const

/** While caps stand, each dial counts in its own commit, once, and none goes beyond them. */
function* atCaps(rows: RowsByKind, call: Call, changes: ReadonlyArray<Change>): Found {
  const { execution_id, organization_id, to_number } = call
  const caps = rows.of("callee_hours").get(organization_id)?.caps
  if (caps === undefined) return
  const at = dialledAt(call)
  const written = changes.flatMap((change) => (change.put === "callee" ? [change.row] : []))
  const counted = written.flatMap(({ attempts = [] }) => attempts).filter((each) => each.execution_id === execution_id)
  if (counted.length !== 1 || counted[0]?.at !== at) {
    yield { law: "a dial counts once", detail: `${execution_id} is counted ${counted.length} times` }
  }
  if (call.overrides_call_caps === true) return
  const { attempts = [] } = rows.of("callee").get(calleeId(organization_id, to_number)) ?? {}
  const within = (ms: number) => attempts.filter((each) => each.at > at - ms).length
  if (roomOf(caps).every(([most, ms]) => most === null || within(ms) < most)) return
  yield { law: "no cap is passed", detail: `${execution_id} calls ${to_number} once more` }
}

/** From when on caps let a number be dialled by the attempts that count now; -Infinity where none does. */
const restEnds = (rows: RowsByKind, organizationId: string, toNumber: string): number => {
  const caps = rows.of("callee_hours").get(organizationId)?.caps
  const { attempts = [] } = rows.of("callee").get(calleeId(organizationId, toNumber)) ?? {}
  const newest = attempts.map(({ at }) => at).sort((one, other) => other - one)
  const ends = (caps === undefined ? [] : roomOf(caps)).map(([most, ms]) =>
    most === null ? -Infinity : (newest[most - 1] ?? -Infinity) + ms,
  )
  return Math.max(-Infinity, ...ends)
}

/**
 * Calls of no batch whose dial is committed while the window of their agent is closed: the clock has closed it meanwhile, and nobody may be rung. What is
 * asked of the carrier then is known later.
 */
export const closedDials = (
  rows: RowsByKind,
  { changes }: Pick<Commit, "changes">,
  now: number,
): ReadonlyArray<string> =>
  changes.flatMap((change) => {
    if (change.put !== "call" || change.row.batch_id !== null || change.row.dial !== "intended") return []
    const { agent_id, execution_id } = change.row
    if ((rows.of("call").get(execution_id)?.dial ?? "none") !== "none") return []
    const guard = rows.of("agent").get(agent_id)?.calling_guard ?? null
    const window = guard === null || !guard.enabled ? null : Result.getOrNull(fromCallingGuard(guard))
    return window === null || firstOpen(window, now) === now ? [] : [execution_id]
  })

/** Nobody is rung by a dial that was committed when its window had closed. */
export function* rungClosed(
  closed: ReadonlySet<string>,
  rung: ReadonlyArray<{ readonly execution_id: string }>,
): Found {
  for (const { execution_id } of rung) {
    if (closed.has(execution_id)) yield { law: "nobody is rung after their window has closed", detail: execution_id }
  }
}

/** Whoever was put off for a working day waits for it only where the campaign gives no hours. */
function* days({ rows }: Sight): Found {
  for (const { contact_id, batch_id, hours_of, status } of rows.of("contact").values()) {
    if (status !== "follow_up_scheduled" || hours_of !== untilWorkingDay) continue
    const batch = rows.of("batch").get(batch_id)
    const campaign = rows.of("campaign").get(batch?.campaign_id ?? "")
    if (campaign?.status !== "active" || batch === undefined || isFinishedBatch(batch.status)) continue
    if (isGiven(hoursOf(campaign))) {
      yield { law: "who was put off for a day is planned anew when hours are given", detail: contact_id }
    }
  }
}

/** Who is put off for long though nothing became of an attempt rests for a cap, by attempts that count as it is written. Hours are looked at where none stand. */
function* atPutOff(rows: RowsByKind, after: Contact, { now, numberOf }: Pick<Sight, "now" | "numberOf">): Found {
  const { attempts, batch_id, contact_id, eligible_at, holds, organization_id, row, status } = after
  const before = rows.of("contact").get(contact_id) ?? { status: "pending", attempts: 0, holds: 0 }
  if (before.status !== status || before.attempts !== attempts || before.holds !== holds) return
  const hasHours = (rows.of("callee_hours").get(organization_id)?.entries.length ?? 0) > 0
  if (status === "follow_up_scheduled" || hasHours) return
  // Where many wait for an agent, some are put off for a while.
  if (eligible_at === null || eligible_at <= now + limits.crowdedMs) return
  if (eligible_at <= restEnds(rows, organization_id, numberOf(batch_id, row) ?? "")) return
  yield {
    law: "nobody rests for a dial that was taken back",
    detail: `${contact_id} waits for ${eligible_at - now} ms`,
  }
}

/** Nobody is called while the hours of their number are closed. */
function* atHours(rows: RowsByKind, call: Call): Found {
  if (call.overrides_callee_hours === true) return
  const experiment = call.ab_version_id === null ? undefined : rows.of("experiment").get(call.ab_version_id)
  const asked = { campaign_id: call.campaign_id, agent_id: experiment?.main_agent_id ?? call.agent_id }
  const setting = rows.of("callee_hours").get(call.organization_id) ?? null
  if (isCallable(bindingOf(setting, asked, call), dialledAt(call))) return
  yield { law: "no dial outside any of the hours", detail: `${call.execution_id} calls ${call.to_number}` }
}

/** Whom nobody dials is told as much of a suppression as whom somebody would. */
const skipped = "who is suppressed is skipped"

/** Nobody is held whose number is suppressed as that is committed. Who was dialled before is: it is looked at again. */
function* atHold(rows: RowsByKind, after: Contact, { now, numberOf }: Pick<Sight, "now" | "numberOf">): Found {
  const { batch_id, campaign_id, contact_id, holds, organization_id, row, status } = after
  const before = rows.of("contact").get(contact_id)
  if (holds <= (before?.holds ?? 0) || before?.status === "in_progress") return
  const batch = rows.of("batch").get(batch_id)
  // A follow-up may have an agent of its own.
  if (batch === undefined || status === "follow_up_scheduled") return
  const callee = rows.of("callee").get(calleeId(organization_id, numberOf(batch_id, row) ?? "")) ?? null
  if (suppressionOf(callee, { campaign_id, agent_ids: [batch.agent_id] }, now) === null) return
  yield { law: skipped, detail: `${contact_id} is held` }
}

/** Nobody is called whose number is suppressed as the dial is committed, or given up as if somebody might have been. */
function* atCallee(rows: RowsByKind, call: Call, law = "nobody suppressed is rung"): Found {
  if (call.overrides_suppression === true) return
  const callee = rows.of("callee").get(calleeId(call.organization_id, call.to_number)) ?? null
  // No routing widens what somebody has agreed to: who is asked for counts as well as who calls.
  const experiment = call.ab_version_id === null ? undefined : rows.of("experiment").get(call.ab_version_id)
  const batch = call.batch_id === null ? undefined : rows.of("batch").get(call.batch_id)
  const agent_ids = [call.agent_id, experiment?.main_agent_id, batch?.agent_id].filter((id) => id !== undefined)
  const scope = { campaign_id: call.campaign_id, agent_ids }
  if (suppressionOf(callee, scope, dialledAt(call)) === null) return
  yield { law, detail: `${call.execution_id} calls ${call.to_number}` }
}

/** Whom nobody may ring for: the agent is not active, its experiment does not send it the call, or the number belongs to somebody else. */
function* atDial(rows: RowsByKind, call: Call): Found {
  if (rows.of("agent").get(call.agent_id)?.status !== "ACTIVE") {
    yield {
      law: "only an active agent dials",
      detail: `${call.agent_id} is ${rows.of("agent").get(call.agent_id)?.status}`,
    }
  }
  if (call.ab_version_id !== null) {
    const { status, variant_agent_id, variant_traffic_pct } = rows.of("experiment").get(call.ab_version_id) ?? {}
    const isSent = call.ab_is_variant !== true || (variant_agent_id === call.agent_id && variant_traffic_pct !== 0)
    if (status !== "active" || !isSent) {
      const detail = `${call.agent_id} by ${call.ab_version_id}, which is ${status} with ${variant_traffic_pct} %`
      yield { law: "a call goes by its experiment as it is", detail }
    }
  }
  const numbers = [...rows.of("phone_number").values()].filter(
    ({ organization_id }) => organization_id === call.organization_id,
  )
  if (call.from_number !== null && !numbers.some(({ phone_number }) => phone_number === call.from_number)) {
    yield { law: "a call shows a number of its organization", detail: `${call.from_number} is not registered` }
  }
}
