import { Context, type Effect } from "effect"
import type { PortError } from "../Errors.ts"
import type { AuditRecord } from "./AuditChain.ts"

/** Reads of the audit trail: one chain per organization. Records are appended by commits only. */
export class AuditStore extends Context.Service<
  AuditStore,
  {
    /** Records in chain order after the given sequence number (0: from the start). */
    readonly after: (
      organizationId: string,
      sequence: number,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<AuditRecord>, PortError>
  }
>()("@carillon/core/audit/AuditStore") {}
