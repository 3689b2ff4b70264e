import { laneOf } from "../../batches/rules/Batch.ts"
import type { Call } from "../../calls/rules/Call.ts"
import type { LaneNumber } from "../../engine/rules/Commit.ts"
import { all, each, glance, list, type Reading, row } from "../../engine/steps/Reading.ts"
import type { ListDescription } from "../../engine/steps/SetDescription.ts"
import type { Contact } from "../rules/Contact.ts"
import type { AttemptContext, ContactContext } from "../rules/ContactProgress.ts"

/** Who is next of a lane's contacts that wait for a number. */
export const heirsTo: ListDescription<LaneNumber, ReadonlyArray<Contact>> = {
  members: "who is next of a lane's contacts that wait for a number",
  read: ({ contacts }, { lane_id, to_number }) => contacts.heirs(lane_id, to_number),
}

/** What decides over the attempt of a call's contact; null for a call without one. */
export function* attemptOf({ batch_id, campaign_id, contact_id }: Call): Reading<AttemptContext | null> {
  if (contact_id === null || batch_id === null) return null
  const [contact, batch, [campaign = null]] = yield* glance(
    "earlier",
    "As if the call had ended before the edit or the cancel; a contact whose attempt ends is written.",
    all(
      row("contact", contact_id),
      row("batch", batch_id),
      each(campaign_id === null ? [] : [row("campaign", campaign_id)]),
    ),
  )
  return contact === null || batch === null ? null : { contact, batch, campaign }
}

/** The same with who is next at its number, for what may be the last of its call. */
export function* attemptWithHeirs(call: Call): Reading<ContactContext | null> {
  const { batch_id, campaign_id, contact_id, to_number } = call
  if (contact_id === null || batch_id === null) return null
  const [attempt, heirs] = yield* all(
    attemptOf(call),
    glance(
      "earlier",
      "Who is set aside for a call writes its row, as its end does; who is freed is written.",
      list(heirsTo, { lane_id: laneOf({ batch_id, campaign_id }), to_number }),
    ),
  )
  return attempt === null ? null : { ...attempt, heirs }
}
