import { Effect, Exit } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/rules/Catalogue.ts"
import { timed } from "../metrics/ports/Measured.ts"
import { CurrentMeters } from "../metrics/ports/Meters.ts"
import { CurrentTracing, traced } from "../engine/ports/Tracing.ts"
import { type Delivery, outcomeOf } from "./rules/Delivery.ts"
import type { SendsDelivery } from "./rules/DeliveryErrand.ts"
import { requestOf, underSpan } from "./rules/Sending.ts"
import { failingEndpoints } from "./FailingEndpoints.ts"
import { WebhookTransport } from "./ports/WebhookTransport.ts"
import type { WebhookAnswer, WebhookRequest } from "./rules/WebhookRequest.ts"

const attemptOutcome = (answer: WebhookAnswer) =>
  answer._tag === "Refused" ? "refused" : (outcomeOf(answer).error_class ?? "delivered")

/** Makes an attempt of a delivery, measured and under a span; without a target it is refused. How it ends is noted. Answers that, and when it was. */
export const makeSend = Effect.gen(function* () {
  const transport = yield* WebhookTransport
  const clock = yield* DomainClock
  const meters = yield* CurrentMeters
  const isTraced = yield* CurrentTracing
  const note = yield* failingEndpoints

  const sendUnderSpan = (
    { attempts, delivery_id, event_type, execution_id }: Delivery,
    request: WebhookRequest,
  ): Effect.Effect<WebhookAnswer> => {
    if (!isTraced) return transport.send(request)
    const span = () => ({
      name: "carillon.webhook.attempt",
      kind: "client" as const,
      attributes: {
        "carillon.delivery_id": delivery_id,
        "carillon.execution_id": execution_id,
        "carillon.event_type": event_type,
        "carillon.attempt": attempts.length + 1,
      },
    })
    const sent = Effect.matchEffect(Effect.currentSpan, {
      onFailure: () => transport.send(request),
      onSuccess: (made) => transport.send(underSpan(request, made)),
    })
    return traced(isTraced, span, sent)
  }

  const answered = Effect.fnUntraced(function* ({ body, delivery, target }: SendsDelivery) {
    if (target === null) return outcomeOf({ _tag: "Refused" })
    const request = requestOf(target, { delivery_id: delivery.delivery_id, body }, clock.now(), limits.webhookAttemptMs)
    const sent = timed(meters, sendUnderSpan(delivery, request), (to, seconds, exit) => {
      if (Exit.isSuccess(exit)) to.record(metrics.deliveryAttempts, [attemptOutcome(exit.value)], seconds)
    })
    return outcomeOf(yield* sent)
  })

  return Effect.fnUntraced(function* (errand: SendsDelivery) {
    const { callback_host, sending } = errand.delivery
    const outcome = yield* answered(errand)
    yield* note({ delivery: errand.delivery, host: callback_host ?? "" }, outcome, sending?.started_at ?? clock.now())
    return { outcome, at: clock.now() }
  })
})
