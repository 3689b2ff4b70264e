import { limits } from "@carillon/core"
import { deliveryMethods, deliveryStatuses, errorClasses, eventTypes } from "@carillon/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { chosen, described, documentedAs, EndpointOrigin, PublishedScope, wordOf } from "./Annotations.ts"
import { Conflict, PayloadTooLarge } from "./Errors.ts"
import { pageOf, pageQuery } from "./Pagination.ts"
import { organizationQuery, queryText, queryTimestamp, queryWord } from "./Query.ts"
import {
  Flag,
  Integer,
  listOf,
  NonEmptyText,
  nonEmptyTextUpTo,
  nullable,
  objectOf,
  oneOf,
  Text,
  textUpTo,
  Timestamp,
} from "./Scalars.ts"

/** Characters that the description of a subscription may have. */
export const subscriptionDescriptionMax = 500

/** Characters that a signing secret may have. */
export const signingSecretMax = 256

const CallbackUrl = nonEmptyTextUpTo(limits.callbackUrlCharacters)
const HeaderMap = Schema.Record(Schema.String, Text).annotate({ message: "must be an object of strings" })
const Secret = nonEmptyTextUpTo(signingSecretMax)
const DeliveryMethod = oneOf(deliveryMethods)
const EventTypes = listOf(oneOf(eventTypes))

/** The failure that an endpoint showed last. */
export const EndpointFailure = Schema.Struct({
  at: chosen(Timestamp),
  http_status: chosen(nullable(Integer)),
  error_class: chosen(oneOf(errorClasses)),
}).annotate({ identifier: "EndpointFailure" })
export type EndpointFailure = typeof EndpointFailure.Type

/** A webhook subscription; its secret and its headers are never returned. */
export const Subscription = Schema.Struct({
  subscription_id: Text,
  organization_id: chosen(Text),
  agent_id: described(nullable(Text), "Null: the organization's default."),
  callback_url: Text,
  method_type: DeliveryMethod,
  event_types: described(EventTypes, "Resolved: a list that was left out is `all_processing_completed`."),
  enabled: Flag,
  has_secret: chosen(Flag),
  header_names: chosen(listOf(Text)),
  description: chosen(nullable(Text)),
  failing_since: chosen(nullable(Timestamp), "Since when nothing was delivered; shown, and never acted upon."),
  last_failure: chosen(nullable(EndpointFailure)),
  created_at: chosen(Timestamp),
  updated_at: chosen(Timestamp),
}).annotate({ identifier: "Subscription", description: "Where an organization wants which events." })
export type Subscription = typeof Subscription.Type

/** A page of subscriptions. */
export const SubscriptionPage = pageOf(Subscription).annotate({ identifier: "SubscriptionPage" })

// Event types, methods, headers and URLs are judged by the engine, because a bad one is malformed input (1000).
const orNull = (document: object) => ({ anyOf: [document, { type: "null" }] })
const MethodWord = documentedAs(Schema.optionalKey(nullable(Text)), orNull(wordOf(deliveryMethods)))
const EventWords = documentedAs(nullable(listOf(Text)), orNull({ type: "array", items: wordOf(eventTypes) }))

const written = {
  method_type: described(MethodWord, "`POST` when omitted."),
  headers: described(Schema.optionalKey(nullable(HeaderMap)), "Extra headers; write-only. Replaces the stored ones."),
  secret: described(Schema.optionalKey(nullable(Secret)), "Signing secret; write-only."),
  event_types: described(
    Schema.optionalKey(EventWords),
    "Event type names. Left out or empty: `all_processing_completed`; no value means every event.",
  ),
  enabled: Schema.optionalKey(Flag),
  description: chosen(Schema.optionalKey(nullable(textUpTo(subscriptionDescriptionMax)))),
}

/** The body of `POST /v2/webhooks`. */
export const SubscriptionCreate = objectOf({
  callback_url: CallbackUrl,
  agent_id: described(Schema.optionalKey(nullable(NonEmptyText)), "Left out or null: the organization's default."),
  ...written,
}).annotate({ identifier: "SubscriptionCreate" })
export type SubscriptionCreate = typeof SubscriptionCreate.Type

/** The body of `PATCH /v2/webhooks/{subscription_id}`. */
export const SubscriptionPatch = objectOf({
  callback_url: Schema.optionalKey(CallbackUrl),
  ...written,
}).annotate({ identifier: "SubscriptionPatch" })
export type SubscriptionPatch = typeof SubscriptionPatch.Type

/** The body of `PATCH /v2/agents/{agent_id}/event-subscriptions`. */
export const EventSubscriptionsPatch = objectOf({
  event_types: chosen(EventWords, "Empty or null: `all_processing_completed`."),
}).annotate({ identifier: "EventSubscriptionsPatch" })

