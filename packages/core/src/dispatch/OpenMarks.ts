import type { Batch } from "../batches/Batch.ts"
import { entryFor, type HoursEntry, type HoursSetting } from "../callees/HoursRow.ts"
import { stretchOfMark } from "../callees/Marks.ts"
import type { Campaign } from "../campaigns/Campaign.ts"
import { followUpPolicyOf } from "../contacts/ContactProgress.ts"

/** The entries of a lane, one for each agent that its contacts may ask for; null for an agent whose calls no hours bind. */
export type LaneEntries = ReadonlyArray<HoursEntry | null>

/** The agents that contacts of batches ask for: for their first calls, or for their follow-ups, too. */
export const agentsAsked = (
  campaign: Campaign | null,
  batches: Iterable<Batch>,
  isFresh: boolean,
): ReadonlySet<string> => {
  const asked = new Set<string>()
  for (const batch of batches) {
    asked.add(batch.agent_id)
    const { enabled, follow_up_agent_id } = followUpPolicyOf(batch, campaign)
    if (!isFresh && enabled && follow_up_agent_id !== null) asked.add(follow_up_agent_id)
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
  return [...agentsAsked(campaign, batches, false)].map((agent_id) => entryFor(setting, { campaign_id, agent_id }))
}

/** Whether any hours bind calls of the lane. */
export const isBound = (entries: LaneEntries): boolean => entries.some((entry) => entry !== null)

/** Which of some marks are open, and when that changes for the first of all of them. */
export interface OpenMarks {
  readonly open: ReadonlyArray<string>
  /** When the clock changes it; null where it changes nothing. */
  readonly changes: number | null
  /** When the first of those that are closed opens; null where none is closed, or none opens in sight. */
  readonly opens: number | null
}

const earlier = (a: number | null, b: number): number | null => (!Number.isFinite(b) ? a : Math.min(a ?? b, b))

/**
 * The marks that are open for one of the agents of a lane. That is a hint for the queue: whether a contact may be called is judged for itself. Who has
 * no mark was not judged yet, and is asked for, too.
 */
export const openMarks = (entries: LaneEntries, marks: ReadonlyArray<string>, now: number): OpenMarks => {
  const open: Array<string> = []
  let changes: number | null = null
  let opens: number | null = null
  for (const mark of marks) {
    const stretches = entries.map((entry) =>
      entry === null || mark === "" ? { isOpen: true, until: Infinity } : stretchOfMark(entry.hours, mark, now),
    )
    const until = Math.min(...stretches.map((each) => each.until))
    changes = earlier(changes, until)
    if (stretches.some(({ isOpen }) => isOpen)) open.push(mark)
    else opens = earlier(opens, until)
  }
  return { open, changes, opens }
}
