import type { Figure, Result } from "./Harness.ts"
import { campaignDayName } from "./scenarios/CampaignDay.ts"
import { carillonMany, carillonOne } from "./scenarios/Dispatch.ts"
import { intakeNames } from "./scenarios/Intake.ts"
import { soakName } from "./scenarios/Soak.ts"
import { atPace, inMemory } from "./scenarios/Webhooks.ts"

/** A figure that we want to reach. */
export interface Target {
  readonly figure: string
  readonly scenario: string
  readonly unit: string
  /** Whether more is better. */
  readonly more: boolean
  /** Null where it follows from what is measured first. */
  readonly must: number | null
  readonly aim: number | null
  /** Null where the scenario was not measured. */
  readonly measured: (results: ReadonlyArray<Result>) => number | null
  /** What keeps it from being measured. */
  readonly missing?: string
}

/** The last figure of a contender in a comparison whose title begins so: the largest, where there are several. */
const of =
  (title: string, contender: string | null, value: (figure: Figure) => number | null) =>
  (results: ReadonlyArray<Result>): number | null => {
    const figures = results.findLast((result) => result.title.startsWith(title))?.figures ?? []
    const figure = contender === null ? figures.at(-1) : figures.find((each) => each.contender === contender)
    return figure === undefined ? null : value(figure)
  }

/** The CPU time of an operation, against the reference's. */
const cost = ({ cpuRatio }: Figure): number => 1 / cpuRatio
const perCpuSecond = ({ operationsPerCpuSecond }: Figure): number => operationsPerCpuSecond
const perSecond = ({ operationsPerSecond }: Figure): number => operationsPerSecond
const ratio = (figure: Figure): number => figure.ratio
const byCpu = ({ cpuRatio }: Figure): number => cpuRatio
const kilobytes = ({ bytesPerOperation }: Figure): number | null =>
  bytesPerOperation === null ? null : bytesPerOperation / 1_000

const day = "day of campaigns with webhooks"

/** The worse of one key and of a thousand. */
const limiterAt = (inFlight: number) => (results: ReadonlyArray<Result>) => {
  const ratios = ["1 key", "1,000 keys"].map((keys) =>
    of(`on Redis, ${inFlight} in flight: ${keys}, below`, "Carillon", ratio)(results),
  )
  return ratios.some((each) => each === null) ? null : Math.min(...ratios.map(Number))
}

export const targets: ReadonlyArray<Target> = [
  {
    figure: `${day}, all invariants on`,
    scenario: "virtual-time",
    unit: "calls per CPU second",
    more: true,
    must: 2_000,
    aim: 5_000,
    measured: of("a day of", campaignDayName, perCpuSecond),
  },
  {
    figure: `${day}, invariants sampled`,
    scenario: "virtual-time",
    unit: "calls per CPU second",
    more: true,
    must: 4_000,
    aim: 10_000,
    measured: () => null,
    missing: "the simulator cannot sample them",
  },
  {
    figure: "a call with 1,000 campaigns at a time against one",
    scenario: "virtual-time",
    unit: "× CPU",
    more: false,
    must: 1.15,
    aim: 1.05,
    measured: of("calls of campaigns of ten contacts", null, cost),
  },
  {
    figure: "a call after 100,000 against after 10,000",
    scenario: "virtual-time",
    unit: "× CPU",
    more: false,
    must: 1.1,
    aim: 1,
    measured: of("a call in a world", null, cost),
  },
  {
    figure: "POST /v2/calls against raw node:http, warm",
    scenario: "http",
    unit: "× per CPU second",
    more: true,
    must: 0.4,
    aim: 0.5,
    measured: of("POST", "Carillon, whole path", byCpu),
  },
  {
    figure: "GET of a call against raw node:http, warm",
    scenario: "http",
    unit: "× per CPU second",
    more: true,
    must: 0.7,
    aim: 0.8,
    measured: of("GET", "Carillon, whole path", byCpu),
  },
  {
    figure: "allocation for an attempt",
    scenario: "memory",
    unit: "KB",
    more: false,
    must: 100,
    aim: 50,
    measured: of("allocated for an attempt", campaignDayName, kilobytes),
  },
  {
    figure: "ended call in memory",
    scenario: "memory",
    unit: "KB",
    more: false,
    must: 3,
    aim: 1.5,
    measured: (results) => {
      const ended = results.find(({ title }) => title.endsWith("calls that have ended"))?.figures[0]
      return ended === undefined ? null : kilobytes(ended)
    },
  },
  {
    figure: "dispatch on PostgreSQL",
    scenario: "dispatch",
    unit: "contacts/s",
    more: true,
    must: 2_500,
    aim: 8_000,
    measured: of("contacts on PostgreSQL", carillonMany, perSecond),
  },
  {
    figure: "dispatch one at a time against graphile-worker",
    scenario: "dispatch",
    unit: "×",
    more: true,
    must: 0.3,
    aim: null,
    measured: of("contacts on PostgreSQL", carillonOne, ratio),
  },
  {
    figure: "gate on Redis, 32 in flight",
    scenario: "gate",
    unit: "pairs/s",
    more: true,
    must: 20_000,
    aim: 25_000,
    measured: of("on Redis", "Carillon", perSecond),
  },
  ...[32, 128].map((inFlight) => ({
    figure: `limiter on Redis against rate-limiter-flexible, ${inFlight} in flight`,
    scenario: "limiter",
    unit: "×",
    more: true,
    must: 1,
    aim: 1.5,
    measured: limiterAt(inFlight),
  })),
  {
    figure: "webhook delivery at 400/s, p50",
    scenario: "webhooks",
    unit: "ms",
    more: false,
    must: 2,
    aim: 1,
    measured: of(atPace, inMemory, ({ latency }) => latency?.p50 ?? null),
  },
  {
    figure: "JSON intake against JSON.parse",
    scenario: "intake",
    unit: "× CPU",
    more: false,
    must: 3,
    aim: 2.5,
    measured: of("50,000 contacts as JSON", intakeNames.json, cost),
  },
  {
    figure: "CSV intake against udsv",
    scenario: "intake",
    unit: "× CPU",
    more: false,
    must: 3,
    aim: 2,
    measured: of("a CSV file", intakeNames.csv, cost),
  },
  {
    figure: "soak, 3 and 5 times what is measured first",
    scenario: "soak",
    unit: "events per CPU second",
    more: true,
    must: null,
    aim: null,
    measured: of("events of random worlds", soakName, perCpuSecond),
  },
]
