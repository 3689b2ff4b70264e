import { type Call, limits, type PortError } from "@carillon/core"
import { callStatuses, type UsageFigures } from "@carillon/core/domain"
import {
  firstParts,
  noUsage,
  sumParts,
  type UsageCell,
  usageDayMs,
  type UsageGroup,
  usageMinuteMs,
  usageOf,
  type UsagePart,
  type UsageStore,
} from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { isOpaque, rowOf, textOf } from "../Documents.ts"
import { reading } from "../Failures.ts"

interface StoredPart {
  readonly key: string | number | null
  readonly figures: { readonly [figure: string]: number }
}

interface Sequenced {
  readonly sequence: number | string
  readonly row: Call
}

type Range = Parameters<UsageStore["Service"]["parts"]>[1]

const keys: Readonly<Record<UsageGroup, string>> = {
  day: `(start - start % ${usageDayMs})::double precision`,
  agent: "agent_id",
  campaign: "nullif(campaign_id, '')",
}

const edgeKeys: Readonly<Record<UsageGroup, string>> = {
  day: `(c.created_at - c.created_at % ${usageDayMs})::double precision`,
  agent: "c.agent_id",
  campaign: "c.campaign_id",
}

/** The figures of each key in one row; of agents and campaigns one more than a report may have. */
const partsFrom = (group: UsageGroup, figures: string): string => `
  select key, json_object_agg(figure, value) as figures from (${figures}) as f group by key
  ${group === "day" ? "" : `order by key collate "C" nulls first limit ${limits.usageGroups + 1}`}`

const costParts = Object.keys(noUsage.cost_breakdown)

/** The first and the last midnight in a range; where it lies within a day, the first is behind its end. */
const firstDay = `($2::bigint + ${usageDayMs - 1}) / ${usageDayMs} * ${usageDayMs}`
const lastDay = `$3::bigint / ${usageDayMs} * ${usageDayMs}`

const hourMs = 60 * usageMinuteMs

const tablesOf = {
  day: "usage where grain = 'day' and",
  hour: "usage_hours where",
  minute: "usage where grain = 'minute' and",
} as const

const rowsOf = (grain: keyof typeof tablesOf, from: string, to: string): string => `
  select start, agent_id, campaign_id, figure, value from carillon.${tablesOf[grain]}
  organization_id = $1 and start >= ${from} and start < ${to} and ($4::text is null or agent_id = $4)`

/** A stretch of less than a day: the hours that lie in it whole, and the minutes of those at its ends. */
const withinDay = (from: string, to: string): string => {
  const firstHour = `(${from} + ${hourMs - 1}) / ${hourMs} * ${hourMs}`
  const lastHour = `${to} / ${hourMs} * ${hourMs}`
  return `${rowsOf("hour", firstHour, lastHour)} union all
    ${rowsOf("minute", from, `least(${firstHour}, ${to})`)} union all
    ${rowsOf("minute", `greatest(${firstHour}, ${lastHour})`, to)}`
}

/** Days that lie in the range whole, and what is left at its ends: each is read by itself, so that nothing between them is. */
const partsOf = (group: UsageGroup): string =>
  partsFrom(
    group,
    `select ${keys[group]} as key, figure, sum(value) as value from (
    ${rowsOf("day", firstDay, lastDay)} union all
    ${withinDay("$2::bigint", `least(${firstDay}, $3::bigint)`)} union all
    ${withinDay(`greatest(${firstDay}, ${lastDay})`, "$3::bigint")}
  ) as u group by 1, 2`,
  )

/** The tallies of minutes, each of its figures in a row of its own, those of one tally one after the other. */
const cellsOf = `
  select u.start::double precision as at, u.agent_id as agent, u.campaign_id as campaign, u.figure, sum(u.value) as value
  from carillon.usage as u
  where u.organization_id = $1 and u.grain = 'minute' and u.start >= $2::bigint and u.start < $3::bigint
  group by u.start, u.agent_id, u.campaign_id, u.figure
  order by u.start, u.agent_id collate "C", u.campaign_id collate "C"`

interface CellFigure {
  readonly at: number
  readonly agent: string
  readonly campaign: string
  readonly figure: string
  readonly value: number
}

const listed = `organization_id = $1 and listed and created_at >= $2::bigint and created_at < $3::bigint
    and ($4::text is null or agent_id = $4)`

