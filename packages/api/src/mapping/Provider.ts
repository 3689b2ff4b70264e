import { shownValue, Timestamp } from "@carillon/core/domain"
import type { Provider as DomainProvider } from "@carillon/core/ports"
import type { Provider } from "../Providers.ts"

/** A provider as it is answered, never with its value. */
export const toWireProvider = (provider: DomainProvider): Provider => ({
  provider_id: provider.provider_id,
  provider_name: provider.provider_name,
  provider_value_preview: shownValue(provider),
  created_at: Timestamp.formatUtc(provider.created_at),
})
