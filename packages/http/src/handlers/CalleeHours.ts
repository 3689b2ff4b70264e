import { type DeletedCalleeHours, toWireCalleeHours, toWireChecked, toWirePresets } from "@carillon/api"
import { HoursSettings } from "@carillon/core"
import { DomainClock } from "@carillon/core/ports"
import { Effect } from "effect"
import type { HandlersOf } from "../Handler.ts"
import { instantOrNull } from "./CampaignBodies.ts"

/** The call variable that names a contact's own zone, where nothing else is said. */
const usualColumn = "timezone"

/** The hours in which callees may be called. */
export const calleeHoursHandlers = Effect.gen(function* () {
  const hours = yield* HoursSettings
  const clock = yield* DomainClock

  const handlers: HandlersOf<"calleeHours"> = {
    "calleeHours.get": ({ caller, query: { agent_id = null, campaign_id = null } }) =>
      Effect.map(hours.find(caller.organization_id, { agent_id, campaign_id }), (entry) => ({
        status: 200,
        body: toWireCalleeHours(entry, clock.now()),
      })),
    "calleeHours.set": ({ caller, payload, query: { agent_id = null, campaign_id = null } }) => {
      const { enabled = true, timezone_column = usualColumn } = payload
      const request = { ...payload, enabled, timezone_column }
      return Effect.map(hours.set(caller, { agent_id, campaign_id }, request), (entry) => ({
        status: 200,
        body: toWireCalleeHours(entry, clock.now()),
      }))
    },
    "calleeHours.remove": ({ caller, query: { agent_id = null, campaign_id = null } }) =>
      Effect.map(hours.remove(caller, { agent_id, campaign_id }), () => ({
        status: 200,
        body: { deleted: true } satisfies DeletedCalleeHours,
      })),
    "calleeHours.presets": () => Effect.sync(() => ({ status: 200, body: toWirePresets(clock.now()) })),
    "calleeHours.check": Effect.fnUntraced(function* ({ caller, payload }) {
      const { agent_id = null, at = null, campaign_id = null, to_numbers } = payload
      const moment = yield* instantOrNull("at", at)
      const scope = { agent_id, campaign_id }
      const checked = yield* hours.check(caller.organization_id, scope, to_numbers, moment)
      return { status: 200, body: toWireChecked(checked) }
    }),
  }
  return handlers
})
