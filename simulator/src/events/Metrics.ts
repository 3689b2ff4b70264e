import type { MetricRegistry } from "@carillon/core"
import { prometheusText } from "@carillon/http"
import { Context, Metric as Meter } from "effect"
import type { Stage } from "../Stage.ts"

type Labels = Readonly<Record<string, string>>

interface Metric {
  readonly name: string
  readonly type: "counter" | "gauge"
  readonly help: string
  readonly samples: ReadonlyArray<readonly [labels: Labels, value: number]>
}

/** What is true now, in a registry of its own: the labels of a small world need no bound. */
const registryOf = (metrics: ReadonlyArray<Metric>): MetricRegistry => {
  const registry: MetricRegistry = new Map()
  const context = Context.make(Meter.MetricRegistry, registry)
  for (const { help: description, name, samples, type } of metrics) {
    for (const [attributes, value] of samples) {
      const meter =
        type === "counter"
          ? Meter.counter(name, { description, attributes })
          : Meter.gauge(name, { description, attributes })
      meter.updateUnsafe(value, context)
    }
  }
  return registry
}

const one = (value: number): Metric["samples"] => [[{}, value]]

const by = (label: string, counts: Readonly<Record<string, number>>): Metric["samples"] =>
  Object.entries(counts).map(([key, count]) => [{ [label]: key }, count])

/** Lines in use, with the ceilings that are in force, at the levels of the platform, the organizations, their agents and the campaigns. */
const lines = ({ world }: Stage): ReadonlyArray<Metric> => {
  const now = world.clock.now()
  const used: Array<readonly [Labels, number]> = []
  const ceilings: Array<readonly [Labels, number]> = []
  const level = (labels: Labels, count: number, ceiling: number) => {
    used.push([labels, count])
    ceilings.push([labels, ceiling])
  }
  level({ level: "platform" }, world.tables.calls.holding("platform", "platform"), world.ceilings.platform(now))
  const organizations = [...world.tables.organizations.keys()]
  for (const organization of organizations) {
    const ceiling = world.ceilings.organization(organization, now).organization
    level({ level: "organization", organization }, world.tables.calls.holding("organization", organization), ceiling)
  }
  for (const { agent_id, organization_id } of world.tables.agents.values()) {
    const count = world.tables.calls.holding("agent", agent_id)
    if (count === 0) continue
    const ceiling = world.ceilings.organization(organization_id, now).agent
    level({ level: "agent", organization: organization_id, agent: agent_id }, count, ceiling)
  }
  for (const { campaign_id, organization_id } of world.tables.campaigns.values()) {
    const count = world.tables.calls.holding("campaign", campaign_id)
    if (count === 0) continue
    const ceiling = world.ceilings.campaign(campaign_id, now)
    level({ level: "campaign", organization: organization_id, campaign: campaign_id }, count, ceiling)
  }
  return [
    { name: "carillon_lines_used", type: "gauge", help: "Lines in use, by level.", samples: used },
    {
      name: "carillon_lines_ceiling",
      type: "gauge",
      help: "The ceiling of lines, by level; the highest that was in force in the last minute.",
      samples: ceilings,
    },
  ]
}

/** How campaigns share the lines of their organizations. */
const shares = ({ world }: Stage): ReadonlyArray<Metric> => {
  const lanes = world.campaigns.views()
  const samples = (value: (lane: (typeof lanes)[number]) => number): Metric["samples"] =>
    lanes.map((lane) => [{ organization: lane.organization_id, campaign: lane.campaign_id }, value(lane)])
  return [
    {
      name: "carillon_campaign_floor_lines",
      type: "gauge",
      help: "Lines that a campaign is owed.",
      samples: samples(({ floor }) => floor),
    },
    {
      name: "carillon_campaign_demand_contacts",
      type: "gauge",
      help: "Contacts of a campaign that could be dialled now.",
      samples: samples(({ demand }) => demand),
    },
  ]
}

const rates = ({ world }: Stage): ReadonlyArray<Metric> => {
  const gauges = world.rates.gauges(world.clock.now())
  const samples = (value: (gauge: (typeof gauges)[number]) => number): Metric["samples"] =>
    gauges.map((gauge) => [{ organization: gauge.organization_id, bucket: gauge.bucket }, value(gauge)])
  return [
    {
      name: "carillon_rate_used",
      type: "gauge",
      help: "Requests that count against a bucket now.",
      samples: samples(({ used }) => used),
    },
    {
      name: "carillon_rate_limit",
      type: "gauge",
      help: "Requests per minute that a bucket allows.",
      samples: samples(({ limit }) => limit),
    },
  ]
}

/** What is true of a world now, and what was measured of its engine, as Prometheus reads it. */
export const metricsText = async (stage: Stage): Promise<string> => {
  const { process: running, world } = stage
  const { checked, violations } = world.invariants
  const metrics: ReadonlyArray<Metric> = [
    {
      name: "carillon_virtual_time_seconds",
      type: "gauge",
      help: "The virtual time, in seconds since 1970.",
      samples: one(world.clock.now() / 1_000),
    },
    {
      name: "carillon_clock_speed",
      type: "gauge",
      help: "Virtual seconds per real second.",
      samples: one(world.clock.speed),
    },
    { name: "carillon_events_total", type: "counter", help: "Events that ran.", samples: one(world.events) },
    {
      name: "carillon_requests_total",
      type: "counter",
      help: "Requests under /v2 that were taken in.",
      samples: one(world.requests),
    },
    {
      name: "carillon_requests_waiting",
      type: "gauge",
      help: "Requests that wait for virtual time.",
      samples: one(running.waiting.length),
    },
    {
      name: "carillon_calls",
      type: "gauge",
      help: "Calls, by status.",
      samples: by("status", world.rows.callsByStatus()),
    },
    {
      name: "carillon_live_legs",
      type: "gauge",
      help: "Legs that the carrier has live.",
      samples: one(world.carrier.live),
    },
    {
      name: "carillon_live_legs_peak",
      type: "gauge",
      help: "The most legs that the carrier ever had live.",
      samples: one(world.carrier.peak),
    },
    ...lines(stage),
    ...shares(stage),
    ...rates(stage),
    {
      name: "carillon_deliveries",
      type: "gauge",
      help: "Webhook deliveries, by status.",
      samples: by("status", world.webhooks.counts()),
    },
    {
      name: "carillon_invariant_checks_total",
      type: "counter",
      help: "How often each invariant was checked.",
      samples: checked.map(({ checks, name }) => [{ invariant: name }, checks]),
    },
    {
      name: "carillon_invariant_violations_total",
      type: "counter",
      help: "Violations of invariants that are kept, of each the first.",
      samples: one(violations.length),
    },
  ]
  return (await prometheusText(registryOf(metrics))) + (await prometheusText(world.measured))
}
