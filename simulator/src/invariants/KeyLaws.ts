import type { ApiKey } from "@carillon/core"
import type { Commit } from "@carillon/core/ports"
import type { Invariants } from "./Invariants.ts"

const ofKeys: ReadonlySet<string> = new Set(["api_key.create", "api_key.revoke"])

/** The law of who mints and revokes keys: judged at every commit that does. Returns the observer of commits. */
export const keyLaws = (
  invariants: Invariants,
  keysOf: (organizationId: string) => ReadonlyMap<string, Pick<ApiKey, "status">>,
): ((commit: Pick<Commit, "audit">) => void) => {
  const s21 = invariants.open({
    name: "S21",
    description: "No key is minted or revoked by one that was revoked before.",
  })

  return ({ audit }) => {
    for (const { action, actor, organization_id, outcome, resource } of audit) {
      if (!ofKeys.has(action) || outcome !== "allowed" || actor.key_id === null) continue
      // Nobody revokes the own key, so what it is after the commit it was before.
      const status = keysOf(organization_id).get(actor.key_id)?.status
      s21(
        status === "active",
        () => `${action} of ${resource.id} by ${actor.key_id}, which is ${status ?? "not there"}`,
      )
    }
  }
}
