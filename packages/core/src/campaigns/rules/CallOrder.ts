import { Result } from "effect"
import { Malformed } from "../../Errors.ts"
import type { Campaign } from "./Campaign.ts"
import type { CallOrder, CallOrderSetting } from "./CallOrderSetting.ts"

/** An order as it may be asked for: what is left out is undefined. */
export type AskedCallOrder = { readonly [K in keyof CallOrderSetting]: CallOrderSetting[K] | undefined }

/** An order as it may be written. */
export const writtenCallOrder = ({
  contacts,
  priority_column,
}: AskedCallOrder): Result.Result<CallOrderSetting, Malformed> =>
  contacts === undefined && priority_column === undefined
    ? Result.fail(new Malformed({ message: "An order needs at least one of 'priority_column', 'contacts'." }))
    : Result.succeed({ contacts: contacts ?? "first_come", priority_column: priority_column ?? null })

type Ordered = { readonly call_order?: CallOrder | undefined }

/** The variable of contacts that says their priority; null where none does. */
export const priorityColumnOf = ({ call_order }: Ordered): string | null => call_order?.priority_column ?? null

/** Whether the contacts of a campaign are called for the first time by their priority, whatever batch they are in. */
export const goesByPriority = (campaign: Campaign | null): boolean =>
  campaign !== null && priorityColumnOf(campaign) !== null

/** The batches of a campaign, given from the oldest on, in the order in which their contacts are called for the first time. */
export const inCallOrder = (campaign: Campaign | null, batchIds: ReadonlyArray<string>): ReadonlyArray<string> =>
  campaign?.call_order?.contacts === "last_come" ? batchIds.toReversed() : batchIds
