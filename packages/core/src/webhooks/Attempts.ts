import { Effect } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Steps } from "../engine/Steps.ts"
import { Wakeups } from "../engine/ports/Wakeups.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/rules/Catalogue.ts"
import { CurrentMeters } from "../metrics/ports/Meters.ts"
import { SecretKeeping } from "../secrets/ports/SecretKeeping.ts"
import { type AttemptEnd, type Delivery, isFinished, lostAttempt } from "./rules/Delivery.ts"
import { DeliveryStore } from "./ports/DeliveryStore.ts"
import { AllowedDestinations } from "./ports/AllowedDestinations.ts"
import type { OpenTarget, Target } from "./rules/Sending.ts"
import { beginAttempt } from "./steps/BeginAttempt.ts"
import { endAttempt } from "./steps/EndAttempt.ts"
import { giveUpDelivery } from "./steps/GiveUpDelivery.ts"
import { targetedNow } from "./steps/Targets.ts"

/** Attempts deliveries, one after the other. */
export const makeAttempts = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const keeping = yield* SecretKeeping
  const wakeups = yield* Wakeups
  const steps = yield* Steps
  const clock = yield* DomainClock
  const allowed = yield* AllowedDestinations
  const meters = yield* CurrentMeters
  // One that is given up is to be seen as one more than none.
  meters?.count(metrics.deliveriesGivenUp, [], 0)

  const giveUp = (delivery: Delivery, why: string) =>
    steps.take(giveUpDelivery, { organization_id: delivery.organization_id, delivery, why })

  /** One that is given up after its last attempt counts. */
  const counted = (end: AttemptEnd) => {
    if (end === "failed") meters?.count(metrics.deliveriesGivenUp, [])
  }

  /** Has the delivery looked at again after a while. */
  const lookAgain = (deliveryId: string, afterMs: number) =>
    wakeups.set({ kind: "delivery", subject: deliveryId, at: clock.now() + afterMs })

  /** Where the delivery goes as it is configured now; one that goes nowhere any more is given up. */
  const targetFor = Effect.fnUntraced(function* (delivery: Delivery) {
    const found = yield* steps.look(() => targetedNow(delivery, allowed, delivery.subscription_revision ?? null))
    if (found._tag === "Target") return found.target
    yield* giveUp(delivery, found.why)
    return null
  })

  /** The delivery if it is to be attempted now; else when it is, if ever. One whose attempt was lost with its process is accounted for first. */
  const due = Effect.fnUntraced(function* (deliveryId: string): Effect.fn.Return<Delivery | number | null, PortError> {
    const delivery = yield* store.locate(deliveryId)
    if (delivery === null || isFinished(delivery) || delivery.due_at === null) return null
    if (delivery.due_at > clock.now()) return delivery.due_at
    if (delivery.sending === null) return delivery
    const { organization_id } = delivery
    const lost = { organization_id, delivery, outcome: lostAttempt, at: clock.now() }
    counted(yield* steps.take(endAttempt, lost))
    return null
  })

  /** The target with its secrets open; null where nobody may be sent to. */
  const opened = Effect.fnUntraced(function* ({ destination, headers, method, secret }: Target) {
    if (destination === null) return null
    const open: OpenTarget = {
      destination,
      method,
      headers: yield* keeping.openHeaders(headers),
      secret: secret === null ? null : yield* keeping.open(secret),
    }
    return open
  })

  /** Whether there is nothing to wait for. What cannot be signed with its secret is held: it is not sent without, and loses no attempt. */
  const attempt = Effect.fnUntraced(function* (delivery: Delivery, target: Target) {
    const event = yield* store.event(delivery.event_id)
    if (event === null || event.erased === true) {
      yield* giveUp(delivery, "The event has expired.")
      return true
    }
    const read = yield* Effect.map(opened(target), (open) => ({ open })).pipe(
      Effect.catchTag("SecretUnreadable", () => Effect.succeed(null)),
    )
    if (read === null) {
      yield* lookAgain(delivery.delivery_id, limits.webhookUnreadableLookMs)
      return false
    }
    const dispatch = { callback_host: target.host, method_type: target.method, signed: target.secret !== null }
    const { organization_id } = delivery
    const attempted = { organization_id, delivery, dispatch, target: read.open, body: event.body }
    counted(yield* steps.take(beginAttempt, attempted))
    return true
  })

  return {
    due,
    targetFor,
    lookAgain,
    /** An attempt that took all its time is followed by the next one at once: it keeps its place at the endpoint. */
    whileDue: Effect.fnUntraced(function* (first: Delivery, firstTarget: Target) {
      let target: Target | null = firstTarget
      for (let delivery = first; target !== null;) {
        if (!(yield* attempt(delivery, target))) return
        const next = yield* due(first.delivery_id)
        if (next === null || typeof next === "number") return
        delivery = next
        target = yield* targetFor(delivery)
      }
    }),
  }
})
