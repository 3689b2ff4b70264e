import { FairShare } from "@carillon/core/domain"
import { type Commit, laneOf } from "@carillon/core/ports"
import type { MemoryTables } from "@carillon/core/memory"
import { type Claim, type Claims, mayStart } from "./FairRule.ts"
import type { Invariants } from "./Invariants.ts"
import { countLane, type LaneStanding } from "./LaneStanding.ts"
import { Pace } from "./Pace.ts"
import { Placeable } from "./Placeable.ts"
import { type Alike, type OrganizationStanding, Standings } from "./Standings.ts"
import type { Runner, TurnLaws } from "./TurnLaws.ts"

/** A line may be free this long before it counts as idle: ceilings are cached for a minute. */
const idleMs = 60_000

/** Where neither ceilings nor agents have changed for so long, nobody goes by older ones: cached for a minute, and looked at every ten seconds. */
const settledMs = 90_000

/** Then a line that was given back is used this soon: before anybody would look for one without having been told. */
const promptMs = 3_000

/** How long a fault may have held contacts back after it is gone. */
const outageMs = 360_000

/** After so many events all lanes are counted anew, each time after twice as many up to so many for each lane: that has a bound for an event. */
const firstRecountAfter = 64
const recountAfterAtMost = 1024
const recountAfterForLane = 4

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

export interface SharingLaws {
  readonly observe: (commit: Commit) => void
  /** Looks at everything that is due to be looked at; after every event. */
  readonly look: () => void
  readonly sharing: (organizationId: string) => Sharing
  /** How every campaign with a lane stands. */
  readonly views: () => ReadonlyArray<CampaignShare>
}

export interface SharingLawsOptions {
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
  /** Whether others get on in the middle of steps: whoever decides on lines goes by a picture that is a moment old then. */
  readonly isOvertaken: () => boolean
  readonly turns: TurnLaws
  /** After how many events all lanes are counted anew, however many there are; left out: so that it costs little. */
  readonly recountAfter?: number | undefined
}

/** A line that nobody uses. */
interface Idle {
  readonly since: number
  /** Until then the clock alone changes nothing about it. */
  readonly until: number
}

