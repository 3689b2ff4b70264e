import { callOrderAsked, type DeletedCallOrder, toWireCallOrder } from "@carillon/api"
import { CallOrders } from "@carillon/core"
import { Effect } from "effect"
import type { HandlersOf } from "../Handler.ts"

/** In which order campaigns call their contacts. */
export const callOrderHandlers = Effect.gen(function* () {
  const orders = yield* CallOrders

  const handlers: HandlersOf<"callOrders"> = {
    "callOrders.get": ({ caller, params }) =>
      Effect.map(orders.find(caller.organization_id, params.campaign_id), (found) => ({
        status: 200,
        body: toWireCallOrder(found),
      })),
    "callOrders.set": ({ caller, params, payload }) =>
      Effect.map(orders.set(caller, params.campaign_id, callOrderAsked(payload)), (set) => ({
        status: 200,
        body: toWireCallOrder(set),
      })),
    "callOrders.remove": ({ caller, params }) =>
      Effect.map(orders.remove(caller, params.campaign_id), () => ({
        status: 200,
        body: { deleted: true } satisfies DeletedCallOrder,
      })),
  }
  return handlers
})
