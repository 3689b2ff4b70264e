import type { Caller, Organization } from "@carillon/core"
import {
  type Bucket,
  type ConcurrencyFigures,
  type RateFigures,
  ScopePolicy,
  SlidingWindow,
} from "@carillon/core/domain"
import type { BucketFigures, Identity, Scopes } from "../Identity.ts"
import { routesByScope } from "../Routes.ts"

const wireFigures = (figures: RateFigures): BucketFigures => ({
  limit: figures.limit,
  remaining: figures.remaining,
  reset: figures.resetSeconds,
  window_seconds: SlidingWindow.windowMs / 1000,
})

/** Who the key belongs to and what it may use. */
export const toWireIdentity = (
  { key, organization_id }: Caller,
  organization: Pick<Organization, "plan" | "rate_limit_tier">,
  rates: Readonly<Record<Bucket, RateFigures>>,
  { max, enforced, current, available, levels }: ConcurrencyFigures,
): Identity => ({
  organization_id,
  developer: { id: key.developer.id, name: key.developer.name, key_id: key.key_id, key_preview: key.key_preview },
  plan: organization.plan,
  rate_limit_tier: organization.rate_limit_tier,
  rate_limits: {
    "calls.create": wireFigures(rates["calls.create"]),
    "executions.list": wireFigures(rates["executions.list"]),
    "knowledge.upload": wireFigures(rates["knowledge.upload"]),
    default: wireFigures(rates.default),
  },
  concurrency: {
    max,
    enforced,
    current,
    available,
    levels: { platform: levels.platform, organization: levels.organization, agent: levels.agent },
  },
})

const scopesNote =
  "A route that is listed under no scope needs only a valid key, and so, for now, do those of webhooks:write, which is published ahead of its enforcement."

/** What each scope opens, and what the key holds. */
export const toWireScopes = ({ key, organization_id }: Caller): Scopes => ({
  scopes: ScopePolicy.scopes.map((scope) => ({
    scope,
    description: ScopePolicy.scopeDescriptions[scope],
    granted: ScopePolicy.allows(key, scope),
    routes: routesByScope.get(scope) ?? [],
  })),
  key: {
    key_id: key.key_id,
    organization_id,
    scopes_source: key.scopes_source,
    grandfathered: key.scopes === null,
    granted: ScopePolicy.effectiveScopes(key),
  },
  note: scopesNote,
})
