import { put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { ask, row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { organizationSecretPlace } from "../rules/Kept.ts"
import { foundIn, nothing, renewed } from "./Renewal.ts"

/** Brings the secret of an organization under the first key; one that is gone meanwhile had nothing to renew. */
export const resealOrganization = step({
  name: "secrets.reseal_organization",
  *reads({ organization_id }: ByEngine) {
    const before = yield* row("organization", organization_id)
    if (before === null) return null
    const { webhook_secret: sealed } = before
    const all = yield* ask(renewed, sealed === null ? [] : [{ sealed, place: organizationSecretPlace(before) }])
    return { before, all }
  },
  decide(_, seen) {
    if (seen === null) return unchanged(nothing)
    const { all, before } = seen
    const found = foundIn(all)
    if (found.resealed === 0) return unchanged(found)
    const webhook_secret = all[0]?.text ?? before.webhook_secret
    return write([put("organization", before, { ...before, webhook_secret })], { reply: found })
  },
})
