import type { Batch } from "../../batches/rules/Batch.ts"
import { entryFor, type HoursEntry, type HoursSetting } from "../../callees/rules/HoursRow.ts"
import { type Stretch, type ZoneHours, zoneHoursOf } from "../../callees/rules/CalleeHours.ts"
import { agentOfMark, isMarkBy, placeOfMark, stretchOfMark } from "../../callees/rules/Marks.ts"
import type { Campaign } from "../../campaigns/rules/Campaign.ts"
import { followUpAgentOf, followUpPolicyOf } from "../../contacts/rules/ContactProgress.ts"
import { least } from "./Lane.ts"

/** An entry that stands for calls of some agents; null: no hours bind them. */
export interface LaneEntry {
  readonly entry: HoursEntry | null
  readonly agent_ids: ReadonlySet<string>
}

/** The entries of a lane, each once, for the agents that its contacts may ask for. */
export type LaneEntries = ReadonlyArray<LaneEntry>

/** The agents that contacts of batches ask for: for their first calls, or for their follow-ups, too. */
export const agentsAsked = (
  campaign: Campaign | null,
  batches: Iterable<Batch>,
  isFresh: boolean,
): ReadonlySet<string> => {
  const asked = new Set<string>()
  for (const batch of batches) {
    asked.add(batch.agent_id)
    const followsUp = followUpPolicyOf(batch, campaign).enabled ? followUpAgentOf(batch, campaign) : null
    if (!isFresh && followsUp !== null) asked.add(followsUp)
  }
  return asked
}

/** The entries that may bind the calls of a lane. */
export const entriesOf = (
  setting: HoursSetting | null,
  campaign: Campaign | null,
  batches: Iterable<Batch>,
): LaneEntries => {
  if (setting === null) return []
  const campaign_id = campaign?.campaign_id ?? null
  // Hundreds of agents may have the same entry.
  const byEntry = Map.groupBy(agentsAsked(campaign, batches, false), (agent_id) =>
    entryFor(setting, { campaign_id, agent_id }),
  )
  return [...byEntry].map(([entry, agentIds]) => ({ entry, agent_ids: new Set(agentIds) }))
}

/** Whether any hours bind calls of the lane. */
export const isBound = (entries: LaneEntries): boolean => entries.some(({ entry }) => entry !== null)

/** Which of some marks are open, and when that changes for the first of all of them. */
export interface OpenMarks {
  readonly open: ReadonlyArray<string>
  /** When the clock changes it; null where it changes nothing. */
  readonly changes: number | null
  /** When the first of those that are closed opens; null where none is closed, or none opens in sight. */
  readonly opens: number | null
}

const earlier = (a: number | null, b: number): number | null => (!Number.isFinite(b) ? a : Math.min(a ?? b, b))

/** Whether whoever has a mark was judged as an entry judges now. */
const isKnown = (mark: string, { timezone_column }: HoursEntry): boolean =>
  mark !== "" && isMarkBy(mark, timezone_column)

/** The entries that may bind whoever has a mark: all of its lane, or that of the agent for which they wait. None: that agent calls nobody of the lane any more. */
const entriesFor = (entries: LaneEntries, mark: string): LaneEntries => {
  const agentId = agentOfMark(mark)
  return agentId === null ? entries : entries.filter(({ agent_ids }) => agent_ids.has(agentId))
}

const alwaysOpen: Stretch = { isOpen: true, until: Infinity, opens: -Infinity }

/**
 * The marks that are open for one of the agents of a lane, or for the one that they name. That is a hint for the queue: whether a contact may be called is
 * judged for itself. Who was not judged yet, or when another variable named zones, or waits for an agent that the lane has no more, is asked for, too.
 */
export const openMarks = (entries: LaneEntries, marks: ReadonlyArray<string>, now: number): OpenMarks => {
  const open: Array<string> = []
  let changes: number | null = null
  let opens: number | null = null
  for (const mark of marks) {
    const theirs = entriesFor(entries, mark)
    const stretches = theirs.map(({ entry }) =>
      entry === null || !isKnown(mark, entry) ? alwaysOpen : stretchOfMark(entry.hours, mark, now),
    )
    const until = Math.min(...stretches.map((each) => each.until))
    changes = earlier(changes, until)
    if (theirs.length === 0 || stretches.some(({ isOpen }) => isOpen)) open.push(mark)
    else opens = least(opens, ...stretches.map((each) => each.opens))
  }
  return { open, changes, opens }
}

/** What binds calls to those who wait with one mark, by each agent of their lane that may call them: they may be called where one of these is open. */
export type MarkHours = ReadonlyArray<ReadonlyArray<ZoneHours>>

/** The hours of some marks; none where no hours bind their lane. Of whoever was not judged yet, or by another variable, it is not known whose hours bind them. */
export const hoursOfMarks = (entries: LaneEntries, marks: ReadonlyArray<string>): ReadonlyArray<MarkHours> =>
  isBound(entries)
    ? marks.map((mark) => {
        const theirs = entriesFor(entries, mark).map(({ entry }) =>
          entry === null || !isKnown(mark, entry) ? [] : zoneHoursOf(placeOfMark(mark), entry.hours),
        )
        return theirs.length === 0 ? [[]] : theirs
      })
    : []
