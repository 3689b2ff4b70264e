import type { Call } from "../calls/Call.ts"
import { all, each, glance, type Reading, row } from "../engine/Reading.ts"
import type { AttemptContext } from "./ContactProgress.ts"

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
