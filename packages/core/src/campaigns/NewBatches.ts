import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { Batch } from "../batches/Batch.ts"
import { type CommitDraft, joined } from "../engine/Commit.ts"
import { batchesOf, contactsOf } from "../engine/Guards.ts"
import { change } from "../engine/Put.ts"
import { StateConflict } from "../Errors.ts"
import type { Campaign } from "./Campaign.ts"
import { expiry } from "./Lifecycle.ts"

export const campaignEnded = ({ status }: Campaign): StateConflict =>
  new StateConflict({ message: `This campaign has ended (status=${status}) and takes no more contacts.` })

/** What makes a batch one of its campaign's, which must not have ended meanwhile: whoever decides by all batches sees this one, too. */
const joining = (campaign: Campaign, now: number): Partial<CommitDraft> => ({
  expect: [{ kind: "campaign", id: campaign.campaign_id, revision: campaign.revision }],
  changes: [{ put: "guard", guard: batchesOf(campaign.campaign_id) }],
  // A campaign that had no contacts when its end passed expires now that it has some.
  wakeups: expiry(campaign, now),
})

/** The part of a commit that shows a batch whose contacts are stored, and that nobody has given up meanwhile. */
export const newBatchChange = (batch: Batch): Partial<CommitDraft> =>
  joined({ organization_id: batch.organization_id }, change("batch", null, batch, batch.updated_at), {
    expect: [{ guard: contactsOf(batch.batch_id), version: 0 }],
    wakeups: [{ clear: { kind: "intake", subject: batch.batch_id } }],
  })

/** The commit that shows a batch, of a campaign or for itself. */
export const showing = (batch: Batch, campaign: Campaign | null, audit: AuditEntry, now: number): CommitDraft =>
  joined(
    { organization_id: batch.organization_id },
    newBatchChange(batch),
    campaign === null ? {} : joining(campaign, now),
    {
      wakeups: [{ set: { kind: "dispatch", subject: batch.organization_id, at: now } }],
      audit: [audit],
    },
  )
