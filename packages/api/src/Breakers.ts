import { limits } from "@carillon/core"
import { breakerRates } from "@carillon/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { chosen, EndpointOrigin, RequiredScope } from "./Annotations.ts"
import { Conflict, PayloadTooLarge } from "./Errors.ts"
import { organizationQuery } from "./Query.ts"
import { Flag, Integer, integerBetween, nullable, objectOf, oneOf, Timestamp } from "./Scalars.ts"

const calls = integerBetween(1, limits.breakerCalls)
const windowMinutes = nullable(integerBetween(1, limits.breakerWindowMinutes))
const percent = nullable(integerBetween(0, 99))
const shortSeconds = integerBetween(1, limits.breakerShortSeconds)
const resumeMinutes = nullable(integerBetween(1, limits.breakerResumeMinutes))

const says = {
  window_calls: "The last so many calls of the campaign are looked at.",
  window_minutes: "Of these, the ones that ended at most so many minutes before the last. Null: however long ago.",
  minimum_calls: "With fewer calls than that in the window nothing happens. Not more than `window_calls`.",
  failed_percent:
    "The campaign is paused where more than so many of a hundred calls ended `failed`, `busy`, `no-answer`, `error` or `call-disconnected`. Null: however many.",
  error_percent: "The same of calls that ended `failed` or `error`.",
  short_call_percent:
    "The same of calls that completed in less than `short_call_seconds` and that no voicemail box answered.",
  short_call_seconds: "A call that lasted less than so many seconds is short.",
  voicemail_percent: "The same of calls that a voicemail box answered.",
  resume_after_minutes: "So long after it was paused the campaign goes on. Null: once it is resumed.",
}

/** The body of `PUT /v2/campaigns/{campaign_id}/breaker`. */
export const BreakerPut = objectOf({
  window_calls: chosen(Schema.optionalKey(calls), `${says.window_calls} Left out: 100.`),
  window_minutes: chosen(Schema.optionalKey(windowMinutes), says.window_minutes),
  minimum_calls: chosen(Schema.optionalKey(calls), `${says.minimum_calls} Left out: 20, or as many as are looked at.`),
  failed_percent: chosen(Schema.optionalKey(percent), says.failed_percent),
  error_percent: chosen(Schema.optionalKey(percent), says.error_percent),
  short_call_percent: chosen(Schema.optionalKey(percent), says.short_call_percent),
  short_call_seconds: chosen(Schema.optionalKey(shortSeconds), `${says.short_call_seconds} Left out: 10.`),
  voicemail_percent: chosen(Schema.optionalKey(percent), says.voicemail_percent),
  resume_after_minutes: chosen(Schema.optionalKey(resumeMinutes), says.resume_after_minutes),
}).annotate({ identifier: "BreakerPut", "x-origin": "chosen" })
export type BreakerPut = typeof BreakerPut.Type

/** What a window of calls was like that has paused its campaign. */
export const BreakerTrip = Schema.Struct({
  at: chosen(Timestamp, "When the campaign was paused."),
  rate: chosen(oneOf(breakerRates), "Of which calls there were too many."),
  calls: chosen(Integer, "How many calls the window had."),
  counted: chosen(Integer, "How many of them were like that."),
  percent: chosen(Integer, "Of how many of a hundred there must not be more."),
  resume_at: chosen(nullable(Timestamp), "When the campaign goes on by itself. Null: once it is resumed."),
}).annotate({ identifier: "BreakerTrip", description: "Why a breaker has paused its campaign." })

/** 200 of `GET` and `PUT /v2/campaigns/{campaign_id}/breaker`. */
export const Breaker = Schema.Struct({
  window_calls: chosen(calls, says.window_calls),
  window_minutes: chosen(windowMinutes, says.window_minutes),
  minimum_calls: chosen(calls, says.minimum_calls),
  failed_percent: chosen(percent, says.failed_percent),
  error_percent: chosen(percent, says.error_percent),
  short_call_percent: chosen(percent, says.short_call_percent),
  short_call_seconds: chosen(shortSeconds, says.short_call_seconds),
  voicemail_percent: chosen(percent, says.voicemail_percent),
  resume_after_minutes: chosen(resumeMinutes, says.resume_after_minutes),
  updated_at: chosen(Timestamp, "When it was last written."),
  since: chosen(
    Timestamp,
    "Calls count that ended from then on: since it was written, or since the campaign last went on.",
  ),
  paused_reason: chosen(
    nullable(oneOf(["breaker", "request"])),
    "Who has paused the campaign: this breaker, or somebody who asked for it. Null: it is not paused.",
  ),
  trip: chosen(nullable(BreakerTrip), "Why this breaker keeps the campaign paused. Null: it does not."),
}).annotate({ identifier: "Breaker", description: "When a campaign pauses itself, and whether it has." })
export type Breaker = typeof Breaker.Type

/** 200 of `DELETE /v2/campaigns/{campaign_id}/breaker`. */
export const DeletedBreaker = Schema.Struct({
  deleted: chosen(Flag, "True: the campaign does not pause itself any more."),
}).annotate({ identifier: "DeletedBreaker", description: "The campaign has no breaker any more." })
export type DeletedBreaker = typeof DeletedBreaker.Type

const params = { campaign_id: Schema.String }
const query = Schema.Struct(organizationQuery)
const path = "/campaigns/:campaign_id/breaker"

/** When campaigns pause themselves, an extension of the specification. */
export const BreakersGroup = HttpApiGroup.make("breakers").add(
  HttpApiEndpoint.get("get", path, { params, query, success: Breaker })
    .annotate(RequiredScope, "calls:read")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Read a campaign's breaker",
        description: "With why it keeps the campaign paused, where it does. 404 where the campaign has none.",
      }),
    ),
  HttpApiEndpoint.put("set", path, {
    params,
    query,
    payload: BreakerPut,
    success: Breaker,
    error: [Conflict, PayloadTooLarge],
  })
    .annotate(RequiredScope, "batches:write")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Set a campaign's breaker",
        description:
          "Replaces it. It needs at least one of the four rates. Calls count that are dialled from then on. What it has paused already goes on by what it says now.",
      }),
    ),
  HttpApiEndpoint.delete("remove", path, { params, query, success: DeletedBreaker })
    .annotate(RequiredScope, "batches:write")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Remove a campaign's breaker",
        description: "A campaign that it has paused stays paused until it is resumed.",
      }),
    ),
)
