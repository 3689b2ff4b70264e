import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { Page, PageRequest } from "../../Pagination.ts"
import type { AuditRecord, ChainHead } from "../rules/AuditChain.ts"

/** Filters of the audit trail; everything given must hold. Dates are epoch milliseconds, inclusive. */
export interface AuditFilter {
  readonly action?: string
  /** The id of the key that acted. */
  readonly actor?: string
  readonly resource_type?: string
  readonly resource_id?: string
  readonly outcome?: AuditRecord["outcome"]
  readonly from_date?: number
  readonly to_date?: number
}

/** Reads of the audit trail: one chain per organization. Records are appended by commits only. */
export class AuditStore extends Context.Service<
  AuditStore,
  {
    /** Where the records begin that are kept: the empty chain, but where a host forgets its oldest records. */
    readonly origin: (organizationId: string) => Effect.Effect<ChainHead, PortError>
    /** Records in chain order after the given sequence number. */
    readonly after: (
      organizationId: string,
      sequence: number,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<AuditRecord>, PortError>
    readonly find: (organizationId: string, eventId: string) => Effect.Effect<AuditRecord | null, PortError>
    /** Newest first. */
    readonly page: (
      organizationId: string,
      filter: AuditFilter,
      page: PageRequest,
    ) => Effect.Effect<Page<AuditRecord>, PortError>
  }
>()("@carillon/core/audit/AuditStore") {}
