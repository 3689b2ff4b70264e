import { TimeHeap } from "@carillon/core/domain"
import { type Change, type Commit, laneOf, placeOf } from "@carillon/core/ports"
import type { MemoryTables } from "@carillon/core/memory"
import type { Claim } from "./FairRule.ts"
import { type CountedLane, countLane, type LaneStanding, type LaneTables } from "./LaneStanding.ts"

/** Lanes that stand alike. */
export interface Alike extends Claim {
  readonly ids: ReadonlySet<string>
}

class Group implements Alike {
  readonly ids = new Set<string>()
  readonly used: number
  readonly demand: number
  readonly most: number
  readonly ceiling: number | null

  constructor({ ceiling, demand, most, used }: LaneStanding) {
    this.used = used
    this.demand = demand
    this.most = most
    this.ceiling = ceiling
  }

  get lanes(): number {
    return this.ids.size
  }
}

const groupOf = ({ ceiling, demand, most, used }: LaneStanding): string => `${used} ${demand} ${most} ${ceiling}`

/** What is true of how many lanes of an organization, and how many lines they have. */
interface Sums {
  lanes: number
  used: number
  /** Lanes of which some contact could be dialled if only the lane may. */
  waiting: number
  /** Lanes of which some contact waits out a hold. */
  holding: number
  /** Lanes that surely have somebody to dial. */
  active: number
}

/** Notes when the clock may change something of a lane; before it may have been another moment. */
const note = (times: TimeHeap<string>, laneId: string, before: number | null, at: number | null): void => {
  // Whoever was due is no longer among them.
  if (at === before && (at === null || times.get(laneId) !== undefined)) return
  if (at === null) times.delete(laneId)
  else times.set(laneId, at, laneId)
}

/** Whether nothing is left of a lane before a batch of it is written again. */
const isOver = (tables: LaneTables, { standing: { lane_id, used } }: CountedLane): boolean =>
  used === 0 && !tables.batches.hasUnfinished(lane_id)

/** An organization's lanes as they stand, but for those of which nothing is left, each counted anew only when something of it has changed. */
class OrganizationStanding {
  readonly #tables: LaneTables
  readonly #lanes = new Map<string, CountedLane>()
  readonly #groups = new Map<string, Group>()
  readonly #changed = new Set<string>()
  readonly #changes = new TimeHeap<string>()
  readonly #untils = new TimeHeap<string>()
  readonly #sums: Sums = { lanes: 0, used: 0, waiting: 0, holding: 0, active: 0 }

  constructor(tables: LaneTables) {
    this.#tables = tables
  }

  touch(laneId: string): void {
    this.#changed.add(laneId)
  }

