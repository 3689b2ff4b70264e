import { randomInt } from "node:crypto"
import type { Batch } from "./batches.ts"
import { type Call, newCall } from "./calls.ts"
import { type Campaign, contactsOf, isFinished } from "./campaigns.ts"
import type { Clock } from "./clock.ts"
import { type Contact, newContact } from "./contacts.ts"
import type { Listed } from "./csv.ts"
import { conflict } from "./errors.ts"
import type { Json } from "./fields.ts"
import { mint } from "./ids.ts"
import type { Lifecycle } from "./lifecycle.ts"
import type { Ask, Lines } from "./lines.ts"
import type { Organization } from "./organization.ts"
import { retryDelayMs, scheduleOf } from "./policy.ts"
import { transliterated } from "./transliterate.ts"
import { openFrom, windowFrom } from "./windows.ts"

const minuteMs = 60_000

/** A contact that cannot be dialled through no fault of its own waits, longer each time. */
const firstHoldMs = 5_000
const longestHoldMs = 5 * minuteMs
const maxHolds = 10

const maxBatches = 1_000

interface Parts {
  readonly clock: Clock
  readonly lines: () => Lines
  readonly lifecycle: () => Lifecycle
  readonly isUnfunded: (phone: string) => boolean
}

/** What a new batch may have of its own. */
interface BatchParts {
  readonly agentId?: string
  readonly name?: string | null
  readonly fileName?: string | null
  readonly scheduledAt?: number | null
  readonly limit?: number | null
  readonly metadata?: Json
}

const running: ReadonlyArray<string> = ["in_progress", "dispatched"]

const waiting: ReadonlyArray<string> = ["pending", "retry_scheduled", "follow_up_scheduled"]

const retryable: ReadonlyArray<string> = ["failed", "busy", "no-answer", "error", "call-disconnected"]

/** A campaign that could dial now, and whom. */
interface Candidate {
  readonly campaign: Campaign
  readonly contacts: ReadonlyArray<Contact>
}

