import { Context, Effect, Layer, Result } from "effect"
import { directDial, newCall } from "../calls/rules/PlaceCall.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Ids } from "../engine/ports/Ids.ts"
import { Steps } from "../engine/Steps.ts"
import { DependencyUnavailable, type EngineError, LimitExceeded, Malformed } from "../Errors.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import { limits } from "../Limits.ts"
import { jsonBytes, textBytes } from "../Measure.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { type Kept, keptHeaders, signingSecret } from "../secrets/rules/Kept.ts"
import { SecretKeeping } from "../secrets/ports/SecretKeeping.ts"
import { Deliveries } from "./Deliveries.ts"
import { outcomeOf } from "./rules/Delivery.ts"
import { parseHeaders } from "./rules/DeliveryHeaders.ts"
import { type Destination, destinationFaults, parseDestination } from "./rules/Destination.ts"
import { AllowedDestinations } from "./ports/AllowedDestinations.ts"
import type { Place } from "./rules/EndpointLanes.ts"
import type { ErrorClass } from "./rules/ErrorClass.ts"
import type { EventType } from "./rules/EventType.ts"
import { payloadOf } from "./rules/Payload.ts"
import { recordTest } from "./steps/RecordTest.ts"
import { headerBytesOf, requestOf } from "./rules/Sending.ts"
import type { DeliveryMethod } from "./rules/Subscription.ts"
import { subscriptionOf } from "./steps/SubscriptionReads.ts"
import { readEventType, readMethod } from "./rules/SubscriptionSettings.ts"
import { WebhookTransport } from "./ports/WebhookTransport.ts"

/** The decoded body of `POST /v2/webhooks/test`; null is what was left out. */
export interface WebhookTest {
  readonly callback_url: string | null
  readonly subscription_id: string | null
  readonly event_type: string | null
  readonly agent_id: string | null
  readonly method_type: string | null
  readonly headers: Readonly<Record<string, string>> | null
  readonly secret: string | null
}

/** What came of the test (specification, "Webhook test result"). */
export interface WebhookTestResult {
  readonly delivered: boolean
  readonly http_status: number | null
  readonly error_class: ErrorClass | null
  readonly error_message: string | null
  readonly duration_ms: number
  readonly signed: boolean
  readonly event_type: EventType
  readonly event_id: string
  readonly delivery_id: string
  readonly callback_host: string
  readonly method_type: DeliveryMethod
  readonly sent_header_names: ReadonlyArray<string>
  readonly body: string
}

/** What a test of `call_corrected` says was corrected. */
const testCorrection = { fields: ["call_duration"], previous: { call_duration: 41 } }

/** All tests of an organization are one endpoint, whatever they are sent to: they take no place from that of a subscription. */
const placeOf = ({ organization_id }: Caller, { host }: Destination): Place => ({
  organization: organization_id,
  endpoint: `test:${organization_id}`,
  host,
})

const tooMany = new LimitExceeded({
  message: "Too many webhooks of this organization are being sent. Retry in a moment.",
  retryAfterSeconds: limits.webhookTestRetryAfterSeconds,
})

const asMalformed = (message: string) => new Malformed({ message })

/** One signed event on request, attempted once, with nothing written to the ledger (specification, "POST /v2/webhooks/test"). */
export class WebhookTests extends Context.Service<
  WebhookTests,
  { readonly send: (caller: Caller, test: WebhookTest) => Effect.Effect<WebhookTestResult, EngineError> }
