import type { AuditEntry } from "@carillon/core/ports"
import { expect, test } from "vitest"
import { Invariants } from "../../src/invariants/Invariants.ts"
import { keyLaws } from "../../src/invariants/KeyLaws.ts"

const entry: AuditEntry = {
  event_id: "evt_1",
  organization_id: "org_1",
  actor: { type: "api_key", key_id: "key_1" },
  action: "api_key.create",
  resource: { type: "api_key", id: "key_2" },
  outcome: "allowed",
  error_code: null,
  http_status: null,
  request_id: null,
  details: {},
  created_at: 0,
}

test.each([
  ["a key that is there mints", "active", entry, 0],
  ["a key that was revoked mints", "inactive", entry, 1],
  ["a key that was revoked revokes", "inactive", { ...entry, action: "api_key.revoke" }, 1],
  ["a key that was revoked is refused", "inactive", { ...entry, outcome: "denied" }, 0],
  ["a key that was revoked places a call while it is cached", "inactive", { ...entry, action: "call.create" }, 0],
] as const)("S21: %s", (_, status, audited, violations) => {
  const invariants = new Invariants(() => 0)
  keyLaws(invariants, () => new Map([["key_1", { status }]]))({ audit: [audited] })
  expect(invariants.violations).toHaveLength(violations)
})
