import { agentRoutes } from "./agents.ts"
import { auditRoutes } from "./audit.ts"
import { batchRoutes } from "./batches.ts"
import { callRoutes } from "./calls.ts"
import { campaignRoutes } from "./campaigns.ts"
import { deliveryRoutes } from "./deliveries.ts"
import { experimentRoutes } from "./experiments.ts"
import { identityRoutes } from "./identity.ts"
import { inboundRoutes } from "./inbound.ts"
import { keyRoutes } from "./keys.ts"
import { knowledgeRoutes } from "./knowledge.ts"
import { numberRoutes } from "./numbers.ts"
import { providerRoutes } from "./providers.ts"
import { callRecords } from "./records.ts"
import type { Route } from "./route.ts"
import { subscriptionRoutes } from "./subscriptions.ts"
import { usageRoutes } from "./usage.ts"

/** Every route of `/v2`. One that is fixed stands before one whose placeholder would take its last word. */
const routes: ReadonlyArray<Route> = [
  ...identityRoutes(() => routes),
  ...keyRoutes,
  ...callRoutes,
  ...callRecords,
  ...agentRoutes,
  ...experimentRoutes,
  ...campaignRoutes,
  ...batchRoutes,
  ...knowledgeRoutes,
  ...deliveryRoutes,
  ...subscriptionRoutes,
  ...numberRoutes,
  ...providerRoutes,
  ...inboundRoutes,
  ...usageRoutes,
  ...auditRoutes,
]

const compiled = routes.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, "([^/]+)")}$`),
}))

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The route of a request with the values of its placeholders, or null. */
export const routeOf = (method: string, path: string) => {
  for (const { pattern, route } of compiled) {
    if (route.method !== method) continue
    const match = pattern.exec(path)
    if (match !== null) return { route, params: match.slice(1).map(decoded) }
  }
  return null
}
