import type { JsonObject } from "../../Json.ts"

/** How what is recorded came out: done, refused for want of a scope, or failed in its state or for a dependency. */
export const auditOutcomes = ["allowed", "denied", "failed"] as const

/** What a step wants recorded; the store turns it into the next record of the organization's chain within the same commit. */
export interface AuditEntry {
  readonly event_id: string
  readonly organization_id: string
  readonly actor: { readonly type: "api_key" | "system"; readonly key_id: string | null }
  /** A verb on a noun: `call.create`, `api_key.revoke`, `scope.denied`. */
  readonly action: string
  readonly resource: { readonly type: string; readonly id: string | null }
  readonly outcome: (typeof auditOutcomes)[number]
  readonly error_code: number | null
  readonly http_status: number | null
  readonly request_id: string | null
  /** Never phone numbers, secrets or bodies. */
  readonly details: JsonObject
  readonly created_at: number
}

/** What a step says of itself for the trail; all else has a default, and who did it and when is known. */
export type Recorded = Pick<AuditEntry, "resource"> &
  Partial<Pick<AuditEntry, "action" | "outcome" | "error_code" | "http_status" | "details">>
