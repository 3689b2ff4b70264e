import { put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import type { CallCaps, CallCapsSetting } from "../rules/CallCaps.ts"
import type { HoursSetting } from "../rules/HoursRow.ts"

const recorded = { resource: { type: "call_caps", id: null }, details: {} }

/** A caller says how often one number may be called. */
export const setCallCaps = step({
  name: "call_caps.update",
  *reads({ caller }: ByCaller & { readonly caps: CallCapsSetting }) {
    return yield* row("callee_hours", caller.organization_id)
  },
  decide({ caller: { organization_id }, caps }, setting, { now }) {
    const { minimum_rest_seconds, per_day, per_thirty_days, per_week } = caps
    const written: CallCaps = { per_day, per_week, per_thirty_days, minimum_rest_seconds, updated_at: now }
    const before: HoursSetting = setting ?? { organization_id, revision: 0, entries: [] }
    return write([put("callee_hours", setting, { ...before, caps: written })], { audit: [recorded], reply: written })
  },
})

/** A caller takes the call caps away. Nothing is counted from then on; what was counted stays in the rows of the numbers. */
export const removeCallCaps = step({
  name: "call_caps.delete",
  *reads({ caller }: ByCaller) {
    return yield* row("callee_hours", caller.organization_id)
  },
  decide(_input, setting) {
    if (setting?.caps === undefined) return unchanged(false)
    const { caps: _caps, ...without } = setting
    return write([put("callee_hours", setting, without)], { audit: [recorded], reply: true })
  },
})
