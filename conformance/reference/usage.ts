import { type Call, costOf } from "./calls.ts"
import { malformed } from "./errors.ts"
import { iso } from "./fields.ts"
import type { Context, Route } from "./route.ts"

const longestMs = 32 * 86_400_000

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

const count = (values: ReadonlyArray<string>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

const figures = (calls: ReadonlyArray<Call>) => ({
  total_calls: calls.length,
  connected_calls: calls.filter(({ answered_at }) => answered_at !== null).length,
  total_duration_seconds: sum(calls.map(({ duration_seconds }) => duration_seconds ?? 0)),
  total_cost: sum(calls.map(({ cost }) => cost ?? 0)),
})

const groups = ["day", "agent", "campaign"] as const

const keyOf = (call: Call, by: (typeof groups)[number]): string | null => {
  if (by === "day") return iso(call.created_at).slice(0, 10)
  return by === "agent" ? call.agent_id : call.campaign_id
}

const bucketsOf = (calls: ReadonlyArray<Call>, by: (typeof groups)[number] | null) => {
  if (by === null) return []
  const grouped = Map.groupBy(calls, (call) => keyOf(call, by))
  return [...grouped]
    .map(([key, own]) => ({ key, ...figures(own) }))
    .toSorted((a, b) => (String(a.key) < String(b.key) ? -1 : 1))
}

const read = ({ organization, query, world }: Context) => {
  const now = world.clock.now()
  const today = new Date(now)
  const from = query.moment("from_date") ?? Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1)
  const to = query.moment("to_date") ?? now
  const agentId = query.text("agent_id")
  const by = query.word("group_by", groups)
  if (to < from) throw malformed("The from_date must not lie after the to_date.")
  if (to - from > longestMs) throw malformed("Usage is read for at most 32 days.")
  const calls = organization.calls.filter(
    ({ agent_id, created_at }) => created_at >= from && created_at <= to && (agentId === null || agent_id === agentId),
  )
  const costs = calls.map((call) => costOf(call, organization.wallet.currency).breakdown)
  const parts = Object.keys(
    costs[0] ?? { llm: 0, network: 0, platform: 0, synthesizer: 0, telephony: 0, transcriber: 0 },
  )
  return {
    status: 200,
    body: {
      from_date: iso(from),
      to_date: iso(to),
      currency: organization.wallet.currency,
      ...figures(calls),
      cost_breakdown: Object.fromEntries(parts.map((part) => [part, sum(costs.map((cost) => cost[part] ?? 0))])),
      status_counts: count(calls.map(({ status }) => status)),
      buckets: bucketsOf(calls, by),
    },
  }
}

export const usageRoutes: ReadonlyArray<Route> = [
  { method: "GET", path: "/v2/usage", bucket: "executions.list", handle: read },
]
