import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { Page, PageRequest } from "../../Pagination.ts"
import type { ApiKey } from "../rules/ApiKey.ts"

/** Reads of API keys. */
export class KeyStore extends Context.Service<
  KeyStore,
  {
    /** Looks a key up by the SHA-256 of its text (lower-case hex). */
    readonly findByHash: (hash: string) => Effect.Effect<ApiKey | null, PortError>
    readonly find: (organizationId: string, keyId: string) => Effect.Effect<ApiKey | null, PortError>
    /** Newest first, revoked keys included. */
    readonly page: (organizationId: string, page: PageRequest) => Effect.Effect<Page<ApiKey>, PortError>
  }
>()("@carillon/core/keys/KeyStore") {}
