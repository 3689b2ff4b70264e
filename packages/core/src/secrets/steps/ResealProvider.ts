import { put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { ask, row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { shownValue } from "../../providers/rules/Provider.ts"
import { providerValuePlace } from "../rules/Kept.ts"
import { foundIn, nothing, renewed } from "./Renewal.ts"

/** Brings the value of a provider under the first key; one that is gone meanwhile had nothing to renew. */
export const resealProvider = step({
  name: "secrets.reseal_provider",
  *reads({ organization_id, provider_id }: ByEngine & { readonly provider_id: string }) {
    const before = yield* row("provider", provider_id, { of: organization_id })
    if (before === null) return null
    const all = yield* ask(renewed, [{ sealed: before.provider_value, place: providerValuePlace(before) }])
    return { before, all }
  },
  decide(_, seen) {
    if (seen === null) return unchanged(nothing)
    const { all, before } = seen
    const found = foundIn(all)
    if (found.resealed === 0) return unchanged(found)
    const provider_value = all[0]?.text ?? before.provider_value
    const after = { ...before, provider_value, provider_value_preview: shownValue(before) }
    return write([put("provider", before, after)], { reply: found })
  },
})
