import {
  type Contact,
  type ContactChoice,
  type ContactEntry,
  type ContactLoad,
  type ContactMoment,
  type ContactPlace,
  type ContactRow,
  type ContactTimes,
  usualPriority,
} from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { rowOf, textsOf } from "../Documents.ts"

/**
 * Who is dialled next, without a scan, however many contacts there are: for each batch the first entries of partial indexes. Those whose
 * time has come, the longest due first; else the first that was never dialled, batches in their order. A single `order by` over all
 * batches would sort everything that is due.
 */
const firstOf = (queues: string, isDue: string, order: string) => `
  select batch_id, row_number, entry, contact from (
    select b.batch_id, b.nth, c.row_number, c.entry, c.contact, c.eligible_at
    from unnest($1::text[]) with ordinality as b(batch_id, nth)
    cross join unnest($3::boolean[]) as hours(in_hours_only)${queues}
    cross join lateral (
      select row_number, entry, contact, eligible_at from carillon.contacts
      where batch_id = b.batch_id and in_hours_only = hours.in_hours_only and ${isDue}
        and not exists (
          select from unnest($4::text[], $5::integer[]) as passed(batch_id, row_number)
          where passed.batch_id = b.batch_id and passed.row_number = contacts.row_number)
      order by ${order} limit 1
    ) as c
  ) as found
  order by eligible_at, nth, row_number limit 1`

/**
 * Where only some marks are open, each of them is a queue for itself. The bounds are a range, and the order begins with the mark: so the index by marks
 * alone has what is asked for, and no plan goes through those of other marks, whatever PostgreSQL takes there to be.
 */
const dueOf = (which: string) => ({
  any: firstOf("", `eligible_at <= $2::bigint${which}`, "eligible_at, row_number"),
  open: firstOf(
    " cross join unnest($6::text[]) as open(mark)",
    `eligible_at is not null and hours_of >= open.mark and (hours_of, eligible_at) <= (open.mark, $2::bigint)${which}`,
    "hours_of, eligible_at, row_number",
  ),
})

/** That a contact is held back stands in its row only: those that are and have been due for longer are looked at. */
const due: { readonly [choice in ContactChoice]: ReturnType<typeof dueOf> } = {
  all: dueOf(""),
  unheld: dueOf(" and coalesce((contact ->> 'holds')::integer, 0) = 0"),
}

const freshBy = (order: string) => `
  select b.batch_id, c.row_number, c.entry, c.contact
  from unnest($1::text[]) with ordinality as b(batch_id, nth)
  cross join lateral (
    select row_number, entry, contact, priority from carillon.contacts
    where batch_id = b.batch_id and revision = 0 order by row_number limit 1
  ) as c
  order by ${order}b.nth limit 1`

/** The first of each batch is the first of its highest priority: only these are asked how high that is. */
const fresh = {
  inTurn: freshBy(""),
  byPriority: freshBy(`coalesce(c.priority, ${usualPriority}) desc, `),
}

const waitingOf = "batch_id = b.batch_id and in_hours_only = hours.in_hours_only and eligible_at is not null"

/** Goes from the first who waits with one mark to the first with the next: those behind them are not read. */
const marksOfQueue = `
  with recursive each as (
    (select hours_of as mark from carillon.contacts where ${waitingOf} order by hours_of limit 1)
    union all
    select next.mark from each cross join lateral (
      select hours_of as mark from carillon.contacts
      where ${waitingOf} and hours_of > each.mark order by hours_of limit 1
    ) as next
  )
  select mark from each`

const marks = `
  select distinct found.mark
  from unnest($1::text[]) as b(batch_id)
  cross join (values (false), (true)) as hours(in_hours_only)
  cross join lateral (${marksOfQueue}) as found
  order by 1`

/**
 * What a lane's batches have to dial. Contacts are first dialled in order, so those that never were are the distance from the first of
 * them to the last row, two probes of an index, but for those that were left out; only these and who may be dialled are counted.
 */
const loadWhere = (isOpen: string, isClosed: string) => `
  select
    coalesce(sum(untouched.count + due.count), 0)::double precision as dialable,
    coalesce(bool_or(waiting.is_there), false) as waits,
    min(waiting.next_due)::double precision as next_due
  from unnest($1::text[]) as b(batch_id)
  cross join lateral (
    select
      (select row_number from carillon.contacts where batch_id = b.batch_id and revision = 0 order by row_number limit 1) as first,
      (select row_number from carillon.contacts where batch_id = b.batch_id order by row_number desc limit 1) as last
  ) as row
  cross join lateral (
    select coalesce(row.last + 1 - row.first - count(*), 0) as count
    from carillon.contacts where batch_id = b.batch_id and left_out and row_number > row.first
  ) as untouched
  cross join lateral (
    select count(*) as count from carillon.contacts
    where batch_id = b.batch_id and in_hours_only = any($3::boolean[]) and eligible_at <= $2::bigint${isOpen}
  ) as due
  cross join lateral (
    select min(later.eligible_at) as next_due,
      bool_or(later.eligible_at is not null or not hours.in_hours_only = any($3::boolean[])${isClosed}) as is_there
    from (values (false), (true)) as hours(in_hours_only)
    cross join lateral (select from carillon.contacts where ${waitingOf} order by eligible_at limit 1) as any_of_them
    left join lateral (
      select eligible_at from carillon.contacts where ${waitingOf} and eligible_at > $2::bigint order by eligible_at limit 1
    ) as later on true
  ) as waiting`

