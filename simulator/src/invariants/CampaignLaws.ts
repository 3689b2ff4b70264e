import {
  Assignment,
  type Batch,
  type Call,
  type Campaign,
  type Commit,
  type Contact,
  contactId,
  type ContactRow,
  type DialCommand,
  FairShare,
  FollowUpPlan,
  hoursOf,
  isTerminal,
  laneOf,
  Lanes,
  limits,
  outcomeCounts,
  placeOf,
  RetryPlan,
} from "@carillon/core"
import type { MemoryTables } from "@carillon/core/memory"
import { type Claims, mayStart } from "./FairRule.ts"
import type { Invariants } from "./Invariants.ts"
import { isWithin } from "./Hours.ts"
import { isOpen } from "./OpenCampaign.ts"
import { Remembered } from "./Remembered.ts"
import type { TurnLaws } from "./TurnLaws.ts"

const minuteMs = 60_000

/** How the pause before the n-th retry grows (decisions.md, "Retry strategies"), in words of its own. */
const growth = {
  fixed_delay: () => 1,
  linear_backoff: (n: number) => n,
  exponential_backoff: (n: number) => (n === 1 ? 1 : 2 * 2 ** (n - 2)),
} as const

/** The most that is remembered of contacts that may have been rung without anybody knowing. */
const rememberedContacts = 10_000

/** A line may be free this long before it counts as idle: ceilings are cached for a minute. */
const idleMs = 60_000

/** Where neither ceilings nor agents have changed for so long, nobody goes by older ones: cached for a minute, and looked at every ten seconds. */
const settledMs = 90_000

/** Then a line that was given back is used this soon: before anybody would look for one without having been told. */
const promptMs = 3_000

/** How long a fault may have held contacts back after it is gone. */
const outageMs = 360_000

/** Contacts of a lane that are looked at for one whose agent has a line; a dispatcher passes more than these over. */
const contactsLookedAt = 64

/** Lanes that are looked at for each occasion on average. */
const lanesPerOccasion = 16

/** Occasions in a row that are looked at, so that what goes on between them is seen as well. */
const occasionsInARow = 64

/** Lets what costs by the number of lanes happen the less often the more there are: some occasions in a row, and then a rest. */
class Pace {
  readonly #occasions = new Map<string, { seen: number; rest: number }>()

  isDue(organizationId: string): boolean {
    const occasions = this.#occasions.get(organizationId)
    if (occasions === undefined || occasions.rest <= 0) return true
    occasions.rest -= 1
    return false
  }

  spent(organizationId: string, lanes: number): void {
    const occasions = this.#occasions.get(organizationId) ?? { seen: 0, rest: 0 }
    this.#occasions.set(organizationId, occasions)
    occasions.seen += 1
    if (occasions.seen < occasionsInARow) return
    occasions.seen = 0
    occasions.rest = occasionsInARow * (Math.ceil(lanes / lanesPerOccasion) - 1)
  }
}

/** How a campaign, or a batch for itself, stands to its organization's lines. */
export interface LaneStanding {
  readonly lane_id: string
  /** Null for a batch without campaign. */
  readonly campaign_id: string | null
  readonly used: number
  /** Contacts that could be dialled now; none while some wait out a hold, because the lane may wait with them. */
  readonly demand: number
  /** The same if the lane does not wait with them. */
  readonly most: number
  readonly ceiling: number | null
  /** Some of its contacts wait out a hold. */
  readonly holds: boolean
  /** When the clock alone may close or open it, or null. */
  readonly until: number | null
}

/** An organization's lanes, and what fair share gives each. */
export interface Sharing {
  readonly limit: number
  /** Lines held by calls of no lane. */
  readonly direct: number
  readonly share: number
  readonly lanes: ReadonlyArray<LaneStanding>
}

/** How a campaign shares its organization's lines now. */
export interface CampaignShare {
  readonly organization_id: string
  readonly campaign_id: string
  readonly used: number
  /** The lines that it is owed. */
  readonly floor: number
  readonly demand: number
  readonly share: number
}

