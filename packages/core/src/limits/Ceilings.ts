import { Effect } from "effect"
import type { SlotDemand } from "../Changes.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { ceilingsFor, concurrencyDefaults, type ResolvedCeilings, resolveCeilings } from "./rules/SlotLevels.ts"
import { TimedCache } from "./rules/TimedCache.ts"

/** For whom a line is asked. */
export interface LineFor {
  readonly organization_id: string
  readonly agent_id: string
  readonly campaign: { readonly campaign_id: string; readonly max_concurrent_calls: number | null } | null
}

/** What a dial must fit into. */
export const demandsOf = (
  ceilings: ResolvedCeilings,
  { agent_id, campaign, organization_id }: LineFor,
): ReadonlyArray<SlotDemand> => {
  const by = ceilingsFor(ceilings, campaign?.max_concurrent_calls ?? null)
  const levels: Array<SlotDemand> = [
    { level: "platform", key: "platform", ceiling: by.platform },
    { level: "organization", key: organization_id, ceiling: by.organization },
    { level: "agent", key: agent_id, ceiling: by.agent },
  ]
  if (campaign !== null) levels.push({ level: "campaign", key: campaign.campaign_id, ceiling: by.campaign })
  return levels
}

/** The ceilings of organizations, which are remembered for a while; they stay fresh for `neededMs` yet. */
export const makeCeilings = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const clock = yield* DomainClock
  const resolved = new TimedCache<ResolvedCeilings>(limits.cachedOrganizations, limits.cacheMs)

  return Effect.fnUntraced(function* (
    organizationId: string,
    neededMs: number = 0,
  ): Effect.fn.Return<ResolvedCeilings, PortError> {
    const now = clock.now()
    const known = resolved.get(organizationId, now, limits.cacheMs - neededMs)
    if (known !== undefined) return known
    const organization = yield* accounts.organization(organizationId)
    const platform = yield* accounts.platform
    const fresh = resolveCeilings(organization?.concurrency ?? concurrencyDefaults, platform?.concurrency)
    resolved.set(organizationId, fresh, now)
    return fresh
  })
})

export type CeilingsOf = Effect.Success<typeof makeCeilings>
