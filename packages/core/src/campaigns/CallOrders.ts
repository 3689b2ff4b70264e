import { Context, Effect, Layer } from "effect"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, NotFound, type PortError } from "../Errors.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import { type AskedCallOrder, writtenCallOrder } from "./rules/CallOrder.ts"
import type { CallOrder } from "./rules/CallOrderSetting.ts"
import { campaignOf } from "./steps/CampaignReads.ts"
import { removeCallOrder, setCallOrder } from "./steps/SetCallOrder.ts"

const noOrder = new NotFound({ message: "This campaign has no order." })

interface CallOrdersShape {
  /** In which order a campaign calls its contacts. Fails with NotFound where that was never said. */
  readonly find: (organizationId: string, campaignId: string) => Effect.Effect<CallOrder, NotFound | PortError>
  /** Replaces it. Fails with Malformed where it says nothing, StateConflict of a campaign that cannot be edited. */
  readonly set: (caller: Caller, campaignId: string, asked: AskedCallOrder) => Effect.Effect<CallOrder, EngineError>
  /** Takes it away. Fails with NotFound where there is none. */
  readonly remove: (caller: Caller, campaignId: string) => Effect.Effect<void, EngineError>
}

/** In which order campaigns call their contacts, as customers set it (docs/guides/campaign-order.md). */
export class CallOrders extends Context.Service<CallOrders, CallOrdersShape>()("@carillon/core/campaigns/CallOrders") {
  static readonly layer = Layer.effect(
    CallOrders,
    Effect.gen(function* () {
      const steps = yield* Steps

      return CallOrders.of({
        find: Effect.fnUntraced(function* (organizationId, campaignId) {
          const { call_order } = yield* steps.look(() => campaignOf(organizationId, campaignId))
          return call_order ?? (yield* noOrder)
        }),
        set: Effect.fnUntraced(function* (caller, campaign_id, asked) {
          const setting = yield* Effect.fromResult(writtenCallOrder(asked))
          return yield* steps.take(setCallOrder, { caller, campaign_id, setting })
        }),
        remove: Effect.fnUntraced(function* (caller, campaign_id) {
          if (!(yield* steps.take(removeCallOrder, { caller, campaign_id }))) return yield* noOrder
        }),
      })
    }),
  )
}