  /** A call of a lane has changed: of all that is counted of the lane it can only have changed the lines. */
  touchLines(laneId: string): void {
    if (this.#lanes.get(laneId)?.standing.used !== this.#tables.calls.holding("campaign", laneId)) this.touch(laneId)
  }

  /** What concerns all lanes has changed: one of which nothing is left stays so. */
  touchAll(): void {
    for (const laneId of this.#lanes.keys()) this.#changed.add(laneId)
  }

  /** Counts what has changed since it was last counted, by a commit or by the clock. */
  settle(now: number): void {
    for (let due = this.#changes.popDue(now); due !== undefined; due = this.#changes.popDue(now)) {
      this.#changed.add(due.value)
    }
    if (this.#changed.size === 0) return
    for (const laneId of this.#changed) {
      const lane = countLane(this.#tables, laneId, now)
      this.#replace(laneId, isOver(this.#tables, lane) ? null : lane)
    }
    this.#changed.clear()
  }

  lane(laneId: string): CountedLane | undefined {
    return this.#lanes.get(laneId)
  }

  get lanes(): ReadonlyMap<string, CountedLane> {
    return this.#lanes
  }

  /** The lanes by how they stand. */
  get groups(): ReadonlyArray<Alike> {
    return [...this.#groups.values()]
  }

  groupOf(standing: LaneStanding): Alike | undefined {
    return this.#groups.get(groupOf(standing))
  }

  /** What is true of how many lanes, and how many lines they have. */
  get sums(): Readonly<Sums> {
    return this.#sums
  }

  /** When the clock alone may close or open any of the lanes, or null. */
  get until(): number | null {
    return this.#untils.peek()?.at ?? null
  }

  #replace(laneId: string, lane: CountedLane | null): void {
    const before = this.#lanes.get(laneId)
    const left = before === undefined ? null : groupOf(before.standing)
    const entered = lane === null ? null : groupOf(lane.standing)
    if (before !== undefined) this.#count(before, -1)
    if (left !== null && left !== entered) this.#leave(left, laneId)
    note(this.#changes, laneId, before?.changes_at ?? null, lane?.changes_at ?? null)
    note(this.#untils, laneId, before?.standing.until ?? null, lane?.standing.until ?? null)
    if (lane === null) return void this.#lanes.delete(laneId)
    this.#count(lane, 1)
    this.#lanes.set(laneId, lane)
    if (entered !== null && left !== entered) this.#enter(entered, lane.standing)
  }

  #enter(key: string, standing: LaneStanding): void {
    let group = this.#groups.get(key)
    if (group === undefined) this.#groups.set(key, (group = new Group(standing)))
    group.ids.add(standing.lane_id)
  }

  #leave(key: string, laneId: string): void {
    const group = this.#groups.get(key)
    group?.ids.delete(laneId)
    if (group?.lanes === 0) this.#groups.delete(key)
  }

  #count({ standing: { demand, holds, used }, waits }: CountedLane, by: 1 | -1): void {
    const sums = this.#sums
    sums.lanes += by
    sums.used += by * used
    if (waits) sums.waiting += by
    if (holds) sums.holding += by
    if (demand > 0) sums.active += by
  }
}

export type { OrganizationStanding }

/** How all lanes of a world stand, kept by what commits change: a commit costs by what it changes, however many lanes there are. */
export class Standings {
  readonly #tables: LaneTables & Pick<MemoryTables, "lanes">
  readonly #now: () => number
  readonly #organizations = new Map<string, OrganizationStanding>()

  constructor(tables: LaneTables & Pick<MemoryTables, "lanes">, now: () => number) {
    this.#tables = tables
    this.#now = now
  }

  observe({ changes, organization_id }: Pick<Commit, "changes" | "organization_id">): void {
    for (const change of changes) {
      if (change.put === "callee_hours") this.#organization(organization_id).touchAll()
      const laneId = this.#laneOf(change)
      if (laneId !== null) this.#organization(organization_id).touch(laneId)
      const callsLane = callsLaneOf(change)
      if (callsLane !== null) this.#organization(organization_id).touchLines(callsLane)
    }
  }

  /** How the lanes of an organization stand now. */
  of(organizationId: string): OrganizationStanding {
    const standing = this.#organization(organizationId)
    standing.settle(this.#now())
    return standing
  }

  /** Counts every lane of an organization anew: how many there are, and where what was kept is not what was counted. */
  recount(organizationId: string): { readonly counted: number; readonly wrong: string | null } {
    const kept = this.of(organizationId)
    const sums = { lanes: 0, used: 0, waiting: 0, holding: 0, active: 0 }
    let until = Infinity
    let counted = 0
    let wrong: string | null = null
    for (const laneId of this.#tables.lanes.of(organizationId)) {
      counted += 1
      const lane = countLane(this.#tables, laneId, this.#now())
      const known = kept.lane(laneId)
      if (isOver(this.#tables, lane)) {
        if (known !== undefined) wrong ??= `${JSON.stringify(known)} is kept of a lane that is over`
        continue
      }
      const { standing, waits } = lane
      const isSame = JSON.stringify(known) === JSON.stringify(lane)
      if (!isSame) wrong ??= `${JSON.stringify(known) ?? "nothing"} is kept of ${JSON.stringify(lane)}`
      const isGrouped = kept.groupOf(standing)?.ids.has(laneId) === true
      if (!isGrouped) wrong ??= `${laneId} is kept with lanes that stand otherwise`
      until = Math.min(until, standing.until ?? Infinity)
      sums.lanes += 1
      sums.used += standing.used
      sums.waiting += Number(waits)
      sums.holding += Number(standing.holds)
      sums.active += Number(standing.demand > 0)
    }
    const own = { ...kept.sums, lanes: kept.groups.reduce((sum, { lanes }) => sum + lanes, 0) }
    const isSame =
      own.lanes === kept.lanes.size &&
      (kept.until ?? Infinity) === until &&
      JSON.stringify(own) === JSON.stringify(sums)
    if (!isSame) wrong ??= `${JSON.stringify(own)} is kept of ${JSON.stringify(sums)} of ${organizationId}`
    return { counted, wrong }
  }

  #organization(organizationId: string): OrganizationStanding {
    let standing = this.#organizations.get(organizationId)
    if (standing === undefined) {
      this.#organizations.set(organizationId, (standing = new OrganizationStanding(this.#tables)))
    }
    return standing
  }

  /** The lane whose standing a change may change, unless it is of a call. */
  #laneOf(change: Change): string | null {
    switch (change.put) {
      case "campaign":
        return change.row.campaign_id
      case "batch":
      case "contact":
        return laneOf(change.row)
      case "tally":
        return "held" in change.add && this.#isLane(change.subject) ? change.subject : null
      case "discard":
        return change.kind === "contact" ? this.#laneOfContact(change.id) : null
      default:
        return null
    }
  }

  #isLane(subject: string): boolean {
    return this.#tables.campaigns.get(subject) !== undefined || this.#tables.batches.get(subject)?.campaign_id === null
  }

  #laneOfContact(contactId: string): string | null {
    const place = placeOf(contactId)
    const batch = place === null ? undefined : this.#tables.batches.get(place.batch_id)
    return batch === undefined ? null : laneOf(batch)
  }
}

/** The lane of which a call has changed. */
const callsLaneOf = (change: Change): string | null => {
  if (change.put !== "call" && change.put !== "erased_call") return null
  const { batch_id, campaign_id } = change.put === "call" ? change.row : change.call
  return campaign_id ?? batch_id
}
