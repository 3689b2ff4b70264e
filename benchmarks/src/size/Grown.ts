import { usageDayMs, usageMinuteMs } from "@carillon/core/ports"
import { Postgres } from "@carillon/postgres"
import { Duration, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"

/** What takes longer is told of. */
const toldSeconds = 1
/** Tables are filled, and indexes made, so many at a time. */
const connections = 2
/** Rows that one statement copies. */
const chunk = 25_000
/** So many calls have one number. */
const callsOfNumber = 5
/** So many contacts has a batch; each of them has one call. */
const contactsOfBatch = 1_000
/** How long a call has lasted until all was told of it. */
const tookMs = 60_000

/** A contact's place in its id, to the base of 36. */
const digit = (over: number): string =>
  `substr('0123456789abcdefghijklmnopqrstuvwxyz', (place / ${over} % 36)::integer + 1, 1)`
const placeName = `coalesce(nullif(ltrim(${[1_296, 36, 1].map(digit).join(" || ")}, '0'), ''), '0')`

/** The id of the event that a call has ended: what `eventIdOf` makes of it. */
const eventId = `'evt_' || (
  select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', (get_byte(digest, nth) & 31) + 1, 1), '' order by nth)
  from sha256('event'::bytea || '\\x00'::bytea || convert_to(execution_id, 'UTF8') || '\\x00'::bytea
    || 'call_completed'::bytea || '\\x00'::bytea || '1'::bytea) as d(digest), generate_series(0, 21) as nth)`

/** What usage counts of a call `c`. */
const figures = {
  calls: "1::double precision",
  connected_calls: "(c.status = 'completed')::integer::double precision",
  duration_seconds: "coalesce((c.row ->> 'duration_seconds')::double precision, 0)",
  cost: "coalesce((c.row -> 'cost' ->> 'total')::double precision, 0)",
} as const

/** What is copied: each ended call with its batch, contact, transcript, event and delivery, where it has them. */
const templates = `
  create table growth.templates as
  select c.campaign_id, row_number() over (partition by c.campaign_id order by c.execution_id) - 1 as place,
    dense_rank() over (order by c.campaign_id) - 1 as campaign, c.execution_id, c.contact_id, c.batch_id, c as call, m as media,
    b as batch, k as contact, e as event, d as delivery, ${Object.entries(figures)
      .map(([name, expression]) => `${expression} as "${name}"`)
      .join(", ")}
  from carillon.calls as c
  join carillon.batches as b using (batch_id)
  join carillon.contacts as k on k.batch_id = c.batch_id and k.contact_id = c.contact_id
  left join carillon.call_media as m using (execution_id)
  left join carillon.deliveries as d
    on d.organization_id = c.organization_id and d.execution_id = c.execution_id and d.event_type = 'call_completed'
  left join carillon.events as e on e.event_id = d.event_id
  where c.execution_id = any($1::text[])`

/** A line for each copy, each with ids, a time, a number and a contact of its own. Batches are of one campaign after the other. */
const copies = `
  create unlogged table growth.copies as
  select n.*, ${eventId} as event_id from (
    select nth, nth / ${contactsOfBatch} % (select count(distinct campaign_id) from growth.templates) as campaign,
      nth % (select count(*) / count(distinct campaign_id) from growth.templates) as place_of_template,
      place, 'exec_' || md5(salt || nth) as execution_id, 'bat_' || batch as batch_id, 'con_' || batch || '_' || ${placeName} as contact_id,
      'dlv_' || md5(salt || 'delivery' || nth) as delivery_id,
      $2::bigint + (nth * $3::double precision)::bigint as at,
      '+1212' || lpad((nth / ${callsOfNumber})::text, 7, '0') as number
    from (select nth, $1::text as salt, md5($1::text || 'batch' || nth / ${contactsOfBatch}) as batch, nth % ${contactsOfBatch} as place
      from generate_series(0::bigint, $4::bigint - 1) as nth) as numbered
  ) as n`

/** Those of a chunk, with what they are copies of. */
const chosen = `(select * from growth.copies where nth between $1::bigint and $2::bigint) as n
  join growth.templates as t on t.campaign = n.campaign and t.place = n.place_of_template`

const day = usageDayMs

const calls = `
  insert into carillon.calls overriding user value
  select r.* from ${chosen} cross join lateral jsonb_populate_record(t.call, jsonb_build_object(
    'execution_id', n.execution_id, 'created_at', n.at, 'to_number', n.number, 'contact_id', n.contact_id, 'batch_id', n.batch_id,
    'processing', false, 'row', (t.call).row::jsonb || jsonb_build_object(
      'execution_id', n.execution_id, 'created_at', n.at, 'updated_at', n.at + ${tookMs}, 'completed_at', n.at + ${tookMs},
      'final_report_at', n.at + ${tookMs}, 'to_number', n.number, 'contact_id', n.contact_id, 'batch_id', n.batch_id,
      'processing', jsonb_build_object('analysed_at', null, 'due_at', null, 'completed_at', n.at + ${tookMs}, 'corrections', 0))
  )) as r order by n.nth`

const media = `
  insert into carillon.call_media
  select r.* from ${chosen} cross join lateral jsonb_populate_record(t.media, jsonb_build_object(
    'execution_id', n.execution_id, 'row', (t.media).row::jsonb || jsonb_build_object('execution_id', n.execution_id)
  )) as r where (t.media).execution_id is not null order by n.nth`

const contacts = `
  insert into carillon.contacts
  select r.* from ${chosen} cross join lateral jsonb_populate_record(t.contact, jsonb_build_object(
    'batch_id', n.batch_id, 'row_number', n.place, 'to_number', n.number, 'contact_id', n.contact_id,
    'entry', (t.contact).entry::jsonb || jsonb_build_object('to_number', n.number),
    'contact', (t.contact).contact::jsonb || jsonb_build_object(
      'contact_id', n.contact_id, 'batch_id', n.batch_id, 'row', n.place,
      'first_execution_id', n.execution_id, 'last_execution_id', n.execution_id, 'last_ended_at', n.at + ${tookMs})
  )) as r order by n.nth`

/** What an event tells names its call and itself, as a text. */
const events = `
  insert into carillon.events
  select r.* from ${chosen} cross join lateral jsonb_populate_record(t.event, jsonb_build_object(
    'event_id', n.event_id, 'waiting', false, 'expires_at', n.at + ${31 * day},
    'row', replace(replace((t.event).row::text, t.execution_id, n.execution_id), (t.event).event_id, n.event_id)::jsonb
      || jsonb_build_object('raised_at', n.at + ${tookMs}, 'routed_at', n.at + ${tookMs}, 'expires_at', n.at + ${31 * day})
  )) as r where (t.event).event_id is not null order by n.nth`

const deliveries = `
  insert into carillon.deliveries overriding user value
  select r.* from ${chosen} cross join lateral jsonb_populate_record(t.delivery, jsonb_build_object(
    'delivery_id', n.delivery_id, 'event_id', n.event_id, 'execution_id', n.execution_id, 'status', 'delivered', 'due', false,
    'created_at', n.at + ${tookMs}, 'expires_at', n.at + ${30 * day},
    'row', (t.delivery).row::jsonb || jsonb_build_object(
      'delivery_id', n.delivery_id, 'event_id', n.event_id, 'execution_id', n.execution_id, 'status', 'delivered', 'due_at', null,
      'created_at', n.at + ${tookMs}, 'expires_at', n.at + ${30 * day})
  )) as r where (t.delivery).delivery_id is not null order by n.nth`

/** Each batch of the copies once, with the one that it is a copy of. */
const grouped = `
  (select batch_id, campaign, min(at) as first, max(at) + ${tookMs} as last, count(*) as contacts
    from growth.copies group by 1, 2) as n
  join (select distinct on (campaign) campaign, campaign_id, batch_id as template, batch from growth.templates) as t using (campaign)`

const batches = `
  insert into carillon.batches overriding user value
  select r.* from ${grouped} cross join lateral jsonb_populate_record(t.batch, jsonb_build_object(
    'batch_id', n.batch_id, 'created_at', n.first, 'row', (t.batch).row::jsonb || jsonb_build_object(
      'batch_id', n.batch_id, 'total_contacts', n.contacts, 'created_at', n.first, 'updated_at', n.last,
      'started_at', n.first, 'completed_at', n.last)
  )) as r order by n.first`

/** What is counted of a batch, as often as its contacts were copied. */
const batchTallies = `
  insert into carillon.tallies (subject, figure, stripe, value)
  select n.batch_id, f.figure, 0, f.value * n.contacts / (select count(*) from growth.templates as g where g.campaign = n.campaign)
  from ${grouped} cross join lateral
    (select figure, sum(value) as value from carillon.tallies where subject = t.template group by figure) as f`

/** Of a campaign the same, and its batches. */
const campaignTallies = `
  insert into carillon.tallies as c (subject, figure, stripe, value)
  select t.campaign_id, f.figure, 0, sum(f.value)
  from ${grouped} cross join lateral (
    select figure, value from carillon.tallies where subject = n.batch_id union all select 'batch:completed', 1
  ) as f
  group by 1, 2
  on conflict (subject, figure, stripe) do update set value = c.value + excluded.value`

const sums = Object.keys(figures).map((name) => `sum("${name}") as "${name}"`)
const summed = [
  ...Object.keys(figures).map((name) => `('${name}', c."${name}")`),
  // The count of its status has the same sum as that of its calls.
  `('status:' || c.status, c.calls)`,
]

/** What usage counts of the copies, by the day or by the minute. What it had counted of the calls that were copied stays. */
const usage = (grain: "day" | "minute", ms: number): string => `
  insert into carillon.usage as u (organization_id, grain, start, agent_id, campaign_id, figure, stripe, value)
  select organization_id, '${grain}', start, agent_id, campaign_id, figure, 0, sum(f.value)
  from (
    select (t.call).organization_id, n.at - n.at % ${ms} as start, (t.call).agent_id, coalesce((t.call).campaign_id, '') as campaign_id,
      (t.call).status, ${sums.join(", ")}
    from growth.copies as n join growth.templates as t on t.campaign = n.campaign and t.place = n.place_of_template
    group by 1, 2, 3, 4, 5
  ) as c cross join lateral (values ${summed.join(", ")}) as f (figure, value)
  group by 1, 3, 4, 5, 6
  on conflict (organization_id, grain, start, agent_id, campaign_id, figure, stripe) do update set value = u.value + excluded.value`

/** Tables that are filled much faster where their indexes are made afterwards. */
const filled = ["calls", "call_media", "contacts", "events", "deliveries"]

interface Index {
  readonly name: string
  readonly definition: string
}

/** What only finds rows, and keeps none from being there twice. */
const indexes = `
  select indexname as name, indexdef as definition from pg_indexes
  where schemaname = 'carillon' and tablename = any($1::text[]) and indexdef not like 'CREATE UNIQUE%'`

/** Says how long it took, where it was long enough to wait for. */
const timed = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.timed(effect), ([took, value]) => {
    const seconds = Duration.toSeconds(took)
    if (seconds >= toldSeconds) process.stdout.write(`  ${name}: ${seconds.toFixed(0)} s\n`)
    return value
  })

