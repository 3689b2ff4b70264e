import { limits } from "@carillon/core"
import { contactOrders } from "@carillon/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { chosen, EndpointOrigin, RequiredScope } from "./Annotations.ts"
import { Conflict, PayloadTooLarge } from "./Errors.ts"
import { organizationQuery } from "./Query.ts"
import { Flag, nonEmptyTextUpTo, nullable, objectOf, oneOf, Text, Timestamp } from "./Scalars.ts"

const says = {
  priority_column:
    "The call variable, or the column of a CSV file, that says the priority of contacts that are handed in from then on: 0 to 9, the highest first. Null: they have none.",
  contacts:
    "Of contacts of one priority, whose batch is called first: that of those who were handed in first, or last.",
}

/** The body of `PUT /v2/campaigns/{campaign_id}/order`. */
export const CallOrderPut = objectOf({
  priority_column: chosen(
    Schema.optionalKey(nullable(nonEmptyTextUpTo(limits.priorityColumnCharacters))),
    `${says.priority_column} Left out: null.`,
  ),
  contacts: chosen(Schema.optionalKey(oneOf(contactOrders)), `${says.contacts} Left out: first.`),
}).annotate({ identifier: "CallOrderPut", "x-origin": "chosen" })
export type CallOrderPut = typeof CallOrderPut.Type

/** 200 of `GET` and `PUT /v2/campaigns/{campaign_id}/order`. */
export const CallOrder = Schema.Struct({
  priority_column: chosen(nullable(Text), says.priority_column),
  contacts: chosen(oneOf(contactOrders), says.contacts),
  updated_at: chosen(Timestamp, "When it was last written."),
}).annotate({
  identifier: "CallOrder",
  description: "In which order a campaign calls its contacts for the first time.",
})
export type CallOrder = typeof CallOrder.Type

/** 200 of `DELETE /v2/campaigns/{campaign_id}/order`. */
export const DeletedCallOrder = Schema.Struct({
  deleted: chosen(Flag, "True: the campaign calls its contacts as they were handed in."),
}).annotate({ identifier: "DeletedCallOrder", description: "The campaign has no order any more." })
export type DeletedCallOrder = typeof DeletedCallOrder.Type

const params = { campaign_id: Schema.String }
const query = Schema.Struct(organizationQuery)
const path = "/campaigns/:campaign_id/order"

/** In which order campaigns call their contacts, an extension of the specification. */
export const CallOrdersGroup = HttpApiGroup.make("callOrders").add(
  HttpApiEndpoint.get("get", path, { params, query, success: CallOrder })
    .annotate(RequiredScope, "calls:read")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Read a campaign's order",
        description: "404 where the campaign has none.",
      }),
    ),
  HttpApiEndpoint.put("set", path, {
    params,
    query,
    payload: CallOrderPut,
    success: CallOrder,
    error: [Conflict, PayloadTooLarge],
  })
    .annotate(RequiredScope, "batches:write")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Set a campaign's order",
        description:
          "Replaces it. Contacts that are handed in from then on have the priority that their variable says; those that stand already keep theirs.",
      }),
    ),
  HttpApiEndpoint.delete("remove", path, { params, query, success: DeletedCallOrder })
    .annotate(RequiredScope, "batches:write")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Remove a campaign's order",
        description: "Its batches are called one after the other again, each in the order in which it stands.",
      }),
    ),
)
