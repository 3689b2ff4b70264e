import { type BlockingReason, contactRecord, Lanes, type SkipReason } from "@carillon/core/domain"
import type { Batch, Campaign, ContactRow } from "@carillon/core/ports"
import type { World } from "../World.ts"
import type { HeldBy, Standing } from "./Standing.ts"

/** Why a contact is not dialled now, in a sentence. Times are epoch milliseconds. */
export interface ContactReason {
  readonly why: string
  /** When that ends, where it is known. */
  readonly until: number | null
  /** The call that is the reason. */
  readonly execution_id: string | null
}

/** Contacts that one answer shows, and contacts that are looked through for them. */
const contactsShown = 20
const contactsLookedAt = 200_000
const rowsAtOnce = 1_000

const heldWords: { readonly [reason in BlockingReason]: string } = {
  paused: "The campaign is paused.",
  finished: "The campaign is over.",
  before_start: "The campaign has not begun.",
  after_end: "The end of the campaign has passed.",
  outside_hours: "It is outside the campaign’s working hours.",
  callee_hours: "It is outside the hours of whom it calls.",
  batch_not_due: "Its batch is booked for later.",
  batch_paused: "Its batch is paused.",
  agent_inactive: "The agent is not ACTIVE, so it may not call.",
  wallet: "The wallet is empty.",
  caller_id: "The numbers to call from were given up.",
  carrier: "The carrier refused dials; the campaign tries again later.",
  cooldown: "It waits for its time.",
  number_busy: "Another call to the same number has to end first.",
  campaign_ceiling: "The campaign uses as many lines as it may.",
  agent_ceiling: "The agent uses as many lines as it may.",
  organization_lines_full: "All lines of the organization are in use.",
  platform_lines_full: "All lines of the platform are in use.",
  fair_share: "The free lines are kept for other campaigns.",
}

const skipWords: { readonly [reason in SkipReason]: string } = {
  campaign_cancelled: "The campaign was cancelled.",
  batch_stopped: "Its batch was stopped.",
  suppressed: "Its number must not be called.",
}

const because = (why: string, until: number | null = null, execution_id: string | null = null): ContactReason => ({
  why,
  until,
  execution_id,
})

/** A contact with what decides over it. */
export interface Asked {
  readonly row: ContactRow
  readonly batch: Batch
  readonly campaign: Campaign
  /** What holds the campaign; null where nothing does. */
  readonly held: HeldBy | null
  /** The live call of the campaign to the contact's number. */
  readonly onNumber: string | null
}

/** Reasons that hold the whole campaign, before anything of a single contact counts. */
const closing: ReadonlySet<BlockingReason> = new Set([
  "paused",
  "finished",
  "before_start",
  "after_end",
  "outside_hours",
])

/** Why a contact waits that may be dialled again. */
const waitingReason = ({ batch, campaign, held, onNumber, row }: Asked, now: number): ContactReason => {
  const { last_status, next_attempt_at, status } = contactRecord(row, batch, campaign, now)
  if (held !== null && closing.has(held.reason)) return because(heldWords[held.reason], held.until)
  if (batch.status === "paused") return because(heldWords.batch_paused)
  if (batch.status === "scheduled" && batch.scheduled_at !== null && batch.scheduled_at > now) {
    return because(heldWords.batch_not_due, batch.scheduled_at)
  }
  if (row.contact?.waits_for_number === true) return because(heldWords.number_busy, null, onNumber)
  if (next_attempt_at !== null && next_attempt_at > now) {
    if (status === "retry_scheduled")
      return because(`Its last call ended ${last_status}. It is tried again.`, next_attempt_at)
    if (status === "follow_up_scheduled") return because("A follow-up call is planned.", next_attempt_at)
    return because("A dial was held back for what is not its fault. It is tried again.", next_attempt_at)
  }
  if (held !== null && held.reason !== "cooldown") return because(heldWords[held.reason], held.until)
  return because("Nothing holds it. It is dialled when its turn comes.")
}

/** Answers "why is this contact not dialled?" from the rows: what is over first, then what closes the campaign, then what holds the contact. */
const contactReason = (asked: Asked, now: number): ContactReason => {
  const { batch, campaign, row } = asked
  const { last_execution_id, last_status, skip_reason, status } = contactRecord(row, batch, campaign, now)
  switch (status) {
    case "in_progress":
      return because("It is in a call now.", null, last_execution_id)
    case "completed":
      return because("It was reached. Nothing more is due.", null, last_execution_id)
    case "failed":
      return because(
        last_status === null ? "It is given up." : `Its last call ended ${last_status}, and no retry is left.`,
        null,
        last_execution_id,
      )
    case "skipped":
      return because(skipWords[skip_reason ?? "campaign_cancelled"])
    case "pending":
    case "retry_scheduled":
    case "follow_up_scheduled":
      return waitingReason(asked, now)
  }
}

const isDone = new Set(["in_progress", "completed", "failed"])

/** The campaign's contacts that are asked for, in order: those with the number, or without one those that wait. */
const wanted = (world: World, batches: ReadonlyArray<Batch>, search: string | null) => {
  const found: Array<{ readonly row: ContactRow; readonly batch: Batch }> = []
  let left = contactsLookedAt
  for (const batch of batches) {
    for (let from = 0; left > 0; from += rowsAtOnce) {
      const rows = world.tables.contacts.rows(batch.batch_id, from, rowsAtOnce)
      left -= rows.length
      for (const row of rows) {
        const isWanted =
          search === null ? !isDone.has(row.contact?.status ?? "pending") : row.entry.to_number.includes(search)
        if (isWanted) found.push({ row, batch })
        if (found.length === contactsShown) return { found, isWhole: false }
      }
      if (rows.length < rowsAtOnce) break
    }
  }
  return { found, isWhole: left > 0 }
}

/** Why contacts of a campaign are not dialled now: those with this number in theirs, or without one the first that wait. */
export const contactReasons = (
  world: World,
  campaign: Campaign,
  standing: Pick<Standing, "held_by"> | undefined,
  search: string | null,
) => {
  const now = world.clock.now()
  const { campaign_id, organization_id } = campaign
  const batches = world.tables.batches.ofCampaign(organization_id, campaign_id)
  // A campaign that is over has no standing, and still a reason.
  const { closed } = Lanes.gateOf({ lane_id: campaign_id, campaign, batches: [] }, now)
  const held = standing?.held_by ?? closed
  const { found, isWhole } = wanted(world, batches, search)
  return {
    campaign_id,
    name: campaign.name,
    now,
    /** Whether every contact that is meant is here. */
    whole: isWhole,
    contacts: found.map(({ batch, row }) => {
      const { attempts, contact_id, status, to_number } = contactRecord(row, batch, campaign, now)
      const onNumber = world.tables.calls.onNumber(campaign_id, to_number)?.execution_id ?? null
      const asked = { row, batch, campaign, held, onNumber }
      return { contact_id, to_number, status, attempts, ...contactReason(asked, now) }
    }),
  }
}
