import { Effect } from "effect"
import type { CalleesShape } from "../callees/Callees.ts"
import { bindingOf } from "../callees/rules/HoursRow.ts"
import type { Call } from "./rules/Call.ts"
import { ringTime } from "./rules/PlaceCall.ts"
import type { BindingAgents } from "./rules/DialGrounds.ts"

/** When a call is wanted to ring, in epoch milliseconds, and whether its hours are read whatever was met. */
export type AskedRing = readonly [call: Call, agents: BindingAgents, at: number, isSure?: boolean]

/**
 * When a call may ring that is wanted at `at`, and the hours of its callee that it rests on. Where it is dialled then, they are those that the
 * process has met: the commit of the dial has the last word. No commit speaks for a call that is moved or refused, so it is judged by hours that
 * are read whatever was met, as all are with `isSure`.
 */
export const ringHours = Effect.fnUntraced(function* (
  callees: CalleesShape,
  ...[call, [control, agent], at, isSure = false]: AskedRing
) {
  const asked = { campaign_id: call.campaign_id, agent_id: control.agent_id }
  const look = (read: CalleesShape["hours"]) =>
    Effect.map(read(call.organization_id), (hours) => {
      const binding = call.overrides_callee_hours === true ? [] : bindingOf(hours.setting, asked, call)
      return { hours, binding, ring: ringTime([control, agent], call.execution_id, at, binding) }
    })
  if (isSure) return yield* look(callees.sureHours)
  const met = yield* look(callees.hours)
  return met.hours.setting !== null || met.ring?.deferred === false ? met : yield* look(callees.sureHours)
})