/** Each listed call of a stretch as `usageDelta` has it of a new one, but those into whose documents PostgreSQL cannot read. */
const edgeOf = (group: UsageGroup): string =>
  partsFrom(
    group,
    `select ${edgeKeys[group]} as key, figure, sum(value)::double precision as value
  from (select * from carillon.calls where ${listed} and not (${isOpaque})) as c cross join lateral (values
    ('calls', 1::double precision),
    ('connected_calls', (c.status = 'completed' or c.row ->> 'answered_at' is not null)::integer),
    ('duration_seconds', (c.row ->> 'duration_seconds')::double precision),
    ('cost', (c.row -> 'cost' ->> 'total')::double precision),
    ${costParts.map((part) => `('cost:${part}', (c.row #>> '{cost,breakdown,${part}}')::double precision)`).join(", ")},
    ('status:' || c.status, 1)) as f (figure, value)
  where f.value is not null
  group by 1, 2`,
  )

const opaqueAtOnce = 200

/** Those others, some at a time. */
const opaque = `
  select sequence, row from carillon.calls where ${listed} and ${isOpaque} and sequence > $5::bigint
  order by sequence limit ${opaqueAtOnce}`

const figuresOf = (values: StoredPart["figures"]): UsageFigures => {
  const value = (figure: string): number => values[figure] ?? 0
  const { cost_breakdown } = noUsage
  return {
    calls: value("calls"),
    connected_calls: value("connected_calls"),
    duration_seconds: value("duration_seconds"),
    cost: value("cost"),
    cost_breakdown: {
      ...cost_breakdown,
      llm: value("cost:llm"),
      network: value("cost:network"),
      platform: value("cost:platform"),
      synthesizer: value("cost:synthesizer"),
      telephony: value("cost:telephony"),
      transcriber: value("cost:transcriber"),
    },
    status_counts: Object.fromEntries(
      callStatuses.flatMap((status) => {
        const count = value(`status:${status}`)
        return count === 0 ? [] : [[status, count]]
      }),
    ),
  }
}

const keyOf = (key: StoredPart["key"]): string | null =>
  typeof key === "number" ? new Date(key).toISOString().slice(0, 10) : key

const partsIn = (found: ReadonlyArray<StoredPart>): ReadonlyArray<UsagePart> =>
  found
    .map(({ figures, key }): UsagePart => ({ key: keyOf(key), figures: figuresOf(figures) }))
    .toSorted((a, b) => ((a.key ?? "") < (b.key ?? "") ? -1 : 1))

const cellsIn = (found: ReadonlyArray<CellFigure>): ReadonlyArray<UsageCell> =>
  [...Map.groupBy(found, ({ agent, at, campaign }) => JSON.stringify([at, agent, campaign])).values()].flatMap(
    (figures) =>
      figures.slice(0, 1).map(({ agent, at, campaign }) => ({
        at,
        agent_id: agent,
        campaign_id: campaign === "" ? null : campaign,
        figures: figuresOf(Object.fromEntries(figures.map(({ figure, value }) => [figure, value]))),
      })),
  )

export const makeUsageStore = (sql: SqlClient.SqlClient): UsageStore["Service"] => {
  const asked = (organizationId: string, { agent_id, from, to }: Range) => [
    textOf(organizationId),
    from,
    to,
    agent_id === null ? null : textOf(agent_id),
  ]
  const read =
    (statement: (group: UsageGroup) => string): UsageStore["Service"]["parts"] =>
    (organizationId, range, group) =>
      reading(
        "usage_reporting",
        Effect.map(sql.unsafe<StoredPart>(statement(group), asked(organizationId, range)), partsIn),
      )
  const edge = read(edgeOf)
  const lookedAt = Effect.fnUntraced(function* (
    organizationId: string,
    range: Range,
    group: UsageGroup,
  ): Effect.fn.Return<ReadonlyArray<UsagePart>, PortError> {
    let sum: ReadonlyArray<UsagePart> = []
    for (let after = 0; ;) {
      const parameters = [...asked(organizationId, range), after]
      const found = yield* reading("usage_reporting", sql.unsafe<Sequenced>(opaque, parameters))
      const calls = found.map(({ row }): Call => rowOf(row))
      sum = sumParts([...sum, ...usageOf(calls, group)])
      const last = found.at(-1)
      if (last === undefined || found.length < opaqueAtOnce) return sum
      after = Number(last.sequence)
    }
  })
  return {
    parts: read(partsOf),
    cells: (organizationId, { from, to }) =>
      reading(
        "usage_reporting",
        Effect.map(sql.unsafe<CellFigure>(cellsOf, [textOf(organizationId), from, to]), cellsIn),
      ),
    edge: (organizationId, range, group) =>
      Effect.map(
        Effect.all([edge(organizationId, range, group), lookedAt(organizationId, range, group)]),
        ([readable, others]) => firstParts(sumParts([...readable, ...others]), group),
      ),
  }
}
