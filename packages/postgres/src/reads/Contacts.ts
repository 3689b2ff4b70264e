import { type Contact, type ContactPlace, type ContactRow, type ContactStore, descriptions } from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { rowOf, textOf } from "../Documents.ts"
import { reading } from "../Failures.ts"
import { waitsSince } from "../migrations/NumberQueue.ts"
import { contactRowOf, loadOf, marksOf, nextContact, type StoredContact, timesOf } from "../queries/NextContact.ts"
import { fillContacts, replaceContact } from "../queries/PutContacts.ts"
import { detached } from "../Detached.ts"
import { gather } from "./Gather.ts"
import { rowsOf } from "./Rows.ts"
import { Where } from "./Where.ts"

const places = "select batch_id, row_number, entry, contact from carillon.contacts"

const read = <A>(effect: Parameters<typeof reading<A>>[1]) => reading(descriptions.contact.dependency, effect)

const byPlaces = `${places} join unnest($1::text[], $2::integer[]) as r(batch_id, row_number) using (batch_id, row_number)`

const waiter = `
  select batch_id, in_hours_only, contact from carillon.contacts
  where lane_id = r.lane_id and to_number = r.number and waits_for_number`

const firstWaiter = `order by batch_id, in_hours_only, ${waitsSince}, row_number limit 1`

/** Goes from the first who waits in one batch to the first in the next: those behind them are not read. */
const byNumbers = `
  select r.lane_id, r.number, c.contact
  from unnest($1::text[], $2::text[]) as r(lane_id, number)
  cross join lateral (
    with recursive heirs as (
      (${waiter} ${firstWaiter})
      union all
      select next.* from heirs cross join lateral (
        ${waiter} and (batch_id, in_hours_only) > (heirs.batch_id, heirs.in_hours_only) ${firstWaiter}
      ) as next
    )
    select contact from heirs order by batch_id, in_hours_only
  ) as c`

const waiters = "where lane_id = $1 and waits_for_number"

const inTurn = `order by to_number, batch_id, in_hours_only, ${waitsSince}, row_number limit $2::bigint`

/** The index on lane and number has them in this order, so the limit ends the read. */
const waitingInLane = `${places} ${waiters} ${inTurn}`

/** The index knows the batch, too, so those of others are passed over in it. */
const waitingInBatches = `${places} ${waiters} and batch_id = any($3::text[]) ${inTurn}`

/** The index by marks has them side by side. */
const marked =
  "select contact from carillon.contacts where batch_id = any($1::text[]) and in_hours_only and hours_of = $2 and eligible_at is not null limit $3::bigint"

interface MarkedContact {
  readonly contact: Contact
}

interface NumberOfLane {
  readonly laneId: string
  readonly toNumber: string
}

const numberName = ({ laneId, toNumber }: NumberOfLane): string => `${textOf(laneId)} ${textOf(toNumber)}`

const placeName = ({ batch_id, row }: ContactPlace): string => `${textOf(batch_id)} ${row}`

/** The contacts in their places, those that are asked for at the same time together. */
const findIn = (sql: SqlClient.SqlClient) =>
  gather(detached(sql), placeName, (asked: ReadonlyArray<ContactPlace>) =>
    read(
      Effect.map(
        sql.unsafe<StoredContact>(byPlaces, [
          asked.map(({ batch_id }) => textOf(batch_id)),
          asked.map(({ row }) => row),
        ]),
        (found) => {
          const rows = new Map(
            found.map((stored) => {
              const row = contactRowOf(stored)
              return [placeName(row), row] as const
            }),
          )
          return (place: ContactPlace): ContactRow | null => rows.get(placeName(place)) ?? null
        },
      ),
    ),
  )

interface WaitingContact {
  readonly lane_id: string
  readonly number: string
  readonly contact: Contact
}

const heirsIn = (sql: SqlClient.SqlClient) =>
  gather(detached(sql), numberName, (asked: ReadonlyArray<NumberOfLane>) =>
    read(
      Effect.map(
        sql.unsafe<WaitingContact>(byNumbers, [
          asked.map(({ laneId }) => textOf(laneId)),
          asked.map(({ toNumber }) => textOf(toNumber)),
        ]),
        (found) => {
          const heirs = Map.groupBy(found, ({ lane_id, number }) => `${lane_id} ${number}`)
          return (number: NumberOfLane): ReadonlyArray<Contact> =>
            heirs.get(numberName(number))?.map(({ contact }) => rowOf(contact)) ?? []
        },
      ),
    ),
  )

export const makeContactStore = (sql: SqlClient.SqlClient): ContactStore["Service"] => {
  const find = findIn(sql)
  const heirs = heirsIn(sql)
  return {
    fill: (batchId, fromRow, entries) => read(Effect.asVoid(fillContacts(sql, batchId, fromRow, entries))),
    replace: (batchId, row, entry) => read(Effect.asVoid(replaceContact(sql, batchId, row, entry))),
    discard: (batchId) =>
      read(Effect.asVoid(sql.unsafe("delete from carillon.contacts where batch_id = $1 and revision = 0", [batchId]))),
    find: (batchId, row) => find({ batch_id: batchId, row }),
    rows: (batchId, fromRow, limit) =>
      read(
        Effect.map(
          sql.unsafe<StoredContact>(
            `${places} where batch_id = $1 and row_number >= $2::integer order by row_number limit $3::bigint`,
            [batchId, fromRow, limit],
          ),
          (found) => found.map(contactRowOf),
        ),
      ),
    next: (batchIds, moment, besides, choice) => read(nextContact(sql, batchIds, moment, besides, choice)),
    marks: (batchIds) => read(marksOf(sql, batchIds)),
    marked: (batchIds, mark, limit) =>
      read(
        Effect.map(sql.unsafe<MarkedContact>(marked, [batchIds.map(textOf), textOf(mark), limit]), (found) =>
          found.map(({ contact }) => contact),
        ),
      ),
    load: (batchIds, moment) => read(loadOf(sql, batchIds, moment)),
    times: (batchIds, now) => read(timesOf(sql, batchIds, now)),
    heirs: (laneId, toNumber) => heirs({ laneId, toNumber }),
    waitingIn: (laneId, limit, batchIds) => {
      const some =
        batchIds === undefined
          ? sql.unsafe<StoredContact>(waitingInLane, [textOf(laneId), limit])
          : sql.unsafe<StoredContact>(waitingInBatches, [textOf(laneId), limit, batchIds.map(textOf)])
      return read(Effect.map(some, (found) => found.map(contactRowOf)))
    },
    waitingForNumbers: (after, limit) => {
      const where = new Where().and("waits_for_number").also("contact_id > ?", after ?? undefined)
      return read(rowsOf<Contact>(sql, "contacts", where, `contact_id limit ${Math.trunc(limit)}`, "contact"))
    },
  }
}
