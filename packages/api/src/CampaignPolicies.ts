import { CallingWindow, FollowUpPlan, RetryPlan } from "@carillon/core/domain"
import { Schema } from "effect"
import { described } from "./Annotations.ts"
import { Flag, integerBetween, JsonObject, listOf, NonEmptyText, nullable, objectOf, oneOf, Text } from "./Scalars.ts"

/** A year: no delay of a policy is longer, so that no time that follows from one is beyond what a timestamp can say. */
export const policyMinutesMax = 525_600

const Minutes = integerBetween(0, policyMinutesMax)

const optional = Schema.optionalKey

const retryStrategies = [
  "fixed_delay",
  "linear_backoff",
  "exponential_backoff",
] as const satisfies ReadonlyArray<RetryPlan.RetryStrategy>

const retryFields = {
  max_retries: integerBetween(RetryPlan.maxRetriesBounds.min, RetryPlan.maxRetriesBounds.max),
  strategy: oneOf(retryStrategies),
  cooldown_minutes: Minutes,
  base_delay_minutes: Minutes,
  max_delay_minutes: nullable(Minutes),
  respect_working_hours: Flag,
}

/** `retry_policy` as it is written: what is left out keeps its value, or its default on a create. */
export const RetryPolicyBody = objectOf({
  max_retries: described(optional(retryFields.max_retries), "Attempts after the first, per contact; 3 by default."),
  strategy: described(optional(retryFields.strategy), "How delays grow; `fixed_delay` by default."),
  cooldown_minutes: described(
    optional(retryFields.cooldown_minutes),
    "The least pause between attempts; 0 by default.",
  ),
  base_delay_minutes: described(optional(retryFields.base_delay_minutes), "15 by default."),
  max_delay_minutes: described(optional(retryFields.max_delay_minutes), "Caps the delay; null for no cap."),
  respect_working_hours: described(optional(retryFields.respect_working_hours), "True by default."),
}).annotate({ identifier: "RetryPolicyBody" })

/** `retry_policy` as it is answered: every field. */
export const RetryPolicy = Schema.Struct(retryFields).annotate({ identifier: "RetryPolicy" })

const followUpFields = {
  enabled: Flag,
  max_attempts: integerBetween(FollowUpPlan.followUpAttemptsBounds.min, FollowUpPlan.followUpAttemptsBounds.max),
  cooldown_minutes: Minutes,
  triggers: listOf(oneOf(FollowUpPlan.followUpTriggers)),
  next_working_day_only: Flag,
  follow_up_agent_id: nullable(NonEmptyText),
  follow_up_prompt: nullable(Text),
  follow_up_extra_logic: nullable(JsonObject),
}

/** `follow_up_policy` as it is written: what is left out keeps its value, or its default on a create. */
export const FollowUpPolicyBody = objectOf({
  enabled: described(optional(followUpFields.enabled), "False by default."),
  max_attempts: described(optional(followUpFields.max_attempts), "1 by default."),
  cooldown_minutes: described(optional(followUpFields.cooldown_minutes), "A day by default."),
  triggers: described(optional(followUpFields.triggers), "`after_retries_exhausted` by default."),
  next_working_day_only: described(optional(followUpFields.next_working_day_only), "False by default."),
  follow_up_agent_id: described(optional(followUpFields.follow_up_agent_id), "The campaign's agent by default."),
  follow_up_prompt: optional(followUpFields.follow_up_prompt),
  follow_up_extra_logic: optional(followUpFields.follow_up_extra_logic),
}).annotate({ identifier: "FollowUpPolicyBody" })

/** `follow_up_policy` as it is answered: every field. */
export const FollowUpPolicy = Schema.Struct(followUpFields).annotate({ identifier: "FollowUpPolicy" })

const transliterationFields = {
  enabled: Flag,
  fields: listOf(NonEmptyText),
  target_language_code: nullable(NonEmptyText),
  source_language_code: nullable(NonEmptyText),
  keep_original: Flag,
}

/** `transliteration` as it is written: what is left out keeps its value, or its default on a create. */
export const TransliterationBody = objectOf({
  enabled: described(optional(transliterationFields.enabled), "False by default."),
  fields: described(optional(transliterationFields.fields), "Names of columns."),
  target_language_code: optional(transliterationFields.target_language_code),
  source_language_code: optional(transliterationFields.source_language_code),
  keep_original: described(
    optional(transliterationFields.keep_original),
    "Keeps the original under `<field>_original`.",
  ),
}).annotate({ identifier: "TransliterationBody" })

/** `transliteration` as it is answered: every field. */
export const Transliteration = Schema.Struct(transliterationFields).annotate({ identifier: "Transliteration" })

const WorkingDay = objectOf({
  start: described(optional(Text), "24-hour `HH:MM`."),
  end: described(optional(Text), "24-hour `HH:MM`, later than `start`."),
  enabled: described(optional(Flag), "True when left out."),
}).annotate({ identifier: "WorkingDay" })

const [monday, tuesday, wednesday, thursday, friday, saturday, sunday] = CallingWindow.weekdays

/** Hours by lowercase day names; a day left out is closed where hours are enforced. */
export const WorkingHours = objectOf({
  [monday]: optional(WorkingDay),
  [tuesday]: optional(WorkingDay),
  [wednesday]: optional(WorkingDay),
  [thursday]: optional(WorkingDay),
  [friday]: optional(WorkingDay),
  [saturday]: optional(WorkingDay),
  [sunday]: optional(WorkingDay),
}).annotate({ identifier: "WorkingHours" })
