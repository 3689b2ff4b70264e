import { usageDayMs, usageMinuteMs } from "@carillon/core"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

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

/** What is copied: each ended call with its batch, contact, transcript, event and delivery, where it has them. */
const templates = `
  create table growth.templates as
  select c.campaign_id, row_number() over (partition by c.campaign_id order by c.execution_id) - 1 as place,
    dense_rank() over (order by c.campaign_id) - 1 as campaign, c.execution_id, c.contact_id, c.batch_id, c as call, m as media,
    b as batch, k as contact, e as event, d as delivery
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

const figures = `(values ('calls', 1::double precision), ('status:' || c.status, 1),
  ('connected_calls', (c.status = 'completed')::integer),
  ('duration_seconds', coalesce((c.row ->> 'duration_seconds')::double precision, 0)),
  ('cost', coalesce((c.row -> 'cost' ->> 'total')::double precision, 0))) as f (figure, value)`

const usage = (grain: "day" | "minute", ms: number): string => `
  insert into carillon.usage (organization_id, grain, start, agent_id, campaign_id, figure, stripe, value)
  select organization_id, '${grain}', created_at - created_at % ${ms}, agent_id, coalesce(campaign_id, ''), figure, 0, sum(value)
  from carillon.calls as c cross join lateral ${figures}
  where organization_id = $1 group by 1, 2, 3, 4, 5, 6`

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

/** Fills tables without their indexes. */
const withoutIndexes = Effect.fnUntraced(function* <A, E, R>(fill: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql.unsafe<Index>(indexes, [filled])
  for (const { name } of found) yield* sql.unsafe(`drop index carillon.${name}`)
  yield* fill
  for (const { definition } of found) yield* sql.unsafe(definition)
})

/** An organization, the finished calls of campaigns that are copied, and when those that it gets were made (epoch milliseconds). */
export interface Grower {
  readonly organization_id: string
  readonly executionIds: ReadonlyArray<string>
  readonly parts: ReadonlyArray<{ readonly calls: number; readonly from: number; readonly to: number }>
}

const copyPart = Effect.fnUntraced(function* (
  { executionIds, organization_id }: Grower,
  { calls: count, from, to }: Grower["parts"][number],
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("drop schema if exists growth cascade")
  yield* sql.unsafe("create schema growth")
  yield* sql.unsafe(templates, [executionIds])
  yield* sql.unsafe(copies, [`${organization_id} ${from}`, from, (to - from) / count, count])
  yield* sql.unsafe("create index on growth.copies (nth)")
  yield* sql.unsafe("analyze growth.copies, growth.templates")
  for (const table of [calls, media, contacts, events, deliveries]) {
    for (let first = 0; first < count; first += chunk) yield* sql.unsafe(table, [first, first + chunk - 1])
  }
  for (const statement of [batches, batchTallies, campaignTallies]) yield* sql.unsafe(statement)
  yield* sql.unsafe("drop schema growth cascade")
})

/**
 * Lets organizations have made so many calls, each of a contact of its own, with all that was told of it; what is counted of calls is counted
 * anew. Nobody may write meanwhile.
 */
export const grow = Effect.fnUntraced(function* (growers: ReadonlyArray<Grower>) {
  const sql = yield* SqlClient.SqlClient
  const parts = growers.flatMap((grower) => grower.parts.map((part) => copyPart(grower, part)))
  yield* withoutIndexes(Effect.all(parts))
  for (const { organization_id } of growers) {
    yield* sql.unsafe("delete from carillon.usage where organization_id = $1", [organization_id])
    yield* sql.unsafe(usage("day", usageDayMs), [organization_id])
    yield* sql.unsafe(usage("minute", usageMinuteMs), [organization_id])
  }
  yield* sql.unsafe("vacuum analyze")
  yield* sql.unsafe("checkpoint")
})
