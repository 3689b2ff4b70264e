import { buckets, callStatuses, ceilingFor, inFlightStatuses, SlidingWindow, SlotLevels } from "@carillon/core/domain"
import type { CallFilter } from "@carillon/core/ports"
import type { SlotLevel } from "@carillon/core/ports"
import { Effect } from "effect"
import { breakable, faultModes } from "../faults/Fault.ts"
import { readPackage } from "../Package.ts"
import type { Stage } from "../Stage.ts"
import { type Level, type Standing, standingsOf } from "./Standing.ts"
import { verdictOf } from "./Verdict.ts"

/** What the page asks to see. */
export interface Looking {
  /** Null: the demo organization. */
  readonly organization_id: string | null
  /** How much time the chart shows, in virtual milliseconds. */
  readonly windowMs: number
  /** Which calls are listed. */
  readonly calls: "all" | "live" | "completed" | "unreached"
  readonly campaign_id: string | null
  /** A number to which, or an id under which; null: every call. */
  readonly search: string | null
  /** How many calls are listed. */
  readonly limit: number
}

/** Bounds of what one look shows. */
export const viewLimits = { calls: 200, organizations: 50, campaigns: 50, received: 50, chartPoints: 240 } as const

/** A ceiling from here on stands for none: `--limits off`. */
const unlimited = 1_000_000_000

const identity = readPackage()

const ceilingOf = (ceiling: number | null): number | null => (ceiling === null || ceiling >= unlimited ? null : ceiling)

const unreached = callStatuses.filter(
  (status) => status !== "completed" && !new Set<string>(inFlightStatuses).has(status),
)

const filterOf = ({ calls, campaign_id, search }: Looking): CallFilter => {
  const statuses = { live: inFlightStatuses, completed: ["completed"] as const, unreached }
  return {
    ...(calls === "all" ? {} : { statuses: new Set(statuses[calls]) }),
    ...(campaign_id === null ? {} : { campaign_id }),
    ...(search === null ? {} : { to_number: search }),
  }
}

const callsOf = ({ world }: Stage, organizationId: string, looking: Looking) => {
  const byId = looking.search === null ? undefined : world.call(looking.search)
  const found =
    byId !== undefined && byId.organization_id === organizationId
      ? { items: [byId], total: 1 }
      : world.tables.calls.page(organizationId, filterOf(looking), { page: 1, page_size: looking.limit })
  const rows = found.items.map((call) => ({
    execution_id: call.execution_id,
    status: call.status,
    direction: call.direction,
    to_number: call.to_number,
    campaign_id: call.campaign_id,
    retry_count: call.retry_count,
    created_at: call.created_at,
    answered_at: call.answered_at,
    completed_at: call.completed_at,
    duration_seconds: call.duration_seconds,
    hangup_reason: call.hangup_reason,
    processed: call.processing.completed_at !== null,
  }))
  return { rows, total: found.total }
}

const ratesOf = ({ world }: Stage, organizationId: string) => {
  const plan = world.tables.organizations.get(organizationId)?.plan ?? "standard"
  const now = world.clock.now()
  return Effect.forEach(buckets, (bucket) => {
    const limit = ceilingFor(world.plans, plan, bucket)
    return world.watched.rates.peek(organizationId, bucket, limit, now).pipe(
      // Where the counters are away nothing is refused, and `/v2` shows the full ceiling, too.
      Effect.orElseSucceed(() => SlidingWindow.peek(SlidingWindow.emptyWindow, limit, now)),
      Effect.map(({ remaining, resetSeconds }) => ({
        bucket,
        limit: ceilingOf(limit),
        remaining,
        reset_seconds: resetSeconds,
      })),
    )
  })
}

/** Nearest to its ceiling first, then the one that uses most. */
const byPressure = (a: Level, b: Level): number => {
  const pressure = ({ ceiling, used }: Level) => (ceiling === null ? 0 : used / ceiling)
  return pressure(b) - pressure(a) || b.used - a.used
}

/** The level's subjects that could be shown, the one under most pressure first. */
const levelsOf = (
  { world }: Stage,
  organizationId: string,
  standings: ReadonlyArray<Standing>,
  ceilings: SlotLevels.SlotCeilings,
) => {
  const organization = world.tables.organizations.get(organizationId)
  const used = (level: SlotLevel, key: string) => world.tables.calls.holding(level, key)
  const everyAgent = { sort_by: "created_at", sort_order: "asc" } as const
  const agents = world.tables.agents.page(organizationId, everyAgent, { page: 1, page_size: viewLimits.organizations })
  const subject = (level: SlotLevel, key: string, name: string, ceiling: number | null, own = true) => ({
    level,
    key,
    name,
    used: used(level, key),
    ceiling: ceilingOf(ceiling),
    /** Whether the ceiling is this level's own, and not the one above it once more. */
    own,
  })
  const agentsAreCapped = ceilings.agent !== ceilings.organization
  return {
    platform: [subject("platform", "platform", "Platform", ceilings.platform)],
    organization: [
      subject("organization", organizationId, organization?.name ?? organizationId, ceilings.organization),
    ],
    agent: agents.items
      .map(({ agent_id, display_name }) => subject("agent", agent_id, display_name, ceilings.agent, agentsAreCapped))
      .sort(byPressure),
    campaign: standings
      .map(({ ceiling, lane_id, name }) => subject("campaign", lane_id, name, ceiling))
      .sort(byPressure),
  }
}

