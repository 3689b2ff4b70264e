import { type DeletedCallCaps, toWireCallCaps } from "@carillon/api"
import { CallCapsSettings } from "@carillon/core"
import { Effect } from "effect"
import type { HandlersOf } from "../Handler.ts"

/** How often one number may be called. */
export const callCapsHandlers = Effect.gen(function* () {
  const caps = yield* CallCapsSettings

  const handlers: HandlersOf<"callCaps"> = {
    "callCaps.get": ({ caller }) =>
      Effect.map(caps.find(caller.organization_id), (found) => ({ status: 200, body: toWireCallCaps(found) })),
    "callCaps.set": ({ caller, payload }) => {
      const { minimum_rest_seconds = null, per_day = null, per_thirty_days = null, per_week = null } = payload
      const asked = { per_day, per_week, per_thirty_days, minimum_rest_seconds }
      return Effect.map(caps.set(caller, asked), (set) => ({ status: 200, body: toWireCallCaps(set) }))
    },
    "callCaps.remove": ({ caller }) =>
      Effect.map(caps.remove(caller), () => ({ status: 200, body: { deleted: true } satisfies DeletedCallCaps })),
  }
  return handlers
})
