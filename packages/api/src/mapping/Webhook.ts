import {
  deliveryMaxAttempts,
  Timestamp,
  type WebhookTestResult as DomainTestResult,
  WebhookSignature,
} from "@carillon/core/domain"
import type { Delivery as DomainDelivery, Subscription as DomainSubscription } from "@carillon/core/ports"
import type { Delivery, Subscription, WebhookTestResult } from "../Webhooks.ts"

const optionalUtc = (ms: number | null): string | null => (ms === null ? null : Timestamp.formatUtc(ms))

/** A subscription as it is answered: names of headers, never their values, and never the secret. */
export const toWireSubscription = ({ health, ...subscription }: DomainSubscription): Subscription => ({
  subscription_id: subscription.subscription_id,
  organization_id: subscription.organization_id,
  agent_id: subscription.agent_id,
  callback_url: subscription.callback_url,
  method_type: subscription.method_type,
  event_types: subscription.event_types,
  enabled: subscription.enabled,
  has_secret: subscription.secret !== null,
  header_names: subscription.headers.map(([name]) => name),
  description: subscription.description,
  failing_since: optionalUtc(health.failing_since),
  last_failure:
    health.last_failure === null ? null : { ...health.last_failure, at: Timestamp.formatUtc(health.last_failure.at) },
  created_at: Timestamp.formatUtc(subscription.created_at),
  updated_at: Timestamp.formatUtc(subscription.updated_at),
})

/** A delivery as the ledger shows it; the figures of its last attempt stand on the delivery itself. */
export const toWireDelivery = (delivery: DomainDelivery): Delivery => {
  const last = delivery.attempts.at(-1)
  return {
    delivery_id: delivery.delivery_id,
    event_id: delivery.event_id,
    event_type: delivery.event_type,
    subscription_id: delivery.subscription_id,
    agent_id: delivery.agent_id,
    execution_id: delivery.execution_id,
    callback_host: delivery.callback_host,
    method_type: delivery.method_type,
    status: delivery.status,
    attempt_count: delivery.attempts.length,
    max_attempts: deliveryMaxAttempts,
    signed: delivery.signed,
    http_status: last?.http_status ?? null,
    error_class: last?.error_class ?? null,
    error_message: delivery.error_message,
    duration_ms: last?.duration_ms ?? null,
    next_attempt_at: delivery.sending === null ? optionalUtc(delivery.due_at) : null,
    first_attempt_at: optionalUtc(delivery.first_attempt_at),
    last_attempt_at: optionalUtc(delivery.sending?.started_at ?? last?.started_at ?? null),
    created_at: Timestamp.formatUtc(delivery.created_at),
    expires_at: Timestamp.formatUtc(delivery.expires_at),
    attempts: delivery.attempts.map((attempt) => ({
      attempt: attempt.attempt,
      started_at: Timestamp.formatUtc(attempt.started_at),
      duration_ms: attempt.duration_ms,
      http_status: attempt.http_status,
      error_class: attempt.error_class,
    })),
  }
}

/** What came of a test. */
export const toWireTestResult = (result: DomainTestResult): WebhookTestResult => ({
  accepted: true,
  delivered: result.delivered,
  http_status: result.http_status,
  error_class: result.error_class,
  error_message: result.error_message,
  duration_ms: result.duration_ms,
  signed: result.signed,
  signature_header: WebhookSignature.signatureHeaderName,
  event_type: result.event_type,
  event_id: result.event_id,
  delivery_id: result.delivery_id,
  callback_host: result.callback_host,
  method_type: result.method_type,
  sent_header_names: result.sent_header_names,
  body: result.body,
})
