import { Equal } from "effect"
import { type Outcome, put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { ask, refuse } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { organizationSecretPlace } from "../../secrets/rules/Kept.ts"
import { sealed } from "../../secrets/steps/Sealing.ts"
import type { Organization } from "../rules/Organization.ts"
import { organizationRowOf } from "./OrganizationReads.ts"
import { changesFault } from "../rules/TenantWords.ts"

/** What a host may change of a tenant. */
export type OrganizationChanges = Partial<
  Pick<Organization, "name" | "plan" | "wallet" | "concurrency" | "webhook_secret" | "retention_days">
>

/** What becomes of the tenant: what is not named stays, and so does what a host may not change. */
const changed = (organization: Organization, wanted: OrganizationChanges): Organization => ({
  ...organization,
  name: wanted.name ?? organization.name,
  plan: wanted.plan ?? organization.plan,
  wallet: wanted.wallet ?? organization.wallet,
  concurrency: wanted.concurrency ?? organization.concurrency,
  webhook_secret: wanted.webhook_secret === undefined ? organization.webhook_secret : wanted.webhook_secret,
  ...(wanted.retention_days === undefined ? {} : { retention_days: wanted.retention_days }),
})

/** The names of what becomes another one. Its values are not for the audit trail: one of them is a secret. */
const changedFields = (before: Organization, after: Organization): ReadonlyArray<string> => {
  const fields = ["name", "plan", "wallet", "concurrency", "webhook_secret", "retention_days"] as const
  return fields.filter((field) => !Equal.equals(after[field], before[field]))
}

/** The host changes a tenant; what depends on how it stands is a function of it. */
export const changeOrganization = step({
  name: "organization.change",
  *reads({
    changes,
    organization_id,
  }: ByEngine & { readonly changes: OrganizationChanges | ((organization: Organization) => OrganizationChanges) }) {
    const organization = yield* organizationRowOf(organization_id)
    const wanted = typeof changes === "function" ? changes(organization) : changes
    const fault = changesFault(wanted)
    if (fault !== null) return yield* refuse(fault)
    const { webhook_secret: text } = wanted
    // A secret that is handed back as it was read is sealed already.
    if (text === undefined || text === null || text === organization.webhook_secret) return { organization, wanted }
    const [webhook_secret = text] = yield* ask(sealed, [{ text, place: organizationSecretPlace(organization) }])
    return { organization, wanted: { ...wanted, webhook_secret } }
  },
  decide({ organization_id }, { organization, wanted }): Outcome<Organization> {
    const after = changed(organization, wanted)
    const fields = changedFields(organization, after)
    if (fields.length === 0) return unchanged(organization)
    const change = put("organization", organization, after)
    const resource = { type: "organization", id: organization_id }
    return write([change], { audit: [{ resource, details: { fields } }], reply: change.row })
  },
})
