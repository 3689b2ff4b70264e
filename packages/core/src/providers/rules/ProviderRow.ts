import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import type { Provider } from "./Provider.ts"

export const providerRow: RowDescription<Provider> = {
  id: (provider) => provider.provider_id,
  dependency: "account_service",
  unique: (provider) => provider.provider_name,
}
