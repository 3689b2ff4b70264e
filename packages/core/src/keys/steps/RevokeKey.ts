import { put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { all, refuse, row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { NotFound, StateConflict } from "../../Errors.ts"
import type { ApiKey } from "../rules/ApiKey.ts"
import type { ByCaller } from "../rules/Caller.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { holder } from "./Holder.ts"

interface OfKey {
  readonly key_id: string
}

function* keyOf(organizationId: string, keyId: string) {
  const key = yield* row("api_key", keyId, { of: organizationId })
  return key ?? (yield* refuse(new NotFound({ message: "API key not found." })))
}

/** The key, revoked; revoking it again changes nothing. */
const revoked = (key: ApiKey, now: number) => {
  if (key.status === "inactive") return unchanged(key)
  const change = put("api_key", key, { ...key, status: "inactive", revoked_at: now })
  const audit = [{ action: "api_key.revoke", resource: { type: "api_key", id: key.key_id } }]
  return write([change], { audit, reply: change.row })
}

/** A caller revokes a key of its organization, but not its own. */
export const revokeKey = step({
  name: "api_key.revoke",
  *reads({ caller, key_id }: ByCaller & OfKey) {
    if (key_id === caller.key.key_id) {
      return yield* refuse(new StateConflict({ message: "You cannot revoke the key you are authenticating with." }))
    }
    const [, key] = yield* all(holder(caller), keyOf(caller.organization_id, key_id))
    return key
  },
  decide: (_, key, { now }) => revoked(key, now),
})

/** The host revokes any key of an organization. */
export const takeKey = step({
  name: "organization.revoke_key",
  reads: ({ key_id, organization_id }: ByEngine & OfKey) => keyOf(organization_id, key_id),
  decide: (_, key, { now }) => revoked(key, now),
})
