import { Effect } from "effect"
import { CallProgress } from "../calls/CallProgress.ts"
import { unheardCalls, unheardOf } from "../calls/Unheard.ts"
import { Breakers } from "../campaigns/Breakers.ts"
import { CampaignRecovery } from "../campaigns/CampaignRecovery.ts"
import { Lifecycle } from "../campaigns/Lifecycle.ts"
import { Dispatcher } from "../dispatch/Dispatcher.ts"
import type { Handler } from "./Claims.ts"
import { Idempotency } from "../idempotency/Idempotency.ts"
import { Intake } from "../intake/Intake.ts"
import { Reconciler } from "../limits/Reconciler.ts"
import { purgedBy } from "../retention/rules/PurgeWakeup.ts"
import { Retention } from "../retention/Retention.ts"
import { Deliveries } from "../webhooks/Deliveries.ts"

/** Says who handles a wake-up that is due, by its kind. */
export const makeHandler = Effect.gen(function* () {
  const progress = yield* CallProgress
  const reconciler = yield* Reconciler
  const deliveries = yield* Deliveries
  const dispatcher = yield* Dispatcher
  const lifecycle = yield* Lifecycle
  const breakers = yield* Breakers
  const recovery = yield* CampaignRecovery
  const intake = yield* Intake
  const idempotency = yield* Idempotency
  const retention = yield* Retention
  const askUnheard = yield* unheardCalls

  /** Handles what is due; answers when to look at the subject again where nothing else will say so. */
  const handle: Handler = (claim, isOurs) => {
    switch (claim.kind) {
      case "call":
        return progress.wake(claim.subject)
      case "processing":
        return progress.conclude(claim.subject)
      case "event":
        return Effect.as(deliveries.route(claim.subject), null)
      case "delivery":
        return deliveries.wake(claim.subject)
      case "campaign":
        return lifecycle.wake(claim.subject)
      case "breaker":
        return breakers.wake(claim.subject)
      case "dispatch":
        return dispatcher.run(claim.subject, isOurs)
      case "slots": {
        const why = unheardOf(claim)
        if (why !== null) return Effect.as(askUnheard(claim, why), null)
        return claim.subject === "platform"
          ? Effect.andThen(reconciler.tick, recovery.lookOn)
          : Effect.as(reconciler.afterLoss, null)
      }
      case "ledger": {
        const organizationId = purgedBy(claim.subject)
        if (organizationId !== null) return retention.sweep(organizationId)
        return Effect.as(Effect.andThen(deliveries.sweep, idempotency.sweep), null)
      }
      case "intake":
        return Effect.as(intake.sweep(claim.subject), null)
    }
  }

  return handle
})