/** Fills tables without their indexes. */
const withoutIndexes = Effect.fnUntraced(function* <A, E, R>(fill: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql.unsafe<Index>(indexes, [filled])
  for (const { name } of found) yield* sql.unsafe(`drop index carillon.${name}`)
  yield* fill
  yield* Effect.forEach(found, ({ definition, name }) => timed(`index ${name}`, run(definition)), {
    concurrency: connections,
    discard: true,
  })
})

/** An organization, the finished calls of campaigns that are copied, and when those that it gets were made (epoch milliseconds). */
export interface Grower {
  readonly organization_id: string
  readonly executionIds: ReadonlyArray<string>
  readonly parts: ReadonlyArray<{ readonly calls: number; readonly from: number; readonly to: number }>
}

/** How the server is while it is filled: what it writes need not be on the disk before the end, and an index is made in memory. */
const filling = {
  synchronous_commit: "off",
  max_wal_size: "16GB",
  checkpoint_timeout: "1h",
  maintenance_work_mem: "512MB",
  work_mem: "64MB",
  autovacuum: "off",
} as const

const reload = "select pg_reload_conf()"

/** Fills while the server is set up for it. */
const whileFilling = Effect.fnUntraced(function* <A, E, R>(fill: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  for (const [name, value] of Object.entries(filling)) yield* sql.unsafe(`alter system set ${name} = '${value}'`)
  yield* sql.unsafe(reload)
  yield* fill
  for (const name of Object.keys(filling)) yield* sql.unsafe(`alter system reset ${name}`)
  yield* sql.unsafe(reload)
})

