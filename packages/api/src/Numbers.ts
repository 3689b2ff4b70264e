import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { chosen, described, EndpointOrigin } from "./Annotations.ts"
import { Conflict, PayloadTooLarge } from "./Errors.ts"
import { pageOf, pageQuery } from "./Pagination.ts"
import { organizationQuery } from "./Query.ts"
import {
  Flag,
  Integer,
  listOf,
  NonEmptyText,
  nullable,
  objectOf,
  PhoneNumber as E164Number,
  Text,
  textUpTo,
  Timestamp,
} from "./Scalars.ts"

/** Characters that the label of a number may have. */
export const numberLabelMax = 200

/** A number registered to an organization (decisions, "Other resources"). */
export const PhoneNumber = Schema.Struct({
  phone_number_id: chosen(Text),
  phone_number: chosen(Text, "E.164."),
  label: chosen(nullable(Text)),
  country: chosen(nullable(Text), "ISO 3166 alpha-2, as its owner wrote it."),
  provider: chosen(Schema.Literal("custom")),
  status: chosen(Schema.Literal("active")),
  capabilities: chosen(listOf(Schema.Literal("voice")), "What the number can be used for."),
  inbound_agent_id: chosen(nullable(Text), "The binding to the agent that answers it, if any."),
  calls_in_progress: chosen(Integer, "Live calls from or to the number."),
  created_at: chosen(Timestamp),
  updated_at: chosen(Timestamp),
}).annotate({ identifier: "PhoneNumber", description: "A number registered to the organization." })
export type PhoneNumber = typeof PhoneNumber.Type

/** A page of numbers. */
export const PhoneNumberPage = pageOf(PhoneNumber).annotate({ identifier: "PhoneNumberPage" })

const Country = Text.check(Schema.isPattern(/^[A-Z]{2}$/, { message: "must be two capital letters" }))

const details = {
  label: Schema.optionalKey(nullable(textUpTo(numberLabelMax))),
  country: described(Schema.optionalKey(nullable(Country)), "ISO 3166 alpha-2."),
}

/** The body of `POST /v2/phone-numbers`. */
export const RegisterNumber = objectOf({ phone_number: E164Number, ...details }).annotate({
  identifier: "RegisterNumber",
  "x-origin": "chosen",
})
export type RegisterNumber = typeof RegisterNumber.Type

/** The body of `PATCH /v2/phone-numbers/{phone_number_id}`. */
export const PatchNumber = objectOf(details).annotate({ identifier: "PatchNumber", "x-origin": "chosen" })
export type PatchNumber = typeof PatchNumber.Type

/** 200 of `DELETE /v2/phone-numbers/{phone_number_id}`. */
export const DeletedPhoneNumber = Schema.Struct({
  phone_number_id: chosen(Text),
  deleted: chosen(Schema.Literal(true)),
}).annotate({ identifier: "DeletedPhoneNumber", description: "The number is given up." })
export type DeletedPhoneNumber = typeof DeletedPhoneNumber.Type

/** The binding of a number to the agent that answers it (decisions, "Other resources"). */
export const InboundAgent = Schema.Struct({
  inbound_agent_id: chosen(Text),
  agent_id: chosen(Text),
  phone_number_id: chosen(Text),
  phone_number: chosen(Text, "E.164."),
  enabled: chosen(Flag),
  created_at: chosen(Timestamp),
  updated_at: chosen(Timestamp),
}).annotate({ identifier: "InboundAgent", description: "An agent answers a number." })
export type InboundAgent = typeof InboundAgent.Type

/** A page of inbound agents. */
export const InboundAgentPage = pageOf(InboundAgent).annotate({ identifier: "InboundAgentPage" })

/** The body of `POST /v2/inbound-agents`: the number is named by its id or by its text. */
export const BindAgent = objectOf({
  agent_id: NonEmptyText,
  phone_number_id: described(Schema.optionalKey(NonEmptyText), "This or `phone_number`."),
  phone_number: described(Schema.optionalKey(E164Number), "This or `phone_number_id`."),
  enabled: described(Schema.optionalKey(Flag), "Default true."),
}).annotate({ identifier: "BindAgent", "x-origin": "chosen" })
export type BindAgent = typeof BindAgent.Type

/** 200 of `DELETE /v2/inbound-agents/{inbound_agent_id}`. */
export const DeletedInboundAgent = Schema.Struct({
  inbound_agent_id: chosen(Text),
  deleted: chosen(Schema.Literal(true)),
}).annotate({ identifier: "DeletedInboundAgent", description: "Nobody answers the number any more." })
export type DeletedInboundAgent = typeof DeletedInboundAgent.Type

const listQuery = Schema.Struct({ ...pageQuery, ...organizationQuery })
const organizationOnly = Schema.Struct(organizationQuery)
const numberPath = { phone_number_id: Schema.String }

/** The numbers of an organization. */
export const NumbersGroup = HttpApiGroup.make("numbers").add(
  HttpApiEndpoint.get("list", "/phone-numbers", { query: listQuery, success: PhoneNumberPage })
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(OpenApi.annotations({ summary: "List phone numbers", description: "Newest first." })),
  HttpApiEndpoint.post("register", "/phone-numbers", {
    query: organizationOnly,
    payload: RegisterNumber,
    success: PhoneNumber.pipe(HttpApiSchema.status(201)),
    error: [Conflict, PayloadTooLarge],
  })
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Register a phone number",
        description: "A number that is registered already is refused (1201).",
      }),
    ),
  HttpApiEndpoint.get("get", "/phone-numbers/:phone_number_id", {
    params: numberPath,
    query: organizationOnly,
    success: PhoneNumber,
  })
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({ summary: "Read a phone number", description: "With the agent that answers it, if any." }),
    ),
  HttpApiEndpoint.patch("update", "/phone-numbers/:phone_number_id", {
    params: numberPath,
    query: organizationOnly,
    payload: PatchNumber,
    success: PhoneNumber,
    error: PayloadTooLarge,
  })
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Change a phone number's label or country",
        description: "What is left out stays; null clears.",
      }),
    ),
  HttpApiEndpoint.delete("release", "/phone-numbers/:phone_number_id", {
    params: numberPath,
    query: organizationOnly,
    success: DeletedPhoneNumber,
    error: Conflict,
  })
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Give up a phone number",
        description: "Its inbound binding goes with it. A number that a running campaign names is refused (1201).",
      }),
    ),
)

/** Which agents answer which numbers. */
export const InboundAgentsGroup = HttpApiGroup.make("inboundAgents").add(
  HttpApiEndpoint.get("list", "/inbound-agents", { query: listQuery, success: InboundAgentPage })
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(OpenApi.annotations({ summary: "List inbound agents", description: "Newest first." })),
  HttpApiEndpoint.post("bind", "/inbound-agents", {
    query: organizationOnly,
    payload: BindAgent,
    success: InboundAgent.pipe(HttpApiSchema.status(201)),
    error: [Conflict, PayloadTooLarge],
  })
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Let an agent answer a number",
        description: "A number has one agent at most (1201).",
      }),
    ),
  HttpApiEndpoint.delete("unbind", "/inbound-agents/:inbound_agent_id", {
    params: { inbound_agent_id: Schema.String },
    query: organizationOnly,
    success: DeletedInboundAgent,
  })
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({ summary: "Let nobody answer a number", description: "The number stays registered." }),
    ),
)