>()("@carillon/core/webhooks/WebhookTests") {
  static readonly layer = Layer.effect(
    WebhookTests,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const deliveries = yield* Deliveries
      const transport = yield* WebhookTransport
      const keeping = yield* SecretKeeping
      const steps = yield* Steps
      const clock = yield* DomainClock
      const ids = yield* Ids
      const allowed = yield* AllowedDestinations
      let nth = 0

      /** What is stored for the test's target; a subscription's headers and secret go to its own URL alone. */
      const configured = Effect.fnUntraced(function* (caller: Caller, { callback_url, subscription_id }: WebhookTest) {
        if (subscription_id === null) {
          if (callback_url === null) {
            return yield* asMalformed("Either callback_url or subscription_id is needed.")
          }
          return { url: callback_url, method: null, headers: [], subscription: null }
        }
        const subscription = yield* steps.look(() => subscriptionOf(caller.organization_id, subscription_id))
        if (callback_url !== null && callback_url !== subscription.callback_url) {
          return yield* asMalformed("A callback_url beside a subscription_id must be the subscription's own.")
        }
        return {
          url: subscription.callback_url,
          method: subscription.method_type,
          headers: keptHeaders(subscription),
          subscription,
        }
      })

      /** A secret of the test's own is open. What cannot be read now may be readable later, or elsewhere. */
      const open = (headers: ReturnType<typeof keptHeaders>, secret: Kept | string | null) =>
        Effect.all({
          headers: keeping.openHeaders(headers),
          secret: secret === null || typeof secret === "string" ? Effect.succeed(secret) : keeping.open(secret),
        }).pipe(
          Effect.catchTag("SecretUnreadable", () =>
            Effect.fail(new DependencyUnavailable({ dependency: "webhook_store" })),
          ),
        )

      const bodyOf = (caller: Caller, eventId: string, type: EventType, agentId: string | null, currency: string) => {
        const now = clock.now()
        const execution_id = ids.mint("execution", caller.organization_id, "webhook-test", nth)
        const request = {
          agent_id: agentId ?? "",
          to_number: "+15555550100",
          from_number: "+15555550199",
          variables: {},
          metadata: {},
          scheduled_at: null,
          record: true,
          timeout_seconds: limits.ringTimeoutSeconds.default,
        }
        const call = newCall(caller.organization_id, execution_id, request, directDial, now)
        const ended = {
          ...call,
          status: "completed",
          dial: "accepted",
          completed_at: now,
          final_report_at: now,
        } as const
        const spoken = {
          ...ended,
          answered_at: now,
          duration_seconds: 42,
          answered_by_voicemail: false,
          hangup_by: "customer",
          hangup_reason: "user_hangup",
          summary: "A test of this webhook.",
          sentiment: "neutral",
          processing: { ...call.processing, analysed_at: now, completed_at: now },
        } as const
        const correction = type === "call_corrected" ? testCorrection : null
        const payload = payloadOf({ event_id: eventId, event_type: type, at: now, correction }, spoken, {
          timezone: null,
          currency,
          media: null,
          attempts: [spoken],
        })
        return JSON.stringify({ ...payload, agent_id: agentId, test: true })
      }

      const judged = (url: string): Effect.Effect<Destination, Malformed> => {
        const destination = parseDestination(url, allowed)
        return Result.isFailure(destination)
          ? Effect.fail(asMalformed(destination.failure))
          : Effect.succeed(destination.success)
      }

      const send = Effect.fnUntraced(function* (caller: Caller, test: WebhookTest) {
        const event_type = yield* Effect.fromResult(readEventType(test.event_type))
        const stored = yield* configured(caller, test)
        // A subscription is tested as it is configured.
        const given = yield* Effect.fromResult(readMethod(test.method_type))
        const method_type = stored.method ?? given
        const extra = yield* Effect.fromResult(parseHeaders(test.headers ?? {}))
        const destination = yield* judged(stored.url)
        const organization = yield* accounts.organization(caller.organization_id)
        const replaced = new Set(extra.map(([name]) => name.toLowerCase()))
        const own = stored.headers.filter(([name]) => !replaced.has(name.toLowerCase()))
        const { headers: opened, secret } = yield* open(
          own,
          test.secret || signingSecret(stored.subscription, organization),
        )
        const headers = [...opened, ...extra]
        nth += 1
        const event_id = ids.mint("event", caller.organization_id, "webhook-test", nth)
        const delivery_id = ids.mint("delivery", caller.organization_id, "webhook-test", nth)
        const body = bodyOf(caller, event_id, event_type, test.agent_id, organization?.wallet.currency ?? "USD")
        const target = { destination, method: method_type, headers, secret }
        const request = requestOf(target, { delivery_id, body }, clock.now(), limits.webhookTestMs)
        const startedAt = clock.now()
        const bytes = textBytes(body) + headerBytesOf(stored.headers) + jsonBytes(extra)
        const sent = deliveries.beside(placeOf(caller, destination), bytes, transport.send(request))
        const answer = (yield* sent) ?? (yield* tooMany)
        if (answer._tag === "Refused") return yield* asMalformed(destinationFaults.address)
        const outcome = outcomeOf(answer)
        const delivered = outcome.error_class === null
        const { subscription_id } = test
        yield* steps.take(recordTest, { caller, subscription_id, event_type, delivered })
        return {
          ...outcome,
          delivered,
          duration_ms: clock.now() - startedAt,
          signed: secret !== null,
          event_type,
          event_id,
          delivery_id,
          callback_host: destination.host,
          method_type,
          sent_header_names: request.headers.map(([name]) => name),
          body,
        }
      })

      return WebhookTests.of({ send })
    }),
  )
}