/** A statement that may take as long as it needs. */
const run = (statement: string, parameters: ReadonlyArray<unknown> = []) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.andThen(sql.unsafe("set local statement_timeout = 0"), sql.unsafe(statement, parameters)),
    ),
  )

const copyPart = Effect.fnUntraced(function* (
  { executionIds, organization_id }: Grower,
  { calls: count, from, to }: Grower["parts"][number],
) {
  yield* run("drop schema if exists growth cascade")
  yield* run("create schema growth")
  yield* run(templates, [executionIds])
  yield* timed(`${count} copies`, run(copies, [`${organization_id} ${from}`, from, (to - from) / count, count]))
  yield* run("create index on growth.copies (nth)")
  yield* run("analyze growth.copies, growth.templates")
  const firsts = Array.from({ length: Math.ceil(count / chunk) }, (_, nth) => nth * chunk)
  const tables = Object.entries({ calls, events, deliveries, contacts, media })
  yield* Effect.forEach(
    tables,
    ([name, table]) =>
      timed(
        `${count} ${name}`,
        Effect.forEach(firsts, (first) => run(table, [first, first + chunk - 1]), { discard: true }),
      ),
    { concurrency: connections, discard: true },
  )
  for (const statement of [batches, batchTallies, campaignTallies]) yield* run(statement)
  yield* timed("usage by day", run(usage("day", usageDayMs)))
  yield* timed("usage by minute", run(usage("minute", usageMinuteMs)))
  yield* run("drop schema growth cascade")
})

const grown = (growers: ReadonlyArray<Grower>) =>
  whileFilling(
    withoutIndexes(Effect.all(growers.flatMap((grower) => grower.parts.map((part) => copyPart(grower, part))))),
  )

/** What the server would do in its own time. */
const settled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("set statement_timeout = 0")
  yield* timed("vacuum", sql.unsafe("vacuum analyze"))
  yield* timed("checkpoint", sql.unsafe("checkpoint"))
})

/**
 * Lets organizations have made so many calls, each of a contact of its own, with all that was told of it; what is counted of calls is counted, too.
 * Nobody may write meanwhile.
 */
export const grow = async (url: string, growers: ReadonlyArray<Grower>): Promise<void> => {
  const client = (maxConnections: number) => Postgres.layerClient({ url: Redacted.make(url), maxConnections })
  await Effect.runPromise(Effect.provide(grown(growers), client(connections)))
  await Effect.runPromise(Effect.provide(settled, client(1)))
}
