import { type Tally, type UsageDelta, usageDayMs, usageMinuteMs } from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * Tallies are rows of one figure each and change by adding, so that a commit needs not know what was counted before, and new figures
 * need no new column. Each of the two statements takes its rows in the order of their key: commits that share some of them then wait
 * for one another instead of blocking each other.
 */
const addTallies = `
  insert into carillon.tallies as t (subject, figure, stripe, value)
  select subject, figure, $2::smallint, value
  from jsonb_to_recordset($1::jsonb) as r(subject text, figure text, value double precision)
  order by subject collate "C", figure collate "C"
  on conflict (subject, figure, stripe) do update set value = t.value + excluded.value`

const addUsage = `
  insert into carillon.usage as u (organization_id, grain, start, agent_id, campaign_id, figure, stripe, value)
  select organization_id, grain, start, agent_id, campaign_id, figure, $2::smallint, value
  from jsonb_to_recordset($1::jsonb)
    as r(organization_id text, grain text, start bigint, agent_id text, campaign_id text, figure text, value double precision)
  order by organization_id collate "C", grain collate "C", start, agent_id collate "C", campaign_id collate "C", figure collate "C"
  on conflict (organization_id, grain, start, agent_id, campaign_id, figure, stripe) do update set value = u.value + excluded.value`

/** An `insert` meets a row once only, so what a commit adds to one figure twice is one sum. */
class Sums<Key extends object> {
  readonly #sums = new Map<string, Key & { value: number }>()

  add(key: Key, value: number): void {
    const name = JSON.stringify(key)
    const known = this.#sums.get(name)
    if (known === undefined) this.#sums.set(name, { ...key, value })
    else known.value += value
  }

  get records(): string {
    return JSON.stringify([...this.#sums.values()])
  }
}

/** Adds tallies. */
export const writeTallies = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  added: ReadonlyArray<{ readonly subject: string; readonly add: Tally }>,
  stripe: number,
) {
  const sums = new Sums<{ readonly subject: string; readonly figure: string }>()
  for (const { subject, add } of added) for (const figure in add) sums.add({ subject, figure }, add[figure] ?? 0)
  yield* sql.unsafe(addTallies, [sums.records, stripe])
})

/** The figures that a delta changes. `calls` is always among them: it tells that the stretch of time had calls. */
const figuresOf = (delta: UsageDelta): ReadonlyArray<readonly [figure: string, value: number]> => {
  const changed = [
    ["connected_calls", delta.connected_calls],
    ["duration_seconds", delta.duration_seconds],
    ["cost", delta.cost],
    ...Object.entries(delta.cost_breakdown ?? {}).map(([part, cost]) => [`cost:${part}`, cost] as const),
    ...Object.entries(delta.status_counts).map(([status, count]) => [`status:${status}`, count] as const),
  ] as const
  return [["calls", delta.calls], ...changed.filter(([, value]) => value !== 0)]
}

/** Adds usage by day and by minute; the hours follow from the minutes in the database. A report reads whole days, and less only at its ends. */
export const writeUsage = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  deltas: ReadonlyArray<UsageDelta>,
  stripe: number,
) {
  const sums = new Sums<object>()
  for (const delta of deltas) {
    const { organization_id, agent_id } = delta
    const campaign_id = delta.campaign_id ?? ""
    for (const [figure, value] of figuresOf(delta)) {
      for (const [grain, ms] of [
        ["day", usageDayMs],
        ["minute", usageMinuteMs],
      ] as const) {
        const start = Math.floor(delta.at / ms) * ms
        sums.add({ organization_id, grain, start, agent_id, campaign_id, figure }, value)
      }
    }
  }
  yield* sql.unsafe(addUsage, [sums.records, stripe])
})