/** Batches without campaign have no id to be shown under. */
const sharesOf = (organization_id: string, { lanes, share }: Sharing): ReadonlyArray<CampaignShare> =>
  lanes.flatMap(({ campaign_id, ceiling, demand, used }) =>
    campaign_id === null
      ? []
      : [
          {
            organization_id,
            campaign_id,
            used,
            floor: demand > 0 ? Math.min(share, ceiling ?? share) : 0,
            demand,
            share,
          },
        ],
  )

export interface CampaignLaws {
  readonly observe: (commit: Commit) => void
  /** A call is being dialled. */
  readonly dialled: (command: DialCommand) => void
  /** A leg of the carrier began or ended. */
  readonly leg: (command: DialCommand, by: 1 | -1) => void
  /** Looks at everything that is due to be looked at; after every event. */
  readonly look: () => void
  readonly sharing: (organizationId: string) => Sharing
  /** How every campaign with a lane stands. */
  readonly views: () => ReadonlyArray<CampaignShare>
}

export interface CampaignLawsOptions {
  readonly tables: MemoryTables
  readonly now: () => number
  /** The most lines that were allowed in the last minute, the platform's included. */
  readonly limit: (organizationId: string) => number
  /** Every number of lines that was allowed in the last minute. */
  readonly limits: (organizationId: string) => ReadonlyArray<number>
  /** The fewest lines that each agent of the organization was allowed in the last minute. */
  readonly agentLimit: (organizationId: string) => number
  /** Whether the platform has no line left by any of its ceilings of the last minute, whoever holds them. */
  readonly isPlatformFull: () => boolean
  /** When something that dialling needs last failed. */
  readonly lastOutage: () => number
  /** Contacts whose state is remembered. */
  readonly retention: number
  /** Whether others get on in the middle of steps: whoever decides on lines goes by a picture that is a moment old then. */
  readonly isOvertaken: () => boolean
  readonly turns: TurnLaws
}

/** What is counted of a campaign, from its contacts' rows alone. */
class Counted {
  readonly contacts = new Map<string, string>()
  total = 0
  completed = 0
  failed = 0
  in_flight = 0

  put(contact: Contact): void {
    const before = this.contacts.get(contact.contact_id)
    if (before !== undefined) this.#add(before, -1)
    const bucket = contact.reached
      ? "completed"
      : contact.status === "in_progress"
        ? "in_flight"
        : contact.status === "failed"
          ? "failed"
          : "pending"
    this.contacts.set(contact.contact_id, bucket)
    this.#add(bucket, 1)
  }

  #add(bucket: string, by: number): void {
    if (bucket === "completed") this.completed += by
    else if (bucket === "failed") this.failed += by
    else if (bucket === "in_flight") this.in_flight += by
  }
}

/** The most retries and follow-ups that a campaign or batch ever allowed. */
interface Allowed {
  readonly retries: number
  readonly followUps: number
  /** Whether retries have respected given hours ever since. */
  readonly respects: boolean
}

/** A line that nobody uses. */
interface Idle {
  readonly since: number
  /** Until then the clock alone changes nothing about it. */
  readonly until: number
}

