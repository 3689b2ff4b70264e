import type { PhoneNumberStrategy } from "../../dispatch/rules/CallerId.ts"
import type { WorkingHours } from "../../dispatch/rules/CallingWindow.ts"
import type { FollowUpPolicy } from "../../dispatch/rules/FollowUpPlan.ts"
import type { RetryPolicy } from "../../dispatch/rules/RetryPlan.ts"
import type { JsonObject } from "../../Json.ts"
import type { TransliterationSettings } from "../../transliteration/rules/Transliteration.ts"
import type { Breaker } from "./BreakerSetting.ts"
import type { CallOrder } from "./CallOrderSetting.ts"
import type { CampaignStatus } from "./CampaignStatus.ts"

/** The part of a campaign that its owner writes, with the defaults filled in. Times are epoch milliseconds. */
export interface CampaignSettings {
  readonly name: string
  readonly agent_id: string
  /** Caller IDs; null: all numbers that are registered to the organization at the time of a dial. */
  readonly phone_numbers: ReadonlyArray<string> | null
  readonly phone_number_strategy: PhoneNumberStrategy
  readonly timezone: string
  readonly working_hours_enforced: boolean
  readonly working_hours: WorkingHours
  readonly max_concurrent_calls: number | null
  readonly retry_policy: RetryPolicy
  readonly follow_up_policy: FollowUpPolicy
  readonly transliteration: TransliterationSettings
  readonly start_time: number | null
  readonly end_time: number | null
  readonly default_call_variables: JsonObject
  readonly default_call_context: JsonObject
  readonly metadata: JsonObject
}

/** A campaign as stored. What is counted of it is in its tally, so that no call changes this row. */
export interface Campaign extends CampaignSettings {
  readonly campaign_id: string
  readonly organization_id: string
  readonly revision: number
  readonly status: CampaignStatus
  /**
   * With how many batches it was revived, all of them finished: as long as it has no more, it goes on without work until its end
   * (specification, "Campaign status"). Null where it completes without work; absent where an earlier release wrote the row.
   */
  readonly idle_with?: number | null
  /** When it pauses itself, and whether it has; absent where it never does. */
  readonly breaker?: Breaker
  /** In which order it calls its contacts for the first time; absent where that was never said. */
  readonly call_order?: CallOrder
  readonly created_at: number
  readonly updated_at: number
}
