import type { FollowUpPolicy } from "../../dispatch/rules/FollowUpPlan.ts"
import type { InvalidField } from "../../Errors.ts"
import type { JsonObject } from "../../Json.ts"
import { limits } from "../../Limits.ts"
import { oversized } from "../../Measure.ts"

/** The settings of a campaign or a batch that each of its calls carries a copy of. */
export interface CopiedSettings {
  readonly default_call_variables: JsonObject
  readonly follow_up_policy: Pick<FollowUpPolicy, "follow_up_prompt"> | null
}

const promptOf = ({ follow_up_policy }: CopiedSettings) => ({ prompt: follow_up_policy?.follow_up_prompt ?? null })

/**
 * Why settings may not be written of which every call would carry a copy: fifty thousand calls of a megabyte each are more than anybody
 * asked for. What only becomes smaller is always taken.
 */
export const copiedFault = (next: CopiedSettings, before?: CopiedSettings): InvalidField | null =>
  oversized(
    "copy in every call",
    next.default_call_variables,
    ["default_call_variables"],
    limits.copiedBytes,
    before?.default_call_variables,
  ) ??
  oversized(
    "copy in every follow-up",
    promptOf(next),
    ["follow_up_policy.follow_up_prompt"],
    limits.copiedBytes,
    before === undefined ? undefined : promptOf(before),
  )
