import { buckets, figures } from "./rates.ts"
import type { Context, Route } from "./route.ts"
import { describeScopes } from "./scopes.ts"

const me = ({ key, organization, world }: Context) => {
  const levels = world.lines.levels(organization)
  const max = Math.min(levels.platform, levels.organization)
  const current = world.lines.used(organization.organization_id)
  const { id, name } = organization.developer
  const now = world.clock.now()
  return {
    status: 200,
    body: {
      organization_id: organization.organization_id,
      developer: { id, name, key_id: key.key_id, key_preview: key.key_preview },
      plan: organization.plan,
      rate_limit_tier: organization.plan,
      rate_limits: Object.fromEntries(buckets.map((bucket) => [bucket, figures(organization, bucket, now)])),
      concurrency: {
        max,
        enforced: organization.concurrency.enforced,
        current,
        available: Math.max(0, max - current),
        levels,
      },
    },
  }
}

export const identityRoutes = (routes: () => ReadonlyArray<Route>): ReadonlyArray<Route> => [
  { method: "GET", path: "/v2/user/me", handle: me },
  { method: "GET", path: "/v2/scopes", handle: ({ key }) => ({ status: 200, body: describeScopes(key, routes()) }) },
]