/** The laws of how campaigns share lines, folded over commits. */
export const sharingLaws = (invariants: Invariants, options: SharingLawsOptions): SharingLaws => {
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
  const k1 = invariants.open({
    name: "K1",
    description: "What is kept of how lanes stand, change by change, is what counting their rows anew says.",
  })
  const standings = new Standings(tables, now)
  const placeable = new Placeable(tables, { now, agentLimit: options.agentLimit })
  const idle = new Map<string, Idle>()
  /** When a ceiling or an agent of an organization, or of all of them (null), was last written. */
  const unsettledAt = new Map<string | null, number>()
  const touched = new Set<string>()
  const races = new Pace()
  const looks = new Pace()
  let recountAfter = options.recountAfter ?? firstRecountAfter
  let eventsLeft = recountAfter

  /** Counts all lanes anew when it is time to. */
  const recount = () => {
    eventsLeft -= 1
    if (eventsLeft > 0) return
    let lanes = 0
    for (const organizationId of tables.lanes.organizations()) {
      const { counted, wrong } = standings.recount(organizationId)
      k1(wrong === null, () => wrong ?? "")
      lanes += counted
    }
    const most = Math.max(recountAfterAtMost, recountAfterForLane * lanes)
    recountAfter = options.recountAfter ?? Math.min(most, Math.max(2 * recountAfter, recountAfterForLane * lanes))
    eventsLeft = recountAfter
  }

  const sharing = (organizationId: string): Sharing => {
    const limit = options.limit(organizationId)
    const { lanes: ids } = tables.lanes.changed(organizationId, 0)
    const lanes = ids.map((laneId) => countLane(tables, laneId, now()).standing)
    const used = lanes.reduce((sum, lane) => sum + lane.used, 0)
    return {
      limit,
      direct: directOf(organizationId, used),
      share: FairShare.fairShare(limit, lanes.filter(({ demand }) => demand > 0).length),
      lanes,
    }
  }

  const directOf = (organizationId: string, used: number): number =>
    Math.max(0, tables.calls.holding("organization", organizationId) - used)

  /** Judges a call that was just started as it was judged before it was. */
  const judge = (organizationId: string, laneId: string, agentId: string) => {
    if (options.isOvertaken()) return turns.missed(organizationId)
    const after = standings.of(organizationId)
    const lane = after.lane(laneId)?.standing
    if (lane === undefined) return
    const most = lane.most + 1
    const before: LaneStanding = { ...lane, used: lane.used - 1, demand: most, most }
    const own: Claim = { lanes: 1, used: before.used, demand: most, most, ceiling: before.ceiling }
    const claims: Array<Claim> = [own]
    for (const group of after.groups) {
      const { ceiling, demand, ids, lanes, most: dialable, used } = group
      const isMine = ids.has(laneId)
      if (!isMine) claims.push(group)
      else if (lanes > 1) claims.push({ lanes: lanes - 1, used, demand, most: dialable, ceiling })
    }
    // A dispatcher goes by one of the ceilings of the last minute: it is not known by which.
    const direct = directOf(organizationId, after.sums.used)
    s5(
      options.limits(organizationId).some((limit) => mayStart({ limit, direct, claims }, own, "possibly")),
      () => `${laneId} started a call though fair share refuses it: ${JSON.stringify(claims)}`,
    )
    race(organizationId, after, before, agentId)
    // Its last contact: should another come due, the lane stands at the end again.
    if (lane.demand === 0) turns.disturbed(organizationId, laneId)
  }

  /** Holds the turn that a lane has taken against those of all others. */
  const race = (organizationId: string, after: OrganizationStanding, own: LaneStanding, agentId: string) => {
    // Whether a lane that waits out a hold has a demand only the dispatcher knows, and with it everyone's share.
    if (after.sums.holding > 0) return turns.missed(organizationId)
    if (now() - options.lastOutage() < outageMs) return turns.missed(organizationId)
    if (!races.isDue(organizationId)) return turns.missed(organizationId)
    races.spent(organizationId, after.lanes.size)
    const isActive = (after.lane(own.lane_id)?.standing.demand ?? 0) > 0
    const canPlace = placeable.everybody(organizationId, agentId)
    const runners: Array<Runner> = []
    for (const { standing } of after.lanes.values()) {
      const { ceiling, demand, lane_id, until, used } = standing.lane_id === own.lane_id ? own : standing
      const fit = demand > 0 && (ceiling === null || used < ceiling) && canPlace(lane_id)
      runners.push({ lane_id, used, fit, until })
    }
    const share = FairShare.fairShare(options.limit(organizationId), after.sums.active + (isActive ? 0 : 1))
    turns.started(organizationId, { lane_id: own.lane_id, share, runners })
  }

  /** Whether a free line is owed to one of the lanes of an organization, and which lanes had to be looked at for that. */
  const isOwed = (organizationId: string, standing: OrganizationStanding, visited: Set<string>): boolean => {
    const claims = standing.groups
    const direct = directOf(organizationId, standing.sums.used)
    const found = new Set<string>()
    const everybody = placeable.everybody(organizationId, null)
    const canPlace = (laneId: string): boolean => {
      if (found.has(laneId)) return true
      if (visited.has(laneId)) return false
      visited.add(laneId)
      const is = everybody(laneId) || placeable.somebody(organizationId, laneId)
      if (is) found.add(laneId)
      return is
    }
    const hasPlace = ({ ids }: Alike): boolean => {
      for (const laneId of ids) if (canPlace(laneId)) return true
      return false
    }
    const isOwedOf = (of: Claims): boolean => claims.some((group) => mayStart(of, group, "surely") && hasPlace(group))
    return options.limits(organizationId).every((limit) => isOwedOf({ limit, direct, claims }))
  }

  /** Until when a line stays idle if nothing happens; null where none is. */
  const idleUntil = (organizationId: string): number | null => {
    const least = Math.min(...options.limits(organizationId))
    if (tables.calls.holding("organization", organizationId) >= least || options.isPlatformFull()) return null
    const standing = standings.of(organizationId)
    // Most of the time nobody could be dialled, and no more has to be looked at.
    if (standing.sums.waiting === 0) return null
    const visited = new Set<string>()
    const isIdle = isOwed(organizationId, standing, visited)
    looks.spent(organizationId, visited.size)
    return isIdle ? (standing.until ?? Infinity) : null
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

  const observeChange = (change: Commit["changes"][number], organizationId: string) => {
    switch (change.put) {
      case "platform":
        turns.resized(null)
        return void unsettledAt.set(null, now())
      case "organization":
        turns.resized(organizationId)
        return void unsettledAt.set(organizationId, now())
      case "agent":
      case "experiment":
        return void unsettledAt.set(organizationId, now())
      case "campaign":
        return turns.disturbed(organizationId, change.row.campaign_id)
      case "batch":
        touched.add(organizationId)
        return turns.disturbed(organizationId, laneOf(change.row))
      case "contact": {
        const { holds, waits_for_number } = change.row
        const laneId = laneOf(change.row)
        turns.written(organizationId, laneId)
        return waits_for_number || holds > 0 ? turns.disturbed(organizationId, laneId) : undefined
      }
      case "call":
        return observeCall(change.row, organizationId)
      default:
    }
  }

  const observeCall = (
    call: Extract<Commit["changes"][number], { readonly put: "call" }>["row"],
    organizationId: string,
  ) => {
    const { agent_id, batch_id, contact_id, dial, final_report_at, revision } = call
    if (contact_id === null) {
      if (final_report_at !== null && tables.lanes.any(organizationId)) touched.add(organizationId)
      return
    }
    touched.add(organizationId)
    const batch = batch_id === null ? undefined : tables.batches.get(batch_id)
    if (batch !== undefined && revision === 1 && dial === "intended") judge(organizationId, laneOf(batch), agent_id)
  }

  return {
    observe: (commit) => {
      standings.observe(commit)
      for (const change of commit.changes) observeChange(change, commit.organization_id)
    },
    look: () => {
      recount()
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
