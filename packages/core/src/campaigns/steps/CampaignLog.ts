import type { Batch } from "../../batches/rules/Batch.ts"
import { discard, put, type RowChange } from "../../engine/rules/Outcome.ts"
import { glance, list } from "../../engine/steps/Reading.ts"
import type { ListDescription } from "../../engine/steps/SetDescription.ts"
import type { Json } from "../../Json.ts"
import type { By } from "../../engine/rules/By.ts"
import { limits } from "../../Limits.ts"
import { formatUtc } from "../../time/Timestamp.ts"
import type { Trip } from "../rules/BreakerSetting.ts"
import type { Campaign } from "../rules/Campaign.ts"
import { type CampaignEntry, campaignEntryId, type CampaignLogWords } from "../rules/CampaignEntry.ts"
import type { CampaignStatus } from "../rules/CampaignStatus.ts"

const lastOfLog: ListDescription<string, number> = {
  members: "the number of the last entry of a campaign's log",
  read: ({ campaigns }, campaignId) => campaigns.lastEntry(campaignId),
}

/** The number of the last entry of a campaign's log; 0 where it has none. */
export function* lastEntryOf(campaignId: string) {
  return yield* glance(
    "again",
    "The next entry is put under the next number as a new row, which is refused where somebody has put one there.",
    list(lastOfLog, campaignId),
  )
}

/** The log of a campaign to which entries are added: whose it is, and the number of its last entry. */
export interface LogEnd extends Pick<Campaign, "campaign_id" | "organization_id"> {
  readonly last: number
}

/** The entry that is added to a log; the oldest one goes where there are as many as are kept. */
export const logged = (
  { campaign_id, last, organization_id }: LogEnd,
  words: CampaignLogWords,
  now: number,
): ReadonlyArray<RowChange> => {
  const number = last + 1
  const entry: CampaignEntry = { campaign_id, organization_id, revision: 0, number, at: now, ...words }
  const gone = number - limits.campaignLogEntries
  return [
    put("campaign_entry", null, entry),
    ...(gone < 1 ? [] : [discard("campaign_entry", campaignEntryId(campaign_id, gone))]),
  ]
}

/** Who brought about what an entry tells: a key of the organization, or the engine by itself. */
const actorOf = (by: By | null): { readonly [name: string]: Json } =>
  by !== null && "caller" in by
    ? { actor: { type: "api_key", key_id: by.caller.key.key_id } }
    : { actor: { type: "system", key_id: null } }

/** A campaign was made. */
export const createdWords = (by: By): CampaignLogWords => ({
  level: "info",
  event: "created",
  message: "The campaign was created.",
  details: actorOf(by),
})

/** A batch was added to a campaign. */
export const addedWords = (by: By, { batch_id, total_contacts }: Batch): CampaignLogWords => ({
  level: "info",
  event: "contacts_added",
  message: `${total_contacts} ${total_contacts === 1 ? "contact was" : "contacts were"} added.`,
  details: { ...actorOf(by), batch_id, contacts: total_contacts },
})

/** A caller sent these fields of a campaign, which may go on by that. */
export const editedWords = (
  by: By,
  fields: ReadonlyArray<string>,
  was: CampaignStatus,
  status: CampaignStatus,
): CampaignLogWords => ({
  level: "info",
  event: "edited",
  message: was === status ? "The campaign was edited." : "The campaign was edited, and goes on.",
  details: { ...actorOf(by), fields: [...fields], was, status },
})

const moves = {
  paused: "The campaign was paused.",
  resumed: "The campaign was resumed.",
  stopped: "The campaign was stopped.",
  revived: "The campaign was revived.",
  archived: "The campaign was archived.",
} as const

/** A caller moved a campaign; null where it stays where it was. */
export const movedWords = (
  by: By,
  event: keyof typeof moves,
  was: CampaignStatus,
  status: CampaignStatus,
): CampaignLogWords | null =>
  was === status ? null : { level: "info", event, message: moves[event], details: { ...actorOf(by), was, status } }

/** A caller paused a campaign that had paused itself: it goes on once somebody resumes it. */
export const keptWords = (by: By): CampaignLogWords => ({
  level: "info",
  event: "paused",
  message: "The campaign had paused itself, and stays paused until it is resumed.",
  details: { ...actorOf(by), was: "paused", status: "paused" },
})

const likeThat: { readonly [rate in Trip["rate"]]: string } = {
  error: "ended in an error",
  failed: "failed",
  short_call: "were short",
  voicemail: "reached a voicemail box",
}

/** A campaign paused itself. */
export const brokenWords = (was: CampaignStatus, trip: Trip): CampaignLogWords => {
  const { calls, counted, percent, rate, resume_at } = trip
  return {
    level: "warning",
    event: "paused",
    message: `The campaign paused itself: ${counted} of its last ${calls} calls ${likeThat[rate]}, and more than ${percent} % are too many.`,
    details: {
      ...actorOf(null),
      was,
      status: "paused",
      reason: "breaker",
      rate,
      calls,
      counted,
      percent,
      resume_at: resume_at === null ? null : formatUtc(resume_at),
    },
  }
}

/** A campaign that had paused itself goes on by itself. */
export const goesOnWords = (was: CampaignStatus): CampaignLogWords => ({
  level: "info",
  event: "resumed",
  message: "The campaign had paused itself, and goes on.",
  details: { ...actorOf(null), was, status: "active", reason: "breaker" },
})

/** The last of what a campaign had to do is done. */
export const completedWords = (was: CampaignStatus): CampaignLogWords => ({
  level: "info",
  event: "completed",
  message: "All batches of the campaign have finished.",
  details: { ...actorOf(null), was, status: "completed" },
})

/** The end of a campaign has come before it was done. */
export const expiredWords = (was: CampaignStatus, unfinished: number): CampaignLogWords => ({
  level: "warning",
  event: "expired",
  message: "The end of the campaign has come.",
  details: { ...actorOf(null), was, status: "expired", unfinished_batches: unfinished },
})

/** A campaign had ended, and batches of it had not. */
export const mendedWords = (was: CampaignStatus, status: CampaignStatus, unfinished: number): CampaignLogWords => ({
  level: "error",
  event: "mended",
  message: "The campaign had ended and batches of it had not; they were brought together again.",
  details: { ...actorOf(null), was, status, unfinished_batches: unfinished },
})