/** What still has something to do first. Figures that change with every call do not count, so that the rows stay where they are. */
const byInterest = (a: Standing, b: Standing): number => {
  const isAtWork = ({ demand, used, waiting }: Standing) => demand + used + waiting > 0
  return Number(isAtWork(b)) - Number(isAtWork(a))
}

/** The ceilings of an organization that are in force, and how its campaigns stand to them. */
export const sharingView = ({ world }: Stage, organizationId: string) => {
  const { limits } = world.options
  const { organizations, platform } = world.tables
  const resolved = SlotLevels.resolveCeilings(
    limits.concurrency(organizations.get(organizationId)?.concurrency ?? SlotLevels.concurrencyDefaults),
    limits.platform(platform?.concurrency ?? null),
  )
  const ceilings = SlotLevels.ceilingsFor(resolved, null)
  return { ceilings, resolved, standings: standingsOf(world, organizationId, ceilings) }
}

/**
 * What the dashboard shows of a world. It reads the rows past the engine and past `/v2`, so that looking spends nothing of a rate, stands in
 * no journal and wakes nobody up.
 */
export const worldView = async (stage: Stage, looking: Looking) => {
  const { demo, process, rate, watch, world } = stage
  const { tables } = world
  const { limits, seed } = world.options
  const now = world.clock.target()
  const organization_id = looking.organization_id ?? demo.organization_id
  const organization = tables.organizations.get(organization_id)
  const { ceilings, resolved, standings } = sharingView(stage, organization_id)
  const levels = levelsOf(stage, organization_id, standings, ceilings)
  const from = now - looking.windowMs
  const lines = SlotLevels.slotLevels.flatMap((level) => {
    const [shown] = levels[level]
    if (shown === undefined) return []
    const points = watch.history.read(level, shown.key, from, now, viewLimits.chartPoints)
    return [{ ...shown, of: levels[level].length, points: points.map(({ at, last, most }) => [at, most, last]) }]
  })
  const waiting = process.waiting
  const { violations } = world.invariants
  const [platformLevel] = levels.platform
  const [organizationLevel] = levels.organization
  const due = [tables.wakeups.next(false), world.carrier.next(), process.parking.nextDeadline()]
  const next = Math.min(...due.map((at) => at ?? Infinity))
  return {
    ...identity,
    seed,
    limits: limits.text,
    demo,
    clock: {
      now,
      mode: world.clock.mode,
      speed: world.clock.speed,
      next_due: Number.isFinite(next) ? next : null,
      waiting: waiting.length,
    },
    organizations: [...tables.organizations.values()]
      .slice(-viewLimits.organizations)
      .map((one) => ({ organization_id: one.organization_id, name: one.name })),
    organization: {
      organization_id,
      name: organization?.name ?? organization_id,
      enforced: resolved.enforced,
      wallet: organization?.wallet ?? null,
      webhooks: tables.subscriptions.fallback(organization_id)?.callback_url ?? null,
      agents: levels.agent.map(({ key, name }) => ({ agent_id: key, name })),
    },
    verdict: verdictOf({
      standings,
      platform: platformLevel ?? { used: 0, ceiling: null },
      organization: organizationLevel ?? { used: 0, ceiling: null },
      faults: world.faults.current,
      waitingDials: waiting.filter(({ method, path }) => method === "POST" && path === "/v2/calls").length,
    }),
    chart: { from, to: now, lines },
    campaigns: standings
      .toReversed()
      .sort(byInterest)
      .slice(0, viewLimits.campaigns)
      .map((standing) => ({ ...standing, calls_last_minute: watch.pace.lastMinute(standing.lane_id, now) })),
    campaigns_total: standings.length,
    calls: callsOf(stage, organization_id, looking),
    calls_by_status: world.rows.callsByStatus(),
    live: world.carrier.live,
    live_peak: world.carrier.peak,
    events_per_second: rate.read(),
    /** The number of the latest event, so that the page can begin a little before it. */
    latest_event: world.history.latest,
    rates: await Effect.runPromise(ratesOf(stage, organization_id)),
    faults: world.faults.current,
    breakable: breakable.map((dependency) => ({ dependency, modes: faultModes })),
    webhooks: world.webhooks.counts(),
    received: watch.received.latest(viewLimits.received),
    violations: { total: violations.length, latest: violations.slice(-5) },
  }
}

/** What the page is told on each look. */
export type WorldView = Awaited<ReturnType<typeof worldView>>
