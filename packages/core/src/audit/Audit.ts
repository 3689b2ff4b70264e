import { Context, Effect, Layer } from "effect"
import { Steps } from "../engine/Steps.ts"
import type { PortError } from "../Errors.ts"
import type { JsonObject } from "../Json.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import { AuditEntries } from "../engine/AuditEntries.ts"
import type { AuditEntry } from "../engine/rules/AuditEntry.ts"
import { recordRefusal } from "./steps/RecordRefusal.ts"

/** What a write records of itself. */
export interface AuditedAction {
  /** A verb on a noun: `call.create`. */
  readonly action: string
  readonly resource: { readonly type: string; readonly id: string | null }
  readonly details?: JsonObject
  /** With which status it is answered, where that is not the one of its route; null where it is not known yet. */
  readonly http_status?: number | null
}

interface AuditShape {
  /** The entry of a write that is allowed, to be put into the write's own commit. */
  readonly allowed: (caller: Caller, action: AuditedAction) => AuditEntry
  /** The entry of what the engine does of its own accord, to be put into the commit that does it. */
  readonly bySystem: (organizationId: string, action: AuditedAction) => AuditEntry
  /** Records a request refused for want of a scope (403). */
  readonly denied: (
    caller: Caller,
    request: { readonly action: string; readonly route: string; readonly scope: string },
  ) => Effect.Effect<void, PortError>
  /** Records a write that failed in its state (409) or for a dependency (5xx). */
  readonly failed: (
    caller: Caller,
    request: { readonly action: string; readonly route: string; readonly code: number; readonly status: number },
  ) => Effect.Effect<void, PortError>
}

/** Makes audit entries (decisions.md, "Other resources"): every write and every scope denial, never numbers, secrets or bodies. */
export class Audit extends Context.Service<Audit, AuditShape>()("@carillon/core/audit/Audit") {
  static readonly layer = Layer.effect(
    Audit,
    Effect.gen(function* () {
      const entries = yield* AuditEntries
      const steps = yield* Steps

      return Audit.of({
        bySystem: (organization_id, recorded) => entries.of({ organization_id }, recorded),
        allowed: (caller, recorded) => entries.of({ caller }, recorded),
        denied: (caller, { action, route, scope }) =>
          steps.take(recordRefusal, {
            caller,
            refusal: {
              action,
              resource: { type: "route", id: route },
              outcome: "denied",
              error_code: 1102,
              http_status: 403,
              details: { scope },
            },
          }),
        failed: (caller, { action, route, code, status }) =>
          steps.take(recordRefusal, {
            caller,
            refusal: {
              action,
              resource: { type: "route", id: route },
              outcome: "failed",
              error_code: code,
              http_status: status,
              details: {},
            },
          }),
      })
    }),
  )
}
