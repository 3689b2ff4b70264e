import { remove, write } from "../../engine/rules/Outcome.ts"
import { byKey, refuse } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { NotFound } from "../../Errors.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"

/** A provider of an organization by its name. */
export function* providerOf(organizationId: string, providerName: string) {
  const provider = yield* byKey("provider", organizationId, providerName)
  return provider ?? (yield* refuse(new NotFound({ message: "Provider not found." })))
}

/** A caller has a credential forgotten. */
export const removeProvider = step({
  name: "provider.delete",
  reads: ({ caller, provider_name }: ByCaller & { readonly provider_name: string }) =>
    providerOf(caller.organization_id, provider_name),
  decide(_, provider) {
    const resource = { type: "provider", id: provider.provider_id }
    return write([remove("provider", provider)], { audit: [{ resource }], reply: provider })
  },
})
