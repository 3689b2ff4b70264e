import { limits } from "@carillon/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { chosen, EndpointOrigin, RequiredScope } from "./Annotations.ts"
import { PayloadTooLarge } from "./Errors.ts"
import { organizationQuery } from "./Query.ts"
import { Flag, integerBetween, nullable, objectOf, Timestamp } from "./Scalars.ts"

const attempts = integerBetween(1, limits.callCapAttempts)
const seconds = integerBetween(1, limits.callCapRestSeconds)

const stretches = {
  day: "Calls to one number in any 24 hours, at most. Null: as many as one likes.",
  week: "The same in any 168 hours.",
  month: "The same in any 720 hours.",
  rest: "Seconds that lie at least between two calls to one number. Null: none.",
}

/** The body of `PUT /v2/call-caps`. */
export const CallCapsPut = objectOf({
  per_day: chosen(Schema.optionalKey(nullable(attempts)), stretches.day),
  per_week: chosen(Schema.optionalKey(nullable(attempts)), stretches.week),
  per_thirty_days: chosen(Schema.optionalKey(nullable(attempts)), stretches.month),
  minimum_rest_seconds: chosen(Schema.optionalKey(nullable(seconds)), stretches.rest),
}).annotate({ identifier: "CallCapsPut", "x-origin": "chosen" })

/** 200 of `GET` and `PUT /v2/call-caps`. */
export const CallCaps = Schema.Struct({
  per_day: chosen(nullable(attempts), stretches.day),
  per_week: chosen(nullable(attempts), stretches.week),
  per_thirty_days: chosen(nullable(attempts), stretches.month),
  minimum_rest_seconds: chosen(nullable(seconds), stretches.rest),
  updated_at: chosen(Timestamp, "When they were last written."),
}).annotate({ identifier: "CallCaps", description: "How often the organization may call one number." })
export type CallCaps = typeof CallCaps.Type

/** 200 of `DELETE /v2/call-caps`. */
export const DeletedCallCaps = Schema.Struct({
  deleted: chosen(Flag, "True: a number may be called as often as one likes."),
}).annotate({ identifier: "DeletedCallCaps", description: "The organization has no call caps any more." })
export type DeletedCallCaps = typeof DeletedCallCaps.Type

const query = Schema.Struct(organizationQuery)

/** How often one number may be called, an extension of the specification. */
export const CallCapsGroup = HttpApiGroup.make("callCaps").add(
  HttpApiEndpoint.get("get", "/call-caps", { query, success: CallCaps })
    .annotate(RequiredScope, "agents:read")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({ summary: "Read call caps", description: "404 where the organization has none." }),
    ),
  HttpApiEndpoint.put("set", "/call-caps", {
    query,
    payload: CallCapsPut,
    success: CallCaps,
    error: PayloadTooLarge,
  })
    .annotate(RequiredScope, "agents:write")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Set call caps",
        description:
          "Replaces them. Calls are counted from then on, by number, whoever asks for them. Contacts wait until the caps allow another call, direct calls are refused, and booked ones that are due are moved.",
      }),
    ),
  HttpApiEndpoint.delete("remove", "/call-caps", { query, success: DeletedCallCaps })
    .annotate(RequiredScope, "agents:write")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(OpenApi.annotations({ summary: "Remove call caps", description: "Nothing is counted any more." })),
)
