import { refuse, row } from "../../engine/steps/Reading.ts"
import { KeyInactive } from "../../Errors.ts"
import type { Caller } from "../rules/Caller.ts"

/** The caller's own key as it stands: one that is revoked or gone gets no further here, though a process may still have it cached. */
export function* holder({ key, organization_id }: Caller) {
  const own = yield* row("api_key", key.key_id, { of: organization_id })
  if (own === null || own.status === "inactive") return yield* refuse(new KeyInactive())
  return own
}

/** Whether a caller's key was revoked. One without a row is its host's own, who judges it. */
export function* isRevoked({ key, organization_id }: Caller) {
  const own = yield* row("api_key", key.key_id, { of: organization_id })
  return own?.status === "inactive"
}
