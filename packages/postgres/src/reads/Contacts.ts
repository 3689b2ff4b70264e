import type { Contact, ContactStore } from "@carillon/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { textOf } from "../Documents.ts"
import { reading } from "../Failures.ts"
import { contactRowOf, loadOf, nextContact, type StoredContact } from "../queries/NextContact.ts"
import { fillContacts } from "../queries/PutContacts.ts"
import { rowsOf } from "./Rows.ts"
import { Where } from "./Where.ts"

const places = "select batch_id, row_number, entry, contact from carillon.contacts"

const read = <A>(effect: Parameters<typeof reading<A>>[1]) => reading("call_storage", effect)

export const makeContactStore = (sql: SqlClient.SqlClient): ContactStore["Service"] => ({
  fill: (batchId, fromRow, entries) => read(Effect.asVoid(fillContacts(sql, batchId, fromRow, entries))),
  discard: (batchId) =>
    read(Effect.asVoid(sql.unsafe("delete from carillon.contacts where batch_id = $1 and revision = 0", [batchId]))),
  find: (batchId, row) =>
    read(
      Effect.map(
        sql.unsafe<StoredContact>(`${places} where batch_id = $1 and row_number = $2::integer`, [batchId, row]),
        ([found]) => (found === undefined ? null : contactRowOf(found)),
      ),
    ),
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
  next: (batchIds, moment, besides) => read(nextContact(sql, batchIds, moment, besides)),
  load: (batchIds, moment) => read(loadOf(sql, batchIds, moment)),
  waitingFor: (laneId, toNumber) =>
    read(
      Effect.map(
        rowsOf<Contact>(
          sql,
          "contacts",
          new Where().is("lane_id", laneId).also("to_number = ?", textOf(toNumber)).and("waits_for_number"),
          "batch_id, row_number limit 1",
          "contact",
        ),
        ([first]) => first ?? null,
      ),
    ),
  waitingForNumbers: (after, limit) => {
    const where = new Where().and("waits_for_number").also("contact_id > ?", after ?? undefined)
    return read(rowsOf<Contact>(sql, "contacts", where, `contact_id limit ${Math.trunc(limit)}`, "contact"))
  },
})
