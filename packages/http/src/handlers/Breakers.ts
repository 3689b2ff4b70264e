import { breakerAsked, type DeletedBreaker, toWireBreaker } from "@carillon/api"
import { Breakers } from "@carillon/core"
import { Effect } from "effect"
import type { HandlersOf } from "../Handler.ts"

/** When campaigns pause themselves. */
export const breakerHandlers = Effect.gen(function* () {
  const breakers = yield* Breakers

  const handlers: HandlersOf<"breakers"> = {
    "breakers.get": ({ caller, params }) =>
      Effect.map(breakers.find(caller.organization_id, params.campaign_id), (found) => ({
        status: 200,
        body: toWireBreaker(found),
      })),
    "breakers.set": ({ caller, params, payload }) =>
      Effect.map(breakers.set(caller, params.campaign_id, breakerAsked(payload)), (set) => ({
        status: 200,
        body: toWireBreaker(set),
      })),
    "breakers.remove": ({ caller, params }) =>
      Effect.map(breakers.remove(caller, params.campaign_id), () => ({
        status: 200,
        body: { deleted: true } satisfies DeletedBreaker,
      })),
  }
  return handlers
})
