import { put, refused, write } from "../../engine/rules/Outcome.ts"
import { byKey } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { StateConflict } from "../../Errors.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import type { Provider } from "../rules/Provider.ts"

/** A caller stores a credential, which is sealed, under a name that is not taken. */
export const addProvider = step({
  name: "provider.create",
  reads: ({ caller, provider_name }: ByCaller & Omit<Provider, "organization_id" | "revision" | "created_at">) =>
    byKey("provider", caller.organization_id, provider_name),
  decide({ caller: { organization_id }, ...provider }, known, { now }) {
    if (known !== null) return refused(new StateConflict({ message: "A provider of this name already exists." }))
    const change = put("provider", null, { ...provider, organization_id, revision: 1, created_at: now })
    const resource = { type: "provider", id: provider.provider_id }
    return write([change], { audit: [{ resource }], reply: change.row })
  },
})