/** 200 of `PATCH /v2/agents/{agent_id}/event-subscriptions`. */
export const EventSubscriptions = Schema.Struct({
  agent_id: chosen(Text),
  event_types: chosen(EventTypes),
  subscriptions: chosen(listOf(Subscription)),
}).annotate({ identifier: "EventSubscriptions", description: "What the agent's subscriptions list now." })
export type EventSubscriptions = typeof EventSubscriptions.Type

/** One attempt of a delivery. */
export const DeliveryAttempt = Schema.Struct({
  attempt: chosen(Integer),
  started_at: chosen(Timestamp),
  duration_ms: chosen(Integer),
  http_status: chosen(nullable(Integer)),
  error_class: chosen(nullable(oneOf(errorClasses))),
}).annotate({ identifier: "DeliveryAttempt" })
export type DeliveryAttempt = typeof DeliveryAttempt.Type

/** A row of the delivery ledger: one event on its way to one endpoint. */
export const Delivery = Schema.Struct({
  delivery_id: chosen(Text, "`X-Service-Delivery-Id`; the same on all attempts."),
  event_id: chosen(Text),
  event_type: chosen(oneOf(eventTypes)),
  subscription_id: chosen(nullable(Text), "Null: the URL on the agent itself."),
  agent_id: chosen(Text),
  execution_id: chosen(Text),
  callback_host: chosen(nullable(Text), "Of the last attempt."),
  method_type: chosen(nullable(DeliveryMethod)),
  status: chosen(oneOf(deliveryStatuses)),
  attempt_count: chosen(Integer),
  max_attempts: chosen(Integer),
  signed: described(Flag, "False when neither the subscription nor the organization has a secret."),
  http_status: chosen(nullable(Integer)),
  error_class: chosen(nullable(oneOf(errorClasses))),
  error_message: chosen(nullable(Text)),
  duration_ms: chosen(nullable(Integer)),
  next_attempt_at: chosen(nullable(Timestamp)),
  first_attempt_at: chosen(nullable(Timestamp)),
  last_attempt_at: chosen(nullable(Timestamp)),
  created_at: chosen(Timestamp),
  expires_at: chosen(Timestamp, "30 days after creation."),
  attempts: chosen(listOf(DeliveryAttempt)),
}).annotate({ identifier: "Delivery", description: "A row of the delivery ledger." })
export type Delivery = typeof Delivery.Type

/** A page of the delivery ledger. */
export const DeliveryPage = pageOf(Delivery).annotate({ identifier: "DeliveryPage" })

/** The query of `GET /v2/webhooks/deliveries`, chosen by us. */
export const DeliveriesQuery = Schema.Struct({
  event_id: chosen(Schema.optionalKey(queryText), "Only those of this event."),
  event_type: chosen(queryWord(eventTypes)),
  execution_id: chosen(Schema.optionalKey(queryText), "Only those about this call."),
  subscription_id: chosen(Schema.optionalKey(queryText), "Only those of this subscription."),
  status: chosen(queryWord(deliveryStatuses)),
  from_date: chosen(Schema.optionalKey(queryTimestamp), "Created at or after; ISO-8601 with offset."),
  to_date: chosen(Schema.optionalKey(queryTimestamp), "Created at or before; ISO-8601 with offset."),
  ...pageQuery,
  ...organizationQuery,
})

/** The query of `GET /v2/webhooks`. */
export const SubscriptionsQuery = Schema.Struct({
  agent_id: chosen(Schema.optionalKey(queryText), "Only those of this agent."),
  ...pageQuery,
  ...organizationQuery,
})

/** The body of `POST /v2/webhooks/test` (specification, "Webhooks"). */
export const WebhookTestRequest = objectOf({
  callback_url: described(
    Schema.optionalKey(nullable(CallbackUrl)),
    "Required unless `subscription_id` is given; beside one it must be the subscription's own.",
  ),
  subscription_id: described(Schema.optionalKey(nullable(Text)), "Tests that subscription exactly as configured."),
  event_type: described(
    documentedAs(Schema.optionalKey(nullable(Text)), orNull(wordOf(eventTypes))),
    "`all_processing_completed` when omitted.",
  ),
  agent_id: described(Schema.optionalKey(nullable(Text)), "Stamped on the test payload only."),
  method_type: described(MethodWord, "`POST` when omitted."),
  headers: described(Schema.optionalKey(nullable(HeaderMap)), "Extra headers for this test only."),
  secret: described(Schema.optionalKey(nullable(Secret)), "Signs this test instead of the stored secret."),
}).annotate({ identifier: "WebhookTestRequest" })
export type WebhookTestRequest = typeof WebhookTestRequest.Type

