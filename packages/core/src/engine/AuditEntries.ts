import { Context, Effect, Layer } from "effect"
import { DomainClock } from "./ports/DomainClock.ts"
import { Ids } from "./ports/Ids.ts"
import { type By, organizationOf } from "./rules/By.ts"
import type { AuditEntry, Recorded } from "./rules/AuditEntry.ts"

/** Makes the entries of the audit trail: each has an id, who did it, and when. */
export class AuditEntries extends Context.Service<
  AuditEntries,
  { readonly of: (by: By, recorded: Recorded & Pick<AuditEntry, "action">) => AuditEntry }
>()("@carillon/core/engine/AuditEntries") {
  static readonly layer = Layer.effect(
    AuditEntries,
    Effect.gen(function* () {
      const clock = yield* DomainClock
      const ids = yield* Ids
      let nth = 0

      return AuditEntries.of({
        of: (by, { action, details = {}, error_code = null, http_status, outcome = "allowed", resource }) => {
          const organization_id = organizationOf(by)
          const caller = "caller" in by ? by.caller : null
          return {
            event_id: ids.mint("audit", organization_id, nth++),
            organization_id,
            actor: caller === null ? { type: "system", key_id: null } : { type: "api_key", key_id: caller.key.key_id },
            request_id: caller?.request_id ?? null,
            created_at: clock.now(),
            action,
            resource,
            outcome,
            error_code,
            http_status: http_status === undefined ? (caller?.success_status ?? null) : http_status,
            details,
          }
        },
      })
    }),
  )
}
