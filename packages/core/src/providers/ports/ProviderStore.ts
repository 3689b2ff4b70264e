import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { Page, PageRequest } from "../../Pagination.ts"
import type { Provider } from "../rules/Provider.ts"

/** Reads of provider credentials. */
export class ProviderStore extends Context.Service<
  ProviderStore,
  {
    readonly find: (organizationId: string, providerName: string) => Effect.Effect<Provider | null, PortError>
    /** Newest first. */
    readonly page: (organizationId: string, page: PageRequest) => Effect.Effect<Page<Provider>, PortError>
    /** Up to `limit` of them in ascending order of their ids, after the given one. */
    readonly after: (
      organizationId: string,
      after: string | null,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Provider>, PortError>
  }
>()("@carillon/core/providers/ProviderStore") {}
