import type { Campaign } from "../../campaigns/rules/Campaign.ts"
import { type FollowUpPolicy, followUpPolicyDefaults } from "../../dispatch/rules/FollowUpPlan.ts"
import { type RetryPolicy, retryPolicyDefaults } from "../../dispatch/rules/RetryPlan.ts"
import { contactsOf } from "../../engine/rules/Guards.ts"
import { unraised } from "../../engine/steps/Reading.ts"
import type { WakeupChange } from "../../engine/rules/Wakeup.ts"
import type { JsonObject } from "../../Json.ts"
import type { Batch } from "../rules/Batch.ts"
import { newBatch } from "../rules/BatchStatus.ts"

/** The decoded body of `POST /v2/batches` without its contacts: only the fields that were sent. */
export interface NewBatch {
  readonly agent_id: string
  readonly campaign_id?: string | null
  readonly name?: string | null
  readonly phone_numbers?: ReadonlyArray<string> | null
  /** Epoch milliseconds; without it dialling starts at once. */
  readonly scheduled_at?: number | null
  readonly retry_policy?: Partial<RetryPolicy> | null
  readonly follow_up_policy?: Partial<FollowUpPolicy> | null
  readonly default_call_variables?: JsonObject | null
  readonly metadata?: JsonObject | null
  readonly concurrency_limit?: number | null
}

/** The contacts of a batch that is to be shown, which are stored. */
export interface HandedIn {
  readonly batch_id: string
  readonly file_name: string | null
  readonly total_contacts: number
}

/** A batch's own policy, null where it says nothing and follows its campaign. */
const ownPolicy = <A extends object>(sent: Partial<A> | null | undefined, inherited: A): A | null =>
  sent === undefined || sent === null ? null : { ...inherited, ...sent }

/** A batch as a caller asks for it, in a campaign or for itself. */
export const batchFor = (
  { batch_id, file_name, total_contacts }: HandedIn,
  organization_id: string,
  body: NewBatch,
  campaign: Campaign | null,
  now: number,
): Batch => ({
  ...newBatch,
  status: (body.scheduled_at ?? null) === null ? newBatch.status : "scheduled",
  batch_id,
  organization_id,
  revision: 1,
  campaign_id: campaign?.campaign_id ?? null,
  agent_id: body.agent_id,
  name: body.name ?? null,
  file_name,
  phone_numbers: (body.phone_numbers ?? []).length === 0 ? null : (body.phone_numbers ?? null),
  retry_policy: ownPolicy(body.retry_policy, campaign?.retry_policy ?? retryPolicyDefaults),
  follow_up_policy: ownPolicy(body.follow_up_policy, campaign?.follow_up_policy ?? followUpPolicyDefaults),
  default_call_variables: body.default_call_variables ?? {},
  metadata: body.metadata ?? {},
  concurrency_limit: body.concurrency_limit ?? null,
  total_contacts,
  scheduled_at: body.scheduled_at ?? null,
  started_at: null,
  completed_at: null,
  created_at: now,
  updated_at: now,
})

/** A batch of contacts that are handed in for a campaign, which is like it in everything. */
export const batchOfCampaign = (handedIn: HandedIn, campaign: Campaign, now: number): Batch =>
  batchFor(handedIn, campaign.organization_id, { agent_id: campaign.agent_id, name: campaign.name }, campaign, now)

/** That nobody has given up the contacts of a batch that is not shown yet. */
export const contactsKept = ({ batch_id }: HandedIn) =>
  unraised(contactsOf(batch_id), "Nobody has given up the contacts of the batch.")

/** When to look again once a batch is shown: its contacts are swept no more, and may be dialled. */
export const shownWakeups = ({ batch_id, organization_id }: Batch, now: number): ReadonlyArray<WakeupChange> => [
  { clear: { kind: "intake", subject: batch_id } },
  { set: { kind: "dispatch", subject: organization_id, at: now } },
]
