import { Result } from "effect"
import { put, refused, unchanged, write } from "../../engine/rules/Outcome.ts"
import { orRefuse, row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { InvalidField, NotFound } from "../../Errors.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { limits } from "../../Limits.ts"
import { fits } from "../../Measure.ts"
import type { SuppressionScope } from "../rules/Callee.ts"
import { type HoursEntry, type HoursSetting, isOfScope } from "../rules/HoursRow.ts"
import { knownScope } from "./ScopeReads.ts"
import { readCalleeHours, type WrittenCalleeHours } from "../rules/WrittenHours.ts"

/** Callee hours of a scope as somebody wants them. */
export interface HoursRequest extends WrittenCalleeHours {
  readonly enabled: boolean
  /** Null: no call variable names a contact's own zone. */
  readonly timezone_column: string | null
}

interface OfScope extends ByCaller {
  readonly scope: SuppressionScope
}

/** Why something is refused that names hours. */
export const noSuchHours = new NotFound({ message: "There are no callee hours of this scope." })

const recorded = ({ agent_id, campaign_id }: SuppressionScope) => ({
  resource: { type: "callee_hours", id: null },
  details: { agent_id, campaign_id },
})

/** Why an organization cannot have hours of a scope beside those that it has of others; null where it can. */
const tooMuch = (others: ReadonlyArray<HoursEntry>, entry: Omit<HoursEntry, "updated_at">): InvalidField | null => {
  if (others.length >= limits.calleeHoursScopes) {
    const reason = `must be one of at most ${limits.calleeHoursScopes} that have callee hours`
    return new InvalidField({ field: "campaign_id", reason })
  }
  if (fits([...others, entry], limits.calleeHoursBytes)) return null
  const reason = `make the callee hours of the organization larger than ${limits.calleeHoursBytes} bytes`
  return new InvalidField({ field: "countries", reason })
}

/** A caller says in which hours callees may be called, for the calls of a scope. */
export const setHours = step({
  name: "callee_hours.update",
  *reads({ caller, request, scope }: OfScope & { readonly request: HoursRequest }) {
    const { organization_id } = caller
    yield* knownScope(organization_id, scope)
    const hours = yield* orRefuse(Result.mapError(readCalleeHours(request), (fault) => new InvalidField(fault)))
    return { setting: yield* row("callee_hours", organization_id), hours }
  },
  decide({ caller, request, scope }, { hours, setting }, { now }) {
    const others = (setting?.entries ?? []).filter((each) => !isOfScope(each, scope))
    const { agent_id, campaign_id } = scope
    const { enabled, timezone_column } = request
    const entry = { agent_id, campaign_id, enabled, timezone_column, hours }
    const fault = tooMuch(others, entry)
    if (fault !== null) return refused(fault)
    const written = { ...entry, updated_at: now }
    const { organization_id } = caller
    const before: HoursSetting = setting ?? { organization_id, revision: 0, entries: [] }
    const change = put("callee_hours", setting, { ...before, entries: [...others, written] })
    return write([change], { audit: [recorded(scope)], reply: written })
  },
})

/** A caller takes the callee hours of a scope away. */
export const removeHours = step({
  name: "callee_hours.delete",
  *reads({ caller, scope }: OfScope) {
    yield* knownScope(caller.organization_id, scope)
    return yield* row("callee_hours", caller.organization_id)
  },
  decide({ scope }, setting) {
    const entries = (setting?.entries ?? []).filter((each) => !isOfScope(each, scope))
    if (setting === null || entries.length === setting.entries.length) return unchanged(false)
    return write([put("callee_hours", setting, { ...setting, entries })], { audit: [recorded(scope)], reply: true })
  },
})
