import { Lanes } from "@carillon/core/domain"
import type { MemoryTables } from "@carillon/core/memory"
import { calleeMoment } from "./CalleeMoment.ts"

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

/** A lane's standing as it was counted. */
export interface CountedLane {
  readonly standing: LaneStanding
  /** Whether any of its contacts could be dialled if only the lane may. */
  readonly waits: boolean
  /** When the clock alone may change what was counted, or null. */
  readonly changes_at: number | null
}

/** What a lane's standing is read from. */
export type LaneTables = Pick<MemoryTables, "batches" | "calleeHours" | "calls" | "campaigns" | "contacts" | "tallies">

const earlier = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b)

/** Counts how a lane stands at a moment by its rows. */
export const countLane = (tables: LaneTables, laneId: string, now: number): CountedLane => {
  const campaign = tables.campaigns.get(laneId) ?? null
  const batches = tables.batches.unfinished(laneId)
  const gate = Lanes.gateOf({ lane_id: laneId, campaign, batches }, now)
  const isHeld = tables.tallies.figure(laneId, "held") > 0
  const callees = calleeMoment(tables, campaign, batches, now)
  const all = tables.contacts.load(
    batches.map(({ batch_id }) => batch_id),
    { now, in_hours: true, ...callees.only },
  )
  const isWholeOpen = gate.in_hours && gate.open.length === batches.length
  const open = isWholeOpen
    ? all
    : tables.contacts.load(
        gate.open.map(({ batch_id }) => batch_id),
        { now, in_hours: gate.in_hours, ...callees.only },
      )
  const standing = {
    lane_id: laneId,
    campaign_id: campaign?.campaign_id ?? null,
    used: tables.calls.holding("campaign", laneId),
    // Which lanes wait out a hold only the dispatcher knows, so one that has held a contact has a demand or has none.
    demand: isHeld ? 0 : open.dialable,
    most: open.dialable,
    ceiling: campaign?.max_concurrent_calls ?? null,
    holds: isHeld,
    until: earlier(gate.next, callees.changes),
  }
  return { standing, waits: all.dialable > 0, changes_at: earlier(earlier(gate.next, callees.changes), all.next_due) }
}
