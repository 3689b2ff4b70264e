import {
  noUsage,
  sumUsage,
  usageDayMs,
  type UsageDelta,
  type UsageFigures,
  usageMinuteMs,
} from "../usage/rules/Usage.ts"
import type { UsageCell, UsageRange } from "../usage/ports/UsageStore.ts"
import type { UsageGroup, UsagePart } from "../usage/rules/UsageParts.ts"

/** The tallies of one stretch of time by agent and campaign, whose key is the same in each. */
type Tallies = Map<string, Tally>

interface Tally {
  readonly agent_id: string
  readonly campaign_id: string | null
  readonly sum: Sum
}

/** The figures as `addUsage` makes them, changed in place: every step of a call adds to two of them. */
class Sum {
  #calls = 0
  #connected = 0
  #duration = 0
  #cost = 0
  readonly #breakdown = { ...noUsage.cost_breakdown }
  readonly #statuses = new Map<string, number>()

  add({ calls, connected_calls, cost, cost_breakdown, duration_seconds, status_counts }: UsageDelta): void {
    this.#calls += calls
    this.#connected += connected_calls
    this.#duration += duration_seconds
    this.#cost += cost
    if (cost_breakdown !== null) {
      this.#breakdown.llm += cost_breakdown.llm
      this.#breakdown.network += cost_breakdown.network
      this.#breakdown.platform += cost_breakdown.platform
      this.#breakdown.synthesizer += cost_breakdown.synthesizer
      this.#breakdown.telephony += cost_breakdown.telephony
      this.#breakdown.transcriber += cost_breakdown.transcriber
    }
    this.#countAll(status_counts)
  }

  get figures(): UsageFigures {
    return {
      calls: this.#calls,
      connected_calls: this.#connected,
      duration_seconds: this.#duration,
      cost: this.#cost,
      cost_breakdown: { ...this.#breakdown },
      status_counts: Object.fromEntries(this.#statuses),
    }
  }

  /** A delta names one status or two: who looked for each there is would find nothing most often. */
  #countAll(counts: { readonly [status: string]: number | undefined }): void {
    for (const status in counts) this.#count(status, counts[status] ?? 0)
  }

  #count(status: string, by: number): void {
    const count = (this.#statuses.get(status) ?? 0) + by
    if (count === 0) this.#statuses.delete(status)
    else this.#statuses.set(status, count)
  }
}

interface Day {
  readonly whole: Tallies
  readonly minutes: Map<number, Tallies>
}

const add = (tallies: Tallies, key: string, delta: UsageDelta): void => {
  const { agent_id, campaign_id } = delta
  let tally = tallies.get(key)
  if (tally === undefined) tallies.set(key, (tally = { agent_id, campaign_id, sum: new Sum() }))
  tally.sum.add(delta)
}

/** What calls add up to, by day and, for the ends of a range, by minute: a report reads days, and minutes of two days at most. */
export class UsageTable {
  readonly #days = new Map<string, Map<number, Day>>()

  add(delta: UsageDelta): void {
    let days = this.#days.get(delta.organization_id)
    if (days === undefined) this.#days.set(delta.organization_id, (days = new Map()))
    const start = Math.floor(delta.at / usageDayMs) * usageDayMs
    let day = days.get(start)
    if (day === undefined) days.set(start, (day = { whole: new Map(), minutes: new Map() }))
    const key = `${delta.agent_id} ${delta.campaign_id ?? ""}`
    add(day.whole, key, delta)
    const minute = Math.floor(delta.at / usageMinuteMs) * usageMinuteMs
    let tallies = day.minutes.get(minute)
    if (tallies === undefined) day.minutes.set(minute, (tallies = new Map()))
    add(tallies, key, delta)
  }

  parts(organizationId: string, range: UsageRange, group: UsageGroup): ReadonlyArray<UsagePart> {
    const parts = new Map<string | null, UsageFigures>()
    for (const [start, day] of this.#days.get(organizationId) ?? []) {
      for (const tallies of within(start, day, range)) {
        for (const { agent_id, campaign_id, sum } of tallies.values()) {
          if (range.agent_id !== null && range.agent_id !== agent_id) continue
          const key =
            group === "day" ? new Date(start).toISOString().slice(0, 10) : group === "agent" ? agent_id : campaign_id
          parts.set(key, sumUsage(parts.get(key) ?? noUsage, sum.figures))
        }
      }
    }
    return [...parts]
      .map(([key, figures]) => ({ key, figures }))
      .sort((a, b) => ((a.key ?? "") < (b.key ?? "") ? -1 : 1))
  }

  cells(organizationId: string, { from, to }: Pick<UsageRange, "from" | "to">): ReadonlyArray<UsageCell> {
    const cells: Array<UsageCell> = []
    for (const { minutes } of this.#days.get(organizationId)?.values() ?? []) {
      for (const [at, tallies] of minutes) {
        if (at < from || at >= to) continue
        for (const { agent_id, campaign_id, sum } of tallies.values()) {
          cells.push({ at, agent_id, campaign_id, figures: sum.figures })
        }
      }
    }
    return cells.sort(inOrder)
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const inOrder = (a: UsageCell, b: UsageCell): number =>
  a.at - b.at || compare(a.agent_id, b.agent_id) || compare(a.campaign_id ?? "", b.campaign_id ?? "")

/** The tallies of a day that lie in the range: the day's own where it lies there whole. */
const within = (start: number, day: Day, { from, to }: UsageRange): ReadonlyArray<Tallies> => {
  if (start >= to || start + usageDayMs <= from) return []
  if (start >= from && start + usageDayMs <= to) return [day.whole]
  const found: Array<Tallies> = []
  for (const [minute, tallies] of day.minutes) if (minute >= from && minute < to) found.push(tallies)
  return found
}