const load = {
  any: loadWhere("", ""),
  open: loadWhere(
    " and hours_of = any($4::text[])",
    ` or exists (select from (${marksOfQueue}) as found where not mark = any($4::text[]))`,
  ),
}

/** Whoever waits for a time is looked at; that a contact was held back stands in its row only. */
const times = `
  select
    count(*) filter (where later and held)::double precision as held,
    min(eligible_at) filter (where later and held)::double precision as held_next,
    count(*) filter (where later and not held)::double precision as planned,
    min(eligible_at) filter (where later and not held)::double precision as planned_next,
    max(eligible_at) filter (where not in_hours_only)::double precision as anytime,
    max(eligible_at) filter (where in_hours_only)::double precision as in_hours
  from unnest($1::text[]) as b(batch_id)
  cross join lateral (
    select eligible_at, in_hours_only, eligible_at > $2::bigint as later,
      coalesce((contact ->> 'holds')::integer, 0) > 0 as held
    from carillon.contacts where batch_id = b.batch_id and eligible_at is not null
  ) as waiting`

interface StoredTimes {
  readonly held: number
  readonly held_next: number | null
  readonly planned: number
  readonly planned_next: number | null
  readonly anytime: number | null
  readonly in_hours: number | null
}

const nobodyWaits: StoredTimes = {
  held: 0,
  held_next: null,
  planned: 0,
  planned_next: null,
  anytime: null,
  in_hours: null,
}

/** A contact as it is stored. */
export interface StoredContact {
  readonly batch_id: string
  readonly row_number: number
  readonly entry: ContactEntry
  readonly contact: Contact | null
}

export const contactRowOf = ({ batch_id, row_number, entry, contact }: StoredContact): ContactRow => ({
  batch_id,
  row: row_number,
  entry: rowOf(entry),
  contact: contact === null ? null : rowOf(contact),
})

/** Which contacts may be dialled: by whether they wait for the campaign's hours. */
const kindsOf = (in_hours: boolean): ReadonlyArray<boolean> => (in_hours ? [false, true] : [false])

/** The next contact to dial of the batches, or null. */
export const nextContact = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  batchIds: ReadonlyArray<string>,
  { by_priority, now, in_hours, marks: open }: ContactMoment,
  besides: ReadonlyArray<ContactPlace>,
  choice: ContactChoice,
) {
  const passed = [besides.map(({ batch_id }) => batch_id), besides.map(({ row }) => row)]
  const parameters = [batchIds, now, kindsOf(in_hours), ...passed]
  const [waited] =
    open === undefined
      ? yield* sql.unsafe<StoredContact>(due[choice].any, parameters)
      : yield* sql.unsafe<StoredContact>(due[choice].open, [...parameters, textsOf(open)])
  if (waited !== undefined) return contactRowOf(waited)
  const [first] = yield* sql.unsafe<StoredContact>(by_priority === true ? fresh.byPriority : fresh.inTurn, [batchIds])
  return first === undefined ? null : contactRowOf(first)
})

/** When the batches' contacts are due. */
export const timesOf = (sql: SqlClient.SqlClient, batchIds: ReadonlyArray<string>, now: number) =>
  Effect.map(sql.unsafe<StoredTimes>(times, [batchIds, now]), ([found = nobodyWaits]): ContactTimes => ({
    held: { contacts: found.held, next_due: found.held_next },
    planned: { contacts: found.planned, next_due: found.planned_next },
    last: { anytime: found.anytime, in_hours: found.in_hours },
  }))

/** What the batches have to dial. */
export const loadOf = (
  sql: SqlClient.SqlClient,
  batchIds: ReadonlyArray<string>,
  { now, in_hours, marks: open }: ContactMoment,
) =>
  Effect.map(
    open === undefined
      ? sql.unsafe<ContactLoad>(load.any, [batchIds, now, kindsOf(in_hours)])
      : sql.unsafe<ContactLoad>(load.open, [batchIds, now, kindsOf(in_hours), textsOf(open)]),
    ([found]): ContactLoad => found ?? { dialable: 0, waits: false, next_due: null },
  )

/** The marks of the batches' contacts that wait for a time. */
export const marksOf = (sql: SqlClient.SqlClient, batchIds: ReadonlyArray<string>) =>
  Effect.map(sql.unsafe<{ readonly mark: string }>(marks, [batchIds]), (found) => found.map(({ mark }) => mark))