/** The laws of campaigns: fair shares, hours, budgets and counts, folded over commits and legs. */
export const campaignLaws = (invariants: Invariants, options: CampaignLawsOptions): CampaignLaws => {
  const { tables, now, turns } = options
  const s5 = invariants.open({
    name: "S5",
    description: "No campaign borrows a line that another one is short of.",
  })
  const s6 = invariants.open({
    name: "S6",
    description:
      "No line stays free for a minute, or where nothing else has changed for three seconds, while a contact could use it, unless it is reserved.",
  })
  const s9 = invariants.open({
    name: "S9b",
    description:
      "No number of a campaign has two live legs, no contact is dialled more often or sooner than its policy allows, none after a dial of unknown outcome, no follow-up while they are off, and nothing outside hours, before the start, after the end or while paused.",
  })
  const s11 = invariants.open({
    name: "S11",
    description: "The outcome buckets are what the contacts' rows say, sum to the total, and completed only grows.",
  })

  const counted = new Map<string, Counted>()
  const allowed = new Map<string, Allowed>()
  const live = new Map<string, number>()
  const idle = new Map<string, Idle>()
  /** When a ceiling or an agent of an organization, or of all of them (null), was last written. */
  const unsettledAt = new Map<string | null, number>()
  const touched = new Set<string>()
  /** When the policy of a campaign or batch was last written. */
  const writtenAt = new Map<string, number>()
  /** Contacts with a dial whose outcome nobody will ever know. */
  const unknown = new Set<string>()
  const unknownOnes = new Remembered(rememberedContacts)
  const judgements = new Pace()
  const looks = new Pace()
  let remembered = 0

  const standingOf = (laneId: string): LaneStanding => {
    const campaign = tables.campaigns.get(laneId) ?? null
    const lane = { lane_id: laneId, campaign, batches: tables.batches.unfinished(laneId) }
    const gate = Lanes.gateOf(lane, now())
    const open = gate.open.map(({ batch_id }) => batch_id)
    const isHeld = tables.tallies.figure(laneId, "held") > 0
    const { dialable } = tables.contacts.load(open, { now: now(), in_hours: gate.in_hours })
    return {
      lane_id: laneId,
      campaign_id: campaign?.campaign_id ?? null,
      used: tables.calls.holding("campaign", laneId),
      // Which lanes wait out a hold only the dispatcher knows, so one that has held a contact has a demand or has none.
      demand: isHeld ? 0 : dialable,
      most: dialable,
      ceiling: campaign?.max_concurrent_calls ?? null,
      holds: isHeld,
      until: gate.next,
    }
  }

  const sharing = (organizationId: string): Sharing => {
    const limit = options.limit(organizationId)
    const lanes = tables.lanes.changed(organizationId, 0).lanes.map(standingOf)
    const used = lanes.reduce((sum, lane) => sum + lane.used, 0)
    return {
      limit,
      direct: Math.max(0, tables.calls.holding("organization", organizationId) - used),
      share: FairShare.fairShare(limit, lanes.filter(({ demand }) => demand > 0).length),
      lanes,
    }
  }

  /** A dispatcher goes by one of the ceilings of the last minute: it is not known by which. */
  const claimsOf = (organizationId: string, { direct, lanes }: Sharing): ReadonlyArray<Claims> =>
    options.limits(organizationId).map((limit) => ({ limit, direct, lanes }))

  const challengersOf = (organizationId: string, agentId: string): ReadonlyArray<string> =>
    tables.experiments
      .rows(organizationId)
      .filter(({ main_agent_id, status }) => main_agent_id === agentId && status === "active")
      .map(({ variant_agent_id }) => variant_agent_id)

  /** Every agent that may make a batch's next call: a follow-up has its own, and either may have a challenger. */
  const agentsOf = (organizationId: string, batch: Batch): ReadonlyArray<string> => {
    const campaign = batch.campaign_id === null ? null : (tables.campaigns.get(batch.campaign_id) ?? null)
    const policy = batch.follow_up_policy ?? campaign?.follow_up_policy
    return [batch.agent_id, policy?.follow_up_agent_id ?? batch.agent_id].flatMap((agentId) => [
      agentId,
      ...challengersOf(organizationId, agentId),
    ])
  }

  /** Whether nothing but lines keeps a lane from dialling; `without` is an agent whose last call is not counted. */
  const canPlace = (organizationId: string, { lane_id }: LaneStanding, without: string | null = null): boolean => {
    const organization = tables.organizations.get(organizationId)
    const agentLimit = options.agentLimit(organizationId)
    const lines = (agentId: string) => tables.calls.holding("agent", agentId) - (agentId === without ? 1 : 0)
    return (
      organization !== undefined &&
      organization.wallet.balance > 0 &&
      tables.batches
        .unfinished(lane_id)
        .every(
          (batch) =>
            tables.agents.get(batch.agent_id)?.status === "ACTIVE" &&
            agentsOf(organizationId, batch).every((agent) => lines(agent) < agentLimit),
        )
    )
  }

  /** Judges a call that was just started as it was judged before it was. */
  const judge = (organizationId: string, laneId: string, agentId: string) => {
    if (options.isOvertaken() || !judgements.isDue(organizationId)) return turns.missed(organizationId)
    const after = sharing(organizationId)
    judgements.spent(organizationId, after.lanes.length)
    const index = after.lanes.findIndex(({ lane_id }) => lane_id === laneId)
    const lane = after.lanes[index]
    if (lane === undefined) return
    const demand = lane.most + 1
    const lanes = after.lanes.with(index, { ...lane, used: lane.used - 1, demand, most: demand })
    s5(
      claimsOf(organizationId, { ...after, lanes }).some((claims) => mayStart(claims, index, "possibly")),
      () => `${laneId} started a call though fair share refuses it: ${JSON.stringify(lanes)}`,
    )
    // Whether a lane that waits out a hold has a demand only the dispatcher knows, and with it everyone's share.
    if (lanes.some(({ holds }) => holds)) return turns.missed(organizationId)
    if (now() - options.lastOutage() < outageMs) return turns.missed(organizationId)
    turns.started(organizationId, {
      lane_id: laneId,
      share: FairShare.fairShare(after.limit, lanes.filter(({ demand }) => demand > 0).length),
      runners: lanes.map((each) => ({
        lane_id: each.lane_id,
        used: each.used,
        fit:
          each.demand > 0 &&
          (each.ceiling === null || each.used < each.ceiling) &&
          canPlace(organizationId, each, agentId),
        until: each.until,
      })),
    })
    // Its last contact: should another come due, the lane stands at the end again.
    if (lane.demand === 0) turns.disturbed(organizationId, laneId)
  }

  /** Whether any contact could be dialled if only its lane may: most of the time none could, and no more has to be looked at. */
  const someoneWaits = (organizationId: string): boolean => {
    const moment = { now: now(), in_hours: true }
    for (const laneId of tables.lanes.of(organizationId)) {
      const batches = tables.batches.unfinished(laneId).map(({ batch_id }) => batch_id)
      if (batches.length > 0 && tables.contacts.load(batches, moment).dialable > 0) return true
    }
    return false
  }

  /** The contacts of a lane that might be dialled next, in their order. */
  const comingOf = function* (laneId: string): Iterable<ContactRow> {
    const campaign = tables.campaigns.get(laneId) ?? null
    const gate = Lanes.gateOf({ lane_id: laneId, campaign, batches: tables.batches.unfinished(laneId) }, now())
    const open = gate.open.map(({ batch_id }) => batch_id)
    const touched: Array<ContactRow> = []
    const moment = { now: now(), in_hours: gate.in_hours }
    while (touched.length < contactsLookedAt) {
      const next = tables.contacts.next(open, moment, touched, "all")
      if (next === null) return
      if (next.contact === null) return yield* tables.contacts.rows(next.batch_id, next.row, contactsLookedAt)
      touched.push(next)
      yield next
    }
  }

  /** Whether the agent that a contact's first dials go to has a line, and nobody is in a call with its number. */
  const hasLine = (organizationId: string, { batch_id, contact, entry, row }: ContactRow): boolean => {
    const batch = tables.batches.get(batch_id)
    if (batch === undefined || contact?.status === "follow_up_scheduled") return false
    if (tables.calls.onNumber(laneOf(batch), entry.to_number) !== undefined) return false
    const experiment = tables.experiments
      .rows(organizationId)
      .find(({ main_agent_id, status }) => main_agent_id === batch.agent_id && status === "active")
    const subject = { contact_id: contactId(batch_id, row), to_number: entry.to_number }
    const isAway = tables.agents.get(experiment?.variant_agent_id ?? "")?.status !== "ACTIVE"
    const routed = experiment === undefined ? null : Assignment.route(experiment, !isAway, subject)
    return tables.calls.holding("agent", routed?.agent_id ?? batch.agent_id) < options.agentLimit(organizationId)
  }

  /** Whether a lane has a contact that could be dialled though others wait for an agent that has no line. */
  const canPlaceSomebody = (organizationId: string, { lane_id }: LaneStanding): boolean => {
    const organization = tables.organizations.get(organizationId)
    if (organization === undefined || organization.wallet.balance <= 0) return false
    if (tables.batches.unfinished(lane_id).some(({ agent_id }) => tables.agents.get(agent_id)?.status !== "ACTIVE")) {
      return false
    }
    for (const row of comingOf(lane_id)) if (hasLine(organizationId, row)) return true
    return false
  }

  /** Until when a line stays idle if nothing happens; null where none is. */
  const idleUntil = (organizationId: string): number | null => {
    if (!someoneWaits(organizationId)) return null
    const least = Math.min(...options.limits(organizationId))
    if (options.isPlatformFull() || tables.calls.holding("organization", organizationId) >= least) return null
    const shared = sharing(organizationId)
    looks.spent(organizationId, shared.lanes.length)
    const isIdle = claimsOf(organizationId, shared).every((claims) =>
      shared.lanes.some(
        (lane, index) =>
          mayStart(claims, index, "surely") &&
          (canPlace(organizationId, lane) || canPlaceSomebody(organizationId, lane)),
      ),
    )
    return isIdle ? Math.min(...shared.lanes.map(({ until }) => until ?? Infinity)) : null
  }

  const isSettled = (organizationId: string, at: number): boolean =>
    !options.isOvertaken() &&
    at - Math.max(unsettledAt.get(organizationId) ?? -Infinity, unsettledAt.get(null) ?? -Infinity) > settledMs

  /** Judges a line as it was until now: whatever has just happened came after that. */
  const judgeIdle = (organizationId: string, { since, until }: Idle) => {
    const mostMs = isSettled(organizationId, since) ? promptMs : idleMs
    s6(
      Math.min(now(), until) - since <= mostMs,
      () => `${organizationId} has had a free line since ${new Date(since).toISOString()}`,
    )
  }

  const allowedOf = (batch: Batch): Allowed => {
    const own = allowed.get(batch.batch_id)
    const campaign = batch.campaign_id === null ? undefined : allowed.get(batch.campaign_id)
    const { retryPolicyDefaults } = RetryPlan
    const defaults: Allowed = { retries: retryPolicyDefaults.max_retries, followUps: 0, respects: true }
    return {
      retries: batch.retry_policy === null ? (campaign ?? defaults).retries : (own ?? defaults).retries,
      followUps: batch.follow_up_policy === null ? (campaign ?? defaults).followUps : (own ?? defaults).followUps,
      respects: batch.retry_policy === null ? (campaign ?? defaults).respects : (own ?? defaults).respects,
    }
  }

  const allow = (
    subject: string,
    { follow_up_policy, retry_policy }: Pick<Batch, "follow_up_policy" | "retry_policy">,
  ) => {
    const before = allowed.get(subject) ?? { retries: 0, followUps: 0, respects: true }
    const followUps = follow_up_policy?.enabled === true ? follow_up_policy.max_attempts : 0
    allowed.set(subject, {
      retries: Math.max(before.retries, retry_policy?.max_retries ?? 0),
      followUps: Math.max(before.followUps, Math.min(followUps, FollowUpPlan.followUpAttemptsBounds.max)),
      respects: before.respects && retry_policy?.respect_working_hours !== false,
    })
  }

  /** A contact's retry waits as long as the policy says, from the end of the attempt. */
  const judgeRetry = (contact: Contact, call: Call) => {
    const batch = tables.batches.get(contact.batch_id)
    if (batch === undefined || contact.status !== "retry_scheduled" || call.completed_at === null) return
    const campaign = batch.campaign_id === null ? undefined : tables.campaigns.get(batch.campaign_id)
    // Which policy was read by whoever planned it is not known while the policy is being written.
    if (now() === writtenAt.get(batch.batch_id) || now() === writtenAt.get(campaign?.campaign_id ?? "")) return
    const policy = batch.retry_policy ?? campaign?.retry_policy ?? RetryPlan.retryPolicyDefaults
    const delay = policy.base_delay_minutes * growth[policy.strategy](contact.retries_used + 1)
    const minutes = Math.max(policy.cooldown_minutes, Math.min(delay, policy.max_delay_minutes ?? Infinity))
    const at = call.completed_at + minutes * minuteMs
    // Whose retry is due at once may have to wait for the end of a call to its number.
    s9(
      at <= now() || contact.eligible_at === at,
      () => `${contact.contact_id} is to be tried again at ${contact.eligible_at}, not at ${at}`,
    )
  }

  const ended = ({ changes }: Commit, call: Call) => {
    if (call.contact_id === null || !isTerminal(call.status)) return
    for (const change of changes) {
      if (change.put !== "contact" || change.row.last_execution_id !== call.execution_id) continue
      judgeRetry(change.row, call)
      if (call.status !== "error" || (call.dial !== "unconfirmed" && call.dial !== "intended")) continue
      unknown.add(call.contact_id)
      const forgotten = unknownOnes.add(call.contact_id)
      if (forgotten !== undefined) unknown.delete(forgotten)
    }
  }

  const countedOf = (campaignId: string): Counted => {
    let found = counted.get(campaignId)
    if (found === undefined) {
      found = new Counted()
      counted.set(campaignId, found)
    }
    return found
  }

  const compare = (campaignId: string, own: Counted, completedBefore: number) => {
    const shown = outcomeCounts(tables.tallies.read(campaignId))
    const pending = own.total - own.completed - own.failed - own.in_flight
    s11(
      shown.total === own.total &&
        shown.completed === own.completed &&
        shown.failed === own.failed &&
        shown.in_flight === own.in_flight &&
        shown.pending === pending &&
        pending >= 0,
      () =>
        `${campaignId} shows ${JSON.stringify(shown)}, but its rows say ${own.total}, ${own.completed}, ${own.failed}, ${own.in_flight}`,
    )
    s11(
      own.completed >= completedBefore,
      () => `${campaignId} went from ${completedBefore} completed to ${own.completed}`,
    )
  }

  const count = (commit: Commit) => {
    const changed = new Map<string, number>()
    const change = (campaignId: string, put: (own: Counted) => void) => {
      const own = countedOf(campaignId)
      if (!changed.has(campaignId)) changed.set(campaignId, own.completed)
      put(own)
    }
    for (const each of commit.changes) {
      if (each.put === "batch" && each.row.campaign_id !== null && each.row.revision === 1) {
        change(each.row.campaign_id, (own) => {
          own.total += each.row.total_contacts
        })
      }
      if (each.put === "contact" && each.row.campaign_id !== null) {
        change(each.row.campaign_id, (own) => {
          const known = own.contacts.size
          own.put(each.row)
          remembered += own.contacts.size - known
        })
      }
    }
    // A world that outgrows what is remembered of it goes on without this law rather than with a wrong one.
    if (remembered > options.retention) return
    for (const [campaignId, completed] of changed) compare(campaignId, countedOf(campaignId), completed)
  }

  const isOpenFor = (batch: Batch): boolean => {
    const campaign = batch.campaign_id === null ? undefined : tables.campaigns.get(batch.campaign_id)
    return (
      (campaign === undefined || isOpen(campaign, now())) && batch.status !== "paused" && batch.status !== "cancelled"
    )
  }

  const writtenLately = ({ batch_id, campaign_id }: Batch): boolean =>
    now() - Math.max(writtenAt.get(batch_id) ?? -Infinity, writtenAt.get(campaign_id ?? "") ?? -Infinity) <
    limits.reservationMs

  /** Whether the campaign and the batch as they are by now let this retry or follow-up be made. */
  const isMeant = (
    { is_follow_up, retry_count }: DialCommand,
    batch: Batch,
    campaign: Campaign | undefined,
  ): boolean => {
    // A dial that was begun under other rules a moment ago may still be on its way.
    if (writtenLately(batch)) return true
    if (is_follow_up) return (batch.follow_up_policy ?? campaign?.follow_up_policy)?.enabled === true
    if (retry_count === 0 || campaign === undefined || !allowedOf(batch).respects) return true
    const { window } = hoursOf(campaign)
    return window.days.every((hours) => hours === null) || isWithin(window, now())
  }

  return {
    observe: (commit) => {
      for (const change of commit.changes) {
        if (change.put === "platform") {
          turns.resized(null)
          unsettledAt.set(null, now())
        }
        if (change.put === "organization") turns.resized(commit.organization_id)
        if (change.put === "organization" || change.put === "agent" || change.put === "experiment") {
          unsettledAt.set(commit.organization_id, now())
        }
        if (change.put === "campaign") {
          writtenAt.set(change.row.campaign_id, now())
          allow(change.row.campaign_id, change.row)
          turns.disturbed(commit.organization_id, change.row.campaign_id)
        }
        if (change.put === "batch") {
          if (change.row.revision > 1) writtenAt.set(change.row.batch_id, now())
          allow(change.row.batch_id, change.row)
          touched.add(commit.organization_id)
          turns.disturbed(commit.organization_id, laneOf(change.row))
        }
        if (change.put === "contact" && (change.row.waits_for_number || change.row.holds > 0)) {
          turns.disturbed(commit.organization_id, laneOf(change.row))
        }
        if (change.put !== "call") continue
        if (change.row.contact_id === null) {
          if (change.row.final_report_at !== null && tables.lanes.any(commit.organization_id))
            touched.add(commit.organization_id)
          continue
        }
        ended(commit, change.row)
        touched.add(commit.organization_id)
        const { batch_id, dial, revision } = change.row
        const batch = batch_id === null ? undefined : tables.batches.get(batch_id)
        if (batch === undefined || revision !== 1 || dial !== "intended") continue
        s9(isOpenFor(batch), () => `a dial of ${batch_id} was written though its campaign or the batch was not open`)
        judge(commit.organization_id, laneOf(batch), change.row.agent_id)
      }
      count(commit)
    },
    dialled: (command) => {
      const { contact_id } = command
      const place = contact_id === null ? null : placeOf(contact_id)
      if (place === null) return
      const batch = tables.batches.get(place.batch_id)
      const contact = tables.contacts.get(place.batch_id, place.row)
      if (batch === undefined || contact === undefined) return
      s9(!unknown.has(contact.contact_id), () => `${contact_id} was dialled again after a dial of unknown outcome`)
      const campaign = batch.campaign_id === null ? undefined : tables.campaigns.get(batch.campaign_id)
      // A dial that was written may still be on its way when its campaign is paused; when it was written, it was judged.
      s9(
        isOpenFor(batch) || writtenLately(batch),
        () => `${contact_id} was dialled though its campaign or batch was not open`,
      )
      s9(isMeant(command, batch, campaign), () => `${contact_id} was dialled though follow-ups or hours forbid it`)
      const { followUps, retries } = allowedOf(batch)
      s9(
        contact.attempts <= 1 + contact.retries_used + contact.follow_ups_used &&
          contact.retries_used <= retries &&
          contact.follow_ups_used <= followUps,
        () =>
          `${contact_id} was dialled ${contact.attempts} times, ${retries} retries and ${followUps} follow-ups being allowed`,
      )
    },
    leg: ({ campaign_id, contact_id, to_number }, by) => {
      const place = contact_id === null ? null : placeOf(contact_id)
      if (place === null) return
      const key = `${campaign_id ?? place.batch_id} ${to_number}`
      const legs = (live.get(key) ?? 0) + by
      if (legs === 0) live.delete(key)
      else live.set(key, legs)
      if (by === 1) s9(legs === 1, () => `a number of ${campaign_id ?? place.batch_id} has ${legs} live legs`)
    },
    look: () => {
      for (const organizationId of touched) {
        if (!looks.isDue(organizationId)) continue
        touched.delete(organizationId)
        if (!idle.has(organizationId)) idle.set(organizationId, { since: now(), until: now() })
      }
      if (idle.size === 0) return
      const isDisturbed = now() - options.lastOutage() < outageMs
      for (const [organizationId, line] of idle) {
        if (!isDisturbed) judgeIdle(organizationId, line)
        const until = isDisturbed ? null : idleUntil(organizationId)
        if (until === null) idle.delete(organizationId)
        else idle.set(organizationId, { since: line.since, until })
      }
    },
    sharing,
    views: () => [...tables.lanes.organizations()].flatMap((id) => sharesOf(id, sharing(id))),
  }
}
