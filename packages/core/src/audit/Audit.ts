import { Context, Effect, Layer } from "effect"
import { DomainClock } from "../engine/DomainClock.ts"
import { Ids } from "../engine/Ids.ts"
import { Steps } from "../engine/Steps.ts"
import type { PortError } from "../Errors.ts"
import type { JsonObject } from "../Json.ts"
import type { Caller } from "../keys/Caller.ts"
import type { AuditEntry } from "./AuditEntry.ts"

/** What a write records of itself. */
export interface AuditedAction {
  /** A verb on a noun: `call.create`. */
  readonly action: string
  readonly resource: { readonly type: string; readonly id: string | null }
  readonly details?: JsonObject
  /** With which status it is answered, where that is not the one of its route; null where it is not known yet. */
  readonly http_status?: number | null
}

type Recorded = Pick<AuditEntry, "action" | "resource" | "outcome" | "error_code" | "http_status" | "details">

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
      const clock = yield* DomainClock
      const ids = yield* Ids
      const steps = yield* Steps
      let nth = 0

      const entry = (caller: Caller, rest: Recorded): AuditEntry => ({
        event_id: ids.mint("audit", caller.organization_id, nth++),
        organization_id: caller.organization_id,
        actor: { type: "api_key", key_id: caller.key.key_id },
        request_id: caller.request_id,
        created_at: clock.now(),
        ...rest,
      })

      const append = (caller: Caller, rest: Recorded) =>
        Effect.suspend(() => steps.commit({ organization_id: caller.organization_id, audit: [entry(caller, rest)] }))

      return Audit.of({
        bySystem: (organization_id, { action, resource, details = {} }) => ({
          event_id: ids.mint("audit", organization_id, nth++),
          organization_id,
          actor: { type: "system", key_id: null },
          request_id: null,
          created_at: clock.now(),
          action,
          resource,
          outcome: "allowed",
          error_code: null,
          http_status: null,
          details,
        }),
        allowed: (caller, { action, resource, details = {}, http_status = caller.success_status ?? null }) =>
          entry(caller, { action, resource, details, outcome: "allowed", error_code: null, http_status }),
        denied: (caller, { action, route, scope }) =>
          append(caller, {
            action,
            resource: { type: "route", id: route },
            outcome: "denied",
            error_code: 1102,
            http_status: 403,
            details: { scope },
          }),
        failed: (caller, { action, route, code, status }) =>
          append(caller, {
            action,
            resource: { type: "route", id: route },
            outcome: "failed",
            error_code: code,
            http_status: status,
            details: {},
          }),
      })
    }),
  )
}
