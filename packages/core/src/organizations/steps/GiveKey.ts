import { put, write } from "../../engine/rules/Outcome.ts"
import { glance } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import type { KeptText } from "../../keys/rules/KeptText.ts"
import { scopes } from "../../keys/rules/ScopePolicy.ts"
import { hostsKey } from "../rules/HostsKey.ts"
import { organizationRowOf } from "./OrganizationReads.ts"

/** The host gives an organization one more key that holds every scope: for one that has lost its keys. */
export const giveKey = step({
  name: "organization.give_key",
  reads: ({ organization_id }: ByEngine & { readonly name: string; readonly kept: KeptText }) =>
    glance("earlier", "The key has the plan that the organization had.", organizationRowOf(organization_id)),
  decide({ kept, name, organization_id }, organization, at) {
    const developer = { id: at.mint("developer", organization_id), name: organization.name }
    const change = put("api_key", null, hostsKey(organization, kept, { developer, description: name, at: at.now }))
    const resource = { type: "api_key", id: kept.key_id }
    const audit = [{ action: "api_key.create", resource, details: { scopes: [...scopes] } }]
    return write([change], { audit, reply: change.row })
  },
})
