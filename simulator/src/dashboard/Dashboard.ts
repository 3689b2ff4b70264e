import type { EdgeResponse } from "@carillon/http"
import { invalid, notFound } from "../control/Refusal.ts"
import type { Stage } from "../Stage.ts"
import { callHistory } from "./CallHistory.ts"
import { contactReasons } from "./ContactReason.ts"
import { pageFile } from "./Page.ts"
import { type Looking, sharingView, viewLimits, worldView } from "./WorldView.ts"

const root = "/_sim/ui"

/** Whether a path belongs to the dashboard. */
export const isDashboardPath = (path: string): boolean => path === root || path.startsWith(`${root}/`)

/** The page itself says nothing of the world, so it needs no token: it asks for one. */
export const dashboardPage = (path: string): EdgeResponse | null =>
  pageFile(path === root || path === `${root}/` ? "index.html" : path.slice(root.length + 1))

const defaultWindowMs = 120_000
const maxWindowMs = 31 * 24 * 3_600_000

const whole = (query: URLSearchParams, name: string, otherwise: number, max: number): number => {
  const text = query.get(name)
  if (text === null) return otherwise
  const value = /^\d{1,12}$/.test(text) ? Number(text) : 0
  if (value < 1 || value > max) throw invalid(name, `must be a whole number from 1 to ${max}`)
  return value
}

const lists = ["all", "live", "completed", "unreached"] as const

/** What is searched for, or null. A plus that was not encoded arrives as a space. */
const searchOf = (query: URLSearchParams): string | null => query.get("search")?.replace(/^ /, "+") || null

const lookingOf = (query: URLSearchParams): Looking => {
  const calls = query.get("calls") ?? "all"
  const list = lists.find((one) => one === calls)
  if (list === undefined) throw invalid("calls", `must be one of ${lists.join(", ")}`)
  return {
    organization_id: query.get("organization_id"),
    windowMs: whole(query, "window_ms", defaultWindowMs, maxWindowMs),
    calls: list,
    campaign_id: query.get("campaign_id"),
    search: searchOf(query),
    limit: whole(query, "limit", 100, viewLimits.calls),
  }
}

/** Reads for the page; each is a look that changes nothing. Throws a `Refusal`. */
export const dashboardRead = (stage: Stage, path: string, query: URLSearchParams): unknown => {
  const { watch, world } = stage
  const name = path.slice(root.length + 1)
  switch (name) {
    case "world": {
      const looking = lookingOf(query)
      const { organization_id } = looking
      if (organization_id !== null && !world.tables.organizations.has(organization_id)) {
        throw notFound("Organization not found.")
      }
      return worldView(stage, looking)
    }
    case "call": {
      const call = callHistory(world, query.get("execution_id") ?? "")
      if (call === null) throw notFound("Call not found.")
      return call
    }
    case "contacts": {
      const campaign = world.tables.campaigns.get(query.get("campaign_id") ?? "")
      if (campaign === undefined) throw notFound("Campaign not found.")
      const { standings } = sharingView(stage, campaign.organization_id)
      const standing = standings.find(({ lane_id }) => lane_id === campaign.campaign_id)
      return contactReasons(world, campaign, standing, searchOf(query))
    }
    case "received": {
      const request = watch.received.find(query.get("id") ?? "", viewLimits.received)
      if (request === null) throw notFound("That webhook is not among the latest ones any more.")
      return request
    }
    default:
      throw notFound("No such resource.")
  }
}