/** 202 of `POST /v2/webhooks/test` (specification, "Webhook test result"). */
export const WebhookTestResult = Schema.Struct({
  accepted: Schema.Literal(true),
  delivered: described(Flag, "True when the endpoint answered 2xx."),
  http_status: nullable(Integer),
  error_class: nullable(oneOf(errorClasses)),
  error_message: described(nullable(Text), "Capped; never the endpoint's answer."),
  duration_ms: Integer,
  signed: Flag,
  signature_header: described(Text, "Name of the signature header."),
  event_type: oneOf(eventTypes),
  event_id: Text,
  delivery_id: described(Text, "Synthetic; not in the ledger."),
  callback_host: Text,
  method_type: DeliveryMethod,
  sent_header_names: described(listOf(Text), "Names only."),
  body: described(Text, "The exact payload that was signed."),
}).annotate({ identifier: "WebhookTestResult", description: "The test was attempted." })
export type WebhookTestResult = typeof WebhookTestResult.Type

const organizationOnly = Schema.Struct(organizationQuery)
const subscriptionPath = { subscription_id: Schema.String }
const deliveryPath = { delivery_id: Schema.String }

/** Webhook subscriptions, their test, and the delivery ledger (specification, "Webhooks"). */
export const WebhooksGroup = HttpApiGroup.make("webhooks").add(
  HttpApiEndpoint.post("create", "/webhooks", {
    query: organizationOnly,
    payload: SubscriptionCreate,
    success: Subscription.pipe(HttpApiSchema.status(201)),
    error: [Conflict, PayloadTooLarge],
  })
    .annotate(PublishedScope, "webhooks:write")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Subscribe to events",
        description: "An agent may have several subscriptions; an organization has one default.",
      }),
    ),
  HttpApiEndpoint.get("list", "/webhooks", { query: SubscriptionsQuery, success: SubscriptionPage }).annotateMerge(
    OpenApi.annotations({ summary: "List webhook subscriptions", description: "Newest first." }),
  ),
  HttpApiEndpoint.post("test", "/webhooks/test", {
    query: organizationOnly,
    payload: WebhookTestRequest,
    success: WebhookTestResult.pipe(HttpApiSchema.status(202)),
    error: [PayloadTooLarge],
  })
    .annotate(PublishedScope, "webhooks:write")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Test a webhook",
        description:
          "Sends one signed test event with a budget of 10 seconds and reports the outcome; nothing is stored.",
      }),
    ),
  HttpApiEndpoint.get("deliveries", "/webhooks/deliveries", {
    query: DeliveriesQuery,
    success: DeliveryPage,
  }).annotateMerge(
    OpenApi.annotations({
      summary: "List deliveries",
      description: "The delivery ledger, newest first; kept 30 days.",
    }),
  ),
  HttpApiEndpoint.get("delivery", "/webhooks/deliveries/:delivery_id", {
    params: deliveryPath,
    query: organizationOnly,
    success: Delivery,
  })
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(OpenApi.annotations({ summary: "Read a delivery", description: "With every attempt." })),
  HttpApiEndpoint.post("redeliver", "/webhooks/deliveries/:delivery_id/redeliver", {
    params: deliveryPath,
    query: organizationOnly,
    success: Delivery.pipe(HttpApiSchema.status(202)),
    error: Conflict,
  })
    .annotate(EndpointOrigin, "chosen")
    .annotate(PublishedScope, "webhooks:write")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Send an event once more",
        description:
          "The same `event_id` and the same body under a new `delivery_id`, to where the subscription points now. Refused (409) once its event is not kept any more, 31 days after it, though the ledger shows a redelivery of it for longer.",
      }),
    ),
  HttpApiEndpoint.get("get", "/webhooks/:subscription_id", {
    params: subscriptionPath,
    query: organizationOnly,
    success: Subscription,
  }).annotateMerge(
    OpenApi.annotations({
      summary: "Read a webhook subscription",
      description: "Its secret and the values of its headers are never returned.",
    }),
  ),
  HttpApiEndpoint.patch("update", "/webhooks/:subscription_id", {
    params: subscriptionPath,
    query: organizationOnly,
    payload: SubscriptionPatch,
    success: Subscription,
    error: [PayloadTooLarge],
  })
    .annotate(PublishedScope, "webhooks:write")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Change a webhook subscription",
        description: "Live at once in the serving process and within 60 seconds everywhere.",
      }),
    ),
  HttpApiEndpoint.delete("delete", "/webhooks/:subscription_id", {
    params: subscriptionPath,
    query: organizationOnly,
    success: HttpApiSchema.NoContent,
  })
    .annotate(PublishedScope, "webhooks:write")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Delete a webhook subscription",
        description: "Permanent; what was delivered stays in the ledger until it expires.",
      }),
    ),
  HttpApiEndpoint.patch("event_subscriptions", "/agents/:agent_id/event-subscriptions", {
    params: { agent_id: Schema.String },
    query: organizationOnly,
    payload: EventSubscriptionsPatch,
    success: EventSubscriptions,
    error: [PayloadTooLarge],
  })
    .annotate(PublishedScope, "webhooks:write")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Set the event types of an agent's subscriptions",
        description: "On all of them; 404 when the agent has none.",
      }),
    ),
)
