import { Result } from "effect"
import type { PhoneNumberStrategy } from "../../dispatch/rules/CallerId.ts"
import {
  type CampaignHours,
  fromWorkingHours,
  isValidZone,
  type WorkingHours,
} from "../../dispatch/rules/CallingWindow.ts"
import { type FollowUpPolicy, followUpPolicyDefaults } from "../../dispatch/rules/FollowUpPlan.ts"
import { type RetryPolicy, retryPolicyDefaults } from "../../dispatch/rules/RetryPlan.ts"
import { type InvalidField, Malformed } from "../../Errors.ts"
import type { JsonObject } from "../../Json.ts"
import { limits } from "../../Limits.ts"
import { oversized } from "../../Measure.ts"
import { transliterationDefaults, type TransliterationSettings } from "../../transliteration/rules/Transliteration.ts"
import type { CampaignSettings } from "./Campaign.ts"
import { copiedFault } from "./CopiedSettings.ts"

/**
 * The decoded body of a create or a PATCH: only the fields that were sent. Null returns a field to its default. Inside the three
 * policies the fields that were sent replace those that stand; every other object is replaced whole.
 */
export interface CampaignBody {
  readonly name?: string
  readonly agent_id?: string
  readonly phone_numbers?: ReadonlyArray<string> | null
  readonly phone_number_strategy?: PhoneNumberStrategy | null
  readonly timezone?: string | null
  readonly working_hours_enforced?: boolean | null
  readonly working_hours?: WorkingHours | null
  readonly max_concurrent_calls?: number | null
  readonly retry_policy?: Partial<RetryPolicy> | null
  readonly follow_up_policy?: Partial<FollowUpPolicy> | null
  readonly transliteration?: Partial<TransliterationSettings> | null
  readonly start_time?: number | null
  readonly end_time?: number | null
  readonly default_call_variables?: JsonObject | null
  readonly default_call_context?: JsonObject | null
  readonly metadata?: JsonObject | null
}

/** A body that names the two fields which every campaign must have. */
export interface NewCampaign extends CampaignBody {
  readonly name: string
  readonly agent_id: string
}

/** The settings of a campaign that has nothing but a name and an agent. */
export const campaignDefaults = (name: string, agentId: string): CampaignSettings => ({
  name,
  agent_id: agentId,
  phone_numbers: null,
  phone_number_strategy: "round_robin",
  timezone: "UTC",
  working_hours_enforced: false,
  working_hours: {},
  max_concurrent_calls: null,
  retry_policy: retryPolicyDefaults,
  follow_up_policy: followUpPolicyDefaults,
  transliteration: transliterationDefaults,
  start_time: null,
  end_time: null,
  default_call_variables: {},
  default_call_context: {},
  metadata: {},
})

const sent = <A>(value: A | null | undefined, current: A, fallback: A): A =>
  value === undefined ? current : (value ?? fallback)

/** A policy after the fields that were sent. */
const policyAfter = <A extends object>(patch: Partial<A> | null | undefined, current: A, fallback: A): A =>
  patch === undefined ? current : patch === null ? fallback : { ...current, ...patch }

/**
 * The settings after a body (specification, "POST /v2/campaigns"): 1000 for an unknown zone, hours that are not `HH:MM` or do not
 * end after they start, and an end at or before the start; 1001 for what is too large to be stored.
 */
export const writeCampaign = (
  current: CampaignSettings,
  body: CampaignBody,
): Result.Result<CampaignSettings, Malformed | InvalidField> => {
  const fallback = campaignDefaults(current.name, current.agent_id)
  const next: CampaignSettings = {
    name: body.name ?? current.name,
    agent_id: body.agent_id ?? current.agent_id,
    // An empty list names no number, which is the same as leaving it out.
    phone_numbers: body.phone_numbers?.length === 0 ? null : sent(body.phone_numbers, current.phone_numbers, null),
    phone_number_strategy: sent(
      body.phone_number_strategy,
      current.phone_number_strategy,
      fallback.phone_number_strategy,
    ),
    timezone: sent(body.timezone, current.timezone, fallback.timezone),
    working_hours_enforced: sent(body.working_hours_enforced, current.working_hours_enforced, false),
    working_hours: sent(body.working_hours, current.working_hours, fallback.working_hours),
    max_concurrent_calls: sent(body.max_concurrent_calls, current.max_concurrent_calls, null),
    retry_policy: policyAfter(body.retry_policy, current.retry_policy, fallback.retry_policy),
    follow_up_policy: policyAfter(body.follow_up_policy, current.follow_up_policy, fallback.follow_up_policy),
    transliteration: policyAfter(body.transliteration, current.transliteration, fallback.transliteration),
    start_time: sent(body.start_time, current.start_time, null),
    end_time: sent(body.end_time, current.end_time, null),
    default_call_variables: sent(body.default_call_variables, current.default_call_variables, {}),
    default_call_context: sent(body.default_call_context, current.default_call_context, {}),
    metadata: sent(body.metadata, current.metadata, {}),
  }
  if (!isValidZone(next.timezone)) {
    return Result.fail(
      new Malformed({ message: "Invalid value for 'timezone': must be UTC or an IANA zone such as Europe/Paris." }),
    )
  }
  const window = fromWorkingHours(next.timezone, next.working_hours)
  if (Result.isFailure(window)) {
    const { field, reason } = window.failure
    return Result.fail(new Malformed({ message: `Invalid value for 'working_hours.${field}': ${reason}.` }))
  }
  if (next.start_time !== null && next.end_time !== null && next.end_time <= next.start_time) {
    return Result.fail(new Malformed({ message: "Invalid value for 'end_time': must be later than start_time." }))
  }
  const fault =
    oversized("campaign", next, Object.keys(body), limits.settingsBytes, current) ?? copiedFault(next, current)
  return fault === null ? Result.succeed(next) : Result.fail(fault)
}

const noWindow = { timezone: "UTC", days: [null, null, null, null, null, null, null] }

/** The hours of what is dialled without a campaign: none. */
export const noHours: CampaignHours = { window: noWindow, enforced: false }

const knownHours = new WeakMap<CampaignSettings, CampaignHours>()

/** The hours that a campaign's settings describe. They are read once per stored row, because every dial asks for them. */
export const hoursOf = (settings: CampaignSettings): CampaignHours => {
  const known = knownHours.get(settings)
  if (known !== undefined) return known
  const window = fromWorkingHours(settings.timezone, settings.working_hours)
  // Settings are validated when they are written.
  const hours = {
    window: Result.isSuccess(window) ? window.success : noWindow,
    enforced: settings.working_hours_enforced,
  }
  knownHours.set(settings, hours)
  return hours
}
