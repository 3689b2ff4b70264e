import { Context, Effect, Layer } from "effect"
import { nextTurn } from "../engine/ports/Pacing.ts"
import { Pieces } from "../engine/Pieces.ts"
import { type EngineError, NotFound, type PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import {
  type AuditRecord,
  beginVerification,
  type ChainReport,
  endVerification,
  type ExpectedTail,
  verifyNext,
} from "./rules/AuditChain.ts"
import { type AuditFilter, AuditStore } from "./ports/AuditStore.ts"

interface AuditTrailShape {
  readonly find: (organizationId: string, eventId: string) => Effect.Effect<AuditRecord, EngineError>
  readonly page: (
    organizationId: string,
    filter: AuditFilter,
    page: PageRequest,
  ) => Effect.Effect<Page<AuditRecord>, PortError>
  /** Verifies the whole chain of an organization, a page of records at a time, up to the first that does not hold. */
  readonly verify: (organizationId: string, expected: ExpectedTail) => Effect.Effect<ChainReport, PortError>
}

/** The audit trail as its readers see it (decisions.md, "Other resources"). */
export class AuditTrail extends Context.Service<AuditTrail, AuditTrailShape>()("@carillon/core/audit/AuditTrail") {
  static readonly layer = Layer.effect(
    AuditTrail,
    Effect.gen(function* () {
      const store = yield* AuditStore
      const pieces = yield* Pieces

      const verify: AuditTrailShape["verify"] = Effect.fnUntraced(function* (organizationId, expected) {
        const origin = yield* store.origin(organizationId)
        let state = beginVerification(expected, origin)
        for (let { sequence } = origin; ;) {
          const records = yield* pieces.piece(organizationId, store.after(organizationId, sequence, limits.auditPage))
          // A long chain, or many that are verified at once, must not keep the process from everything else.
          yield* nextTurn
          for (const record of records) {
            state = verifyNext(state, record)
            if (state.fault !== null) return endVerification(state)
          }
          if (records.length < limits.auditPage) return endVerification(state)
          sequence += records.length
        }
      })

      return AuditTrail.of({
        find: (organizationId, eventId) =>
          Effect.flatMap(store.find(organizationId, eventId), (record) =>
            record === null ? Effect.fail(new NotFound({ message: "Audit event not found." })) : Effect.succeed(record),
          ),
        page: store.page,
        verify,
      })
    }),
  )
}