/** Dials lists: who is next, what follows an attempt, and when a list is done. */
export class Dispatcher {
  readonly #parts: Parts
  /** Campaigns, hidden ones too, whose lists are not done. */
  readonly #open = new Map<Organization, Set<Campaign>>()
  #turns = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  serve(organization: Organization): void {
    this.#parts.lines().serve(organization)
  }

  addBatch(organization: Organization, campaign: Campaign, listed: ReadonlyArray<Listed>, parts: BatchParts): Batch {
    const { clock } = this.#parts
    if (campaign.batches.length === maxBatches) throw conflict("This campaign holds as many batches as it can.")
    const now = clock.now()
    const {
      agentId = campaign.agent_id,
      fileName = null,
      limit = null,
      metadata = {},
      name = null,
      scheduledAt = null,
    } = parts
    const status = scheduledAt === null ? "in_progress" : "scheduled"
    const batch: Batch = {
      batch_id: mint("bat"),
      campaign,
      agent_id: agentId,
      name,
      file_name: fileName,
      status: campaign.status === "paused" ? "paused" : status,
      pausedFrom: campaign.status === "paused" ? status : null,
      pausedByCampaign: campaign.status === "paused",
      contacts: [],
      concurrency_limit: limit,
      scheduled_at: scheduledAt,
      started_at: scheduledAt === null ? now : null,
      completed_at: null,
      metadata,
      created_at: now,
      updated_at: now,
      timer: undefined,
    }
    batch.contacts = listed.map((one, index) => newContact(batch, this.#transliterated(campaign, one), index))
    organization.batches.put(batch.batch_id, batch)
    campaign.batches.push(batch)
    this.#opened(organization, campaign)
    if (scheduledAt !== null) this.#startAt(organization, batch, scheduledAt)
    return batch
  }

  /** Named fields in the target script; the original stays beside it where that is wanted. */
  #transliterated({ transliteration }: Campaign, listed: Listed): Listed {
    const { enabled, fields, keep_original, target_language_code: language } = transliteration
    if (enabled !== true || typeof language !== "string" || !Array.isArray(fields)) return listed
    const variables = { ...listed.variables }
    for (const name of fields.map(String)) {
      const value = variables[name]
      if (typeof value !== "string") continue
      if (keep_original === true) variables[`${name}_original`] = value
      variables[name] = transliterated(value, language)
    }
    return { ...listed, variables }
  }

  #opened(organization: Organization, campaign: Campaign): void {
    const open = this.#open.get(organization) ?? new Set()
    open.add(campaign)
    this.#open.set(organization, open)
  }

  #startAt(organization: Organization, batch: Batch, at: number): void {
    const { clock } = this.#parts
    clock.cancel(batch.timer)
    batch.timer = clock.at(at, () => {
      if (batch.status === "paused") batch.pausedFrom = "in_progress"
      if (batch.status !== "scheduled") return
      batch.status = "in_progress"
      batch.started_at = clock.now()
      this.serve(organization)
    })
  }

  schedule(organization: Organization, batch: Batch, at: number): void {
    batch.scheduled_at = at
    if (batch.status === "paused" && batch.pausedByCampaign) batch.pausedFrom = "scheduled"
    else batch.status = "scheduled"
    batch.updated_at = this.#parts.clock.now()
    this.#startAt(organization, batch, at)
  }

  /** Starts one call of the campaign whose turn it is; whether there was one. */
  startOne(organization: Organization): boolean {
    for (;;) {
      const candidates = this.#candidates(organization)
      let held = false
      for (const { campaign, contacts } of this.#inTurn(organization, candidates)) {
        for (const contact of contacts) {
          const how = this.#tryContact(organization, campaign, contact)
          if (how === "dialled") return true
          if (how === "no line") break
          held = true
        }
      }
      // Those that were held are out of the way now.
      if (!held) return false
    }
  }

  #candidates(organization: Organization): ReadonlyArray<Candidate> {
    const open = this.#open.get(organization)
    if (open === undefined) return []
    const limit = this.#parts.lines().levels(organization).organization
    return [...open]
      .map((campaign) => ({ campaign, contacts: this.#dialable(organization, campaign, limit) }))
      .filter(({ contacts }) => contacts.length > 0)
  }

  /** Contacts that may be dialled now, at most so many; the next moment worth a look is kept as a wake-up. */
  #dialable(organization: Organization, campaign: Campaign, most: number): ReadonlyArray<Contact> {
    const now = this.#parts.clock.now()
    if (campaign.status !== "created" && campaign.status !== "active") return []
    if (campaign.start_time !== null && campaign.start_time > now) {
      this.#wake(organization, campaign, campaign.start_time)
      return []
    }
    if (campaign.end_time !== null && campaign.end_time <= now) return []
    const opens = openFrom(this.#scheduleOf(campaign), now)
    if (opens === null) return []
    if (opens > now) {
      this.#wake(organization, campaign, opens)
      return []
    }
    const live = new Set(contactsOf(campaign).flatMap((contact) => (contact.live === null ? [] : [contact.to_number])))
    const found: Array<Contact> = []
    let next = Number.POSITIVE_INFINITY
    for (const batch of campaign.batches) {
      if (!running.includes(batch.status)) continue
      for (const contact of batch.contacts) {
        if (!waiting.includes(contact.status) || live.has(contact.to_number)) continue
        if (contact.dueAt > now) next = Math.min(next, contact.dueAt)
        else found.push(contact)
        if (found.length >= most) return found
      }
    }
    if (next < Number.POSITIVE_INFINITY) this.#wake(organization, campaign, next)
    return found
  }

  #scheduleOf({ timezone, working_hours, working_hours_enforced }: Campaign) {
    return scheduleOf(working_hours, working_hours_enforced, timezone)
  }

  #wake(organization: Organization, campaign: Campaign, at: number): void {
    const { clock } = this.#parts
    if (campaign.wake?.action != null && campaign.wake.at <= at && campaign.wake.at > clock.now()) return
    clock.cancel(campaign.wake)
    campaign.wake = clock.at(at, () => {
      campaign.wake = undefined
      this.serve(organization)
    })
  }

  /** Fair shares: campaigns below their floor first, then those that borrow what nobody is short of, in turn. */
  #inTurn(organization: Organization, candidates: ReadonlyArray<Candidate>): ReadonlyArray<Candidate> {
    const lines = this.#parts.lines()
    const limit = lines.levels(organization).organization
    const floor = candidates.length === 0 ? 0 : Math.floor(limit / candidates.length)
    const usedBy = ({ campaign }: Candidate) => lines.used(campaign.campaign_id)
    const ceilingOf = ({ campaign }: Candidate) => campaign.max_concurrent_calls ?? limit
    const shortOf = (one: Candidate) =>
      Math.max(0, Math.min(floor, ceilingOf(one), usedBy(one) + one.contacts.length) - usedBy(one))
    const used = lines.used(organization.organization_id)
    const allShort = candidates.reduce((sum, one) => sum + shortOf(one), 0)
    const isBelow = (one: Candidate) => usedBy(one) < Math.min(floor, ceilingOf(one))
    const mayBorrow = (one: Candidate) => limit - used - (allShort - shortOf(one)) >= 1
    const byTurn = (a: Candidate, b: Candidate) => a.campaign.turn - b.campaign.turn
    const below = candidates.filter(isBelow).toSorted((a, b) => usedBy(a) - usedBy(b) || byTurn(a, b))
    const { enforced } = organization.concurrency
    const above = candidates.filter((one) => !isBelow(one) && (!enforced || mayBorrow(one))).toSorted(byTurn)
    return [...below, ...above]
  }

  #tryContact(organization: Organization, campaign: Campaign, contact: Contact): "dialled" | "no line" | "held" {
    const isFollowUp = contact.status === "follow_up_scheduled"
    const followUpAgent = isFollowUp ? campaign.follow_up_policy.follow_up_agent_id : null
    const agentId = followUpAgent ?? (campaign.hidden ? contact.batch.agent_id : campaign.agent_id)
    const lines = this.#parts.lines()
    const ask: Ask = {
      organization,
      agentId,
      campaign: { id: campaign.campaign_id, ceiling: campaign.max_concurrent_calls },
    }
    const isBroke = organization.wallet.balance <= 0
    if (isBroke || organization.agents.get(agentId)?.status !== "ACTIVE")
      return this.#hold(organization, campaign, contact)
    const call = this.#callFor(organization, campaign, contact, agentId, isFollowUp)
    if (this.#parts.isUnfunded(contact.to_number)) {
      this.#unfunded(organization, contact, call)
      return "held"
    }
    const line = lines.take({ ...ask, agentId: call.agent_id })
    if (line === null) return "no line"
    campaign.turn = ++this.#turns
    if (!isFollowUp) contact.attempts += 1
    else contact.followUps += 1
    const before = contact.status
    contact.status = "in_progress"
    contact.live = call
    const { how } = this.#parts.lifecycle().dial(organization, call, line)
    if (how === "unreachable" || how === "rejected" || how === "throttled") {
      // Not its fault: the attempt is not spent.
      if (isFollowUp) contact.followUps -= 1
      else contact.attempts -= 1
      organization.calls.delete(call.execution_id)
      contact.live = null
      contact.status = before
      call.line = null
      this.#hold(organization, campaign, contact)
      lines.release(line)
      return "held"
    }
    contact.holds = 0
    contact.first ??= call
    contact.last = call
    if (campaign.status === "created") campaign.status = "active"
    if (isFollowUp) campaign.counters.follow_up += 1
    if (contact.batch.contacts.every(({ first, status }) => first !== null || status === "skipped")) {
      contact.batch.status = "dispatched"
    }
    return "dialled"
  }

  /** A call that no wallet can carry ends at once, and its contact with it. */
  #unfunded(organization: Organization, contact: Contact, call: Call): void {
    organization.calls.put(call.execution_id, call)
    contact.attempts += 1
    contact.first ??= call
    contact.last = call
    contact.live = call
    this.#parts.lifecycle().finish(organization, call, "balance-low", "balance_low", null)
  }

  #callFor(
    organization: Organization,
    campaign: Campaign,
    contact: Contact,
    agentId: string,
    isFollowUp: boolean,
  ): Call {
    const attempt = contact.attempts + contact.followUps
    const call = newCall({
      status: "queued",
      agent_id: agentId,
      to_number: contact.to_number,
      created_at: this.#parts.clock.now(),
      batch_id: contact.batch.batch_id,
      campaign_id: campaign.hidden ? null : campaign.campaign_id,
      contact,
      parent_execution_id: contact.first?.execution_id ?? null,
      retry_count: attempt,
      source: isFollowUp ? "follow-up" : attempt > 0 ? "retry" : "campaign",
      from_number: this.#callerId(organization, campaign),
      variables: { ...campaign.default_call_variables, ...contact.variables },
    })
    this.#parts.lifecycle().assign(organization, call, contact.contact_id)
    return call
  }

  #callerId(organization: Organization, campaign: Campaign): string | null {
    const numbers = campaign.phone_numbers ?? [...organization.numbers.values()].map(({ phone_number }) => phone_number)
    if (numbers.length === 0) return null
    switch (campaign.phone_number_strategy) {
      case "random":
        return numbers[randomInt(numbers.length)] ?? null
      case "least_loaded": {
        const live = organization.calls.filter(({ line }) => line !== null)
        const loads = numbers.map((number) => live.filter(({ from_number }) => from_number === number).length)
        return numbers[loads.indexOf(Math.min(...loads))] ?? null
      }
      case "round_robin":
        return numbers[campaign.phone_number_index++ % numbers.length] ?? null
    }
  }

  #hold(organization: Organization, campaign: Campaign, contact: Contact): "held" {
    contact.holds += 1
    contact.dueAt = this.#parts.clock.now() + Math.min(longestHoldMs, firstHoldMs * 2 ** (contact.holds - 1))
    if (contact.holds >= maxHolds) {
      contact.holds = 0
      contact.attempts += 1
      this.#next(organization, campaign, contact, "error")
    }
    return "held"
  }

  /** A call of a contact is over: what comes next for the contact, its list and its campaign. */
  ended(organization: Organization, call: Call): void {
    const { contact } = call
    if (contact === null || contact.live !== call) return
    const { campaign } = contact.batch
    contact.live = null
    this.#tally(campaign, call)
    if (call.status === "completed") contact.reached = true
    this.#next(organization, campaign, contact, call.unconfirmed ? "unknown" : this.#endingOf(call))
    this.serve(organization)
  }

  #endingOf({ answered_by_voicemail, status }: Call): string {
    return answered_by_voicemail === true ? "voicemail" : status
  }

  #tally({ counters }: Campaign, { answered_by_voicemail, status }: Call): void {
    if (status === "completed") counters.completed += 1
    if (status === "busy") counters.busy += 1
    if (status === "no-answer") counters.no_answer += 1
    if (answered_by_voicemail === true) counters.voicemail += 1
    if (status === "failed" || status === "error" || status === "call-disconnected") counters.failed += 1
  }

  #next(organization: Organization, campaign: Campaign, contact: Contact, ending: string): void {
    const now = this.#parts.clock.now()
    const wasFollowUp = contact.followUps > 0
    const isCancelled = campaign.status === "cancelled" || contact.batch.status === "cancelled"
    const triggered = retryable.includes(ending) || ending === "voicemail"
    const left = campaign.retry_policy.max_retries - Math.max(0, contact.attempts - 1)
    if (!isCancelled && triggered && !wasFollowUp && left > 0) {
      const due = now + retryDelayMs(campaign.retry_policy, contact.attempts)
      const schedule = campaign.retry_policy.respect_working_hours ? this.#scheduleOf(campaign) : null
      this.#plan(organization, campaign, contact, "retry_scheduled", openFrom(schedule, due) ?? due)
    } else if (!isCancelled && this.#wantsFollowUp(campaign, contact, ending, triggered)) {
      const due = now + campaign.follow_up_policy.cooldown_minutes * minuteMs
      this.#plan(organization, campaign, contact, "follow_up_scheduled", this.#followUpAt(campaign, due))
    } else {
      contact.status = contact.reached ? "completed" : "failed"
      this.#settle(organization, campaign)
    }
  }

  #wantsFollowUp(
    { follow_up_policy: policy }: Campaign,
    contact: Contact,
    ending: string,
    triggered: boolean,
  ): boolean {
    if (!policy.enabled || contact.followUps >= policy.max_attempts) return false
    if (contact.followUps > 0) return !contact.reached && triggered
    if (triggered && policy.triggers.includes("after_retries_exhausted")) return true
    const words: Readonly<Record<string, string>> = {
      "no-answer": "no_answer",
      error: "failed",
      "call-disconnected": "failed",
    }
    return policy.triggers.includes(words[ending] ?? ending)
  }

  #followUpAt(campaign: Campaign, due: number): number {
    const schedule = this.#scheduleOf(campaign)
    if (schedule === null) return due
    const window = windowFrom(schedule, due)
    if (window === null) return due
    return Math.max(due, window.opens)
  }

  #plan(
    organization: Organization,
    campaign: Campaign,
    contact: Contact,
    status: "retry_scheduled" | "follow_up_scheduled",
    at: number,
  ): void {
    contact.status = status
    contact.dueAt = at
    this.#wake(organization, campaign, at)
  }

  /** Lists that are done end, and the campaign with its last one. */
  #settle(organization: Organization, campaign: Campaign): void {
    const now = this.#parts.clock.now()
    for (const batch of campaign.batches) {
      const isDone = batch.contacts.every(({ live, status }) => live === null && !waiting.includes(status))
      if (running.includes(batch.status) && isDone) {
        batch.status = "completed"
        batch.completed_at = now
      }
    }
    if (!campaign.batches.every(isFinished)) return
    if (campaign.status === "active") campaign.status = "completed"
    this.#open.get(organization)?.delete(campaign)
  }

  pauseBatch(batch: Batch, byCampaign: boolean): void {
    if (isFinished(batch) || batch.status === "paused") return
    batch.pausedFrom = batch.status
    batch.pausedByCampaign = byCampaign
    batch.status = "paused"
  }

  resumeBatch(organization: Organization, batch: Batch): void {
    if (batch.status !== "paused") return
    const due = batch.scheduled_at !== null && batch.scheduled_at <= this.#parts.clock.now()
    batch.status = batch.pausedFrom === "scheduled" && due ? "in_progress" : (batch.pausedFrom ?? "in_progress")
    batch.pausedFrom = null
    batch.pausedByCampaign = false
    this.#opened(organization, batch.campaign)
    this.#settle(organization, batch.campaign)
  }

  /** Skips whoever was not called; a revive brings back those that the campaign's own cancelling skipped. */
  cancelBatch(organization: Organization, batch: Batch, byCampaign = false): void {
    this.#parts.clock.cancel(batch.timer)
    batch.status = "cancelled"
    batch.completed_at = this.#parts.clock.now()
    for (const contact of batch.contacts) {
      if (!waiting.includes(contact.status)) continue
      contact.before = byCampaign ? contact.status : null
      contact.status = "skipped"
      contact.skip_reason = byCampaign ? "campaign_cancelled" : "batch_stopped"
    }
    this.#settle(organization, batch.campaign)
  }

  pause(_: Organization, campaign: Campaign): void {
    if (["completed", "expired", "cancelled", "archived"].includes(campaign.status)) {
      throw conflict(`This campaign is ${campaign.status} and cannot be paused.`)
    }
    campaign.status = "paused"
    for (const batch of campaign.batches) this.pauseBatch(batch, true)
  }

  resume(organization: Organization, campaign: Campaign): void {
    if (["completed", "expired", "cancelled", "archived"].includes(campaign.status)) {
      throw conflict(`This campaign is ${campaign.status} and cannot be resumed.`)
    }
    if (campaign.status !== "paused") return
    campaign.status = "active"
    for (const batch of campaign.batches) if (batch.pausedByCampaign) this.resumeBatch(organization, batch)
    this.serve(organization)
  }

  cancel(organization: Organization, campaign: Campaign): void {
    if (["completed", "expired", "cancelled", "archived"].includes(campaign.status)) {
      throw conflict(`This campaign is ${campaign.status} and cannot be cancelled.`)
    }
    campaign.status = "cancelled"
    this.#parts.clock.cancel(campaign.wake)
    for (const batch of campaign.batches) if (!isFinished(batch)) this.cancelBatch(organization, batch, true)
  }

  revive(organization: Organization, campaign: Campaign): void {
    if (!["cancelled", "expired", "completed"].includes(campaign.status)) {
      throw conflict(`This campaign is ${campaign.status} and cannot be revived.`)
    }
    campaign.status = "active"
    for (const batch of campaign.batches) {
      if (batch.status === "expired") this.#reopen(batch)
      if (batch.status !== "cancelled") continue
      const skipped = batch.contacts.filter(({ before, status }) => status === "skipped" && before !== null)
      for (const contact of skipped) {
        contact.status = contact.before ?? "pending"
        contact.before = null
        contact.skip_reason = null
      }
      if (skipped.length > 0) this.#reopen(batch)
    }
    this.#opened(organization, campaign)
    this.expireAtEnd(organization, campaign)
    this.serve(organization)
  }

  #reopen(batch: Batch): void {
    batch.status = "in_progress"
    batch.completed_at = null
  }

  /** Puts a campaign on the clock for its end. */
  expireAtEnd(organization: Organization, campaign: Campaign): void {
    const { clock } = this.#parts
    clock.cancel(campaign.expiry)
    if (campaign.end_time === null) return
    campaign.expiry = clock.at(campaign.end_time, () => {
      if (campaign.status !== "active" && campaign.status !== "created" && campaign.status !== "paused") return
      campaign.status = "expired"
      for (const batch of campaign.batches) if (!isFinished(batch)) batch.status = "expired"
      this.#open.get(organization)?.delete(campaign)
    })
  }

  /** After an edit: what waits for times is looked at again. */
  edited(organization: Organization, campaign: Campaign): void {
    const now = this.#parts.clock.now()
    this.#parts.clock.cancel(campaign.wake)
    if (campaign.status === "expired" && (campaign.end_time === null || campaign.end_time > now)) {
      campaign.status = "active"
      for (const batch of campaign.batches) if (batch.status === "expired") this.#reopen(batch)
      this.#opened(organization, campaign)
    }
    this.expireAtEnd(organization, campaign)
    this.serve(organization)
  }

  /** Why nothing, or not more, is dialled now. */
  reasons(
    organization: Organization,
    campaign: Campaign,
  ): ReadonlyArray<{ readonly reason: string; readonly count: number }> {
    const now = this.#parts.clock.now()
    const left = contactsOf(campaign).filter(({ status }) => waiting.includes(status))
    const { length: count } = left
    const opens = openFrom(this.#scheduleOf(campaign), now)
    const lines = this.#parts.lines()
    const cooling = left.filter(({ dueAt }) => dueAt > now).length
    const ask = {
      organization,
      agentId: campaign.agent_id,
      campaign: { id: campaign.campaign_id, ceiling: campaign.max_concurrent_calls },
    }
    const all: ReadonlyArray<readonly [boolean, string, number]> = [
      [campaign.status === "paused", "paused", count],
      [campaign.start_time !== null && campaign.start_time > now, "before_start", count],
      [opens === null || opens > now, "outside_hours", count],
      [organization.wallet.balance <= 0, "wallet", count],
      [lines.full({ ...ask, campaign: null }) !== null, "organization_lines_full", count],
      [lines.full(ask) !== null && lines.full({ ...ask, campaign: null }) === null, "campaign_ceiling", count],
      [cooling > 0, "cooldown", cooling],
    ]
    return all.filter(([holds, , many]) => holds && many > 0).map(([, reason, many]) => ({ reason, count: many }))
  }
}
