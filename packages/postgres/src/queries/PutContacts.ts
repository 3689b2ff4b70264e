import { type Contact, type ContactEntry, isLeftOut, isWaiting as waits, placeOf } from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { atOnce } from "../AtOnce.ts"
import { documentOf, textOf } from "../Documents.ts"
import { counted } from "../rows/Table.ts"

/**
 * A contact is one row from intake to its end: what was handed in, and from its first dial on what has become of it. A million contacts
 * are thus a million inserts, and no dial adds a row. Intake takes them apart on the server, a thousand at a time; a chunk that is sent
 * again takes the same place.
 */
const fill = `
  insert into carillon.contacts (batch_id, row_number, to_number, entry, priority)
  select $1, row_number, to_number, entry::json, priority
  from jsonb_to_recordset($2::jsonb) as r(row_number integer, to_number text, entry text, priority smallint)
  on conflict (batch_id, row_number) do update
  set to_number = excluded.to_number, entry = excluded.entry, priority = excluded.priority`

const put = `
  update carillon.contacts as t set
    contact_id = r.contact_id, lane_id = r.lane_id, revision = r.revision, eligible_at = r.eligible_at,
    in_hours_only = r.in_hours_only, hours_of = r.hours_of, waits_for_number = r.waits_for_number, left_out = r.left_out, contact = r.contact::json
  from ${counted(`batch_id text, row_number integer, contact_id text, lane_id text, revision integer,
    eligible_at bigint, in_hours_only boolean, hours_of text, waits_for_number boolean, left_out boolean, contact text`)}
  where t.batch_id = r.batch_id and t.row_number = r.row_number and t.revision = r.revision - 1
  returning t.contact_id as id`

/** Stores entries of a batch from a row on. */
export const fillContacts = (
  sql: SqlClient.SqlClient,
  batchId: string,
  fromRow: number,
  entries: ReadonlyArray<ContactEntry>,
) => {
  const records = entries.map((entry, index) => ({
    row_number: fromRow + index,
    to_number: textOf(entry.to_number),
    entry: documentOf(entry),
    priority: entry.priority,
  }))
  return sql.unsafe(fill, [batchId, JSON.stringify(records)])
}

/** Stores something else in the place of an entry that is there. */
export const replaceContact = (sql: SqlClient.SqlClient, batchId: string, row: number, entry: ContactEntry) =>
  sql.unsafe(
    "update carillon.contacts set to_number = $3, entry = $4::text::json, priority = $5::smallint where batch_id = $1 and row_number = $2",
    [batchId, row, textOf(entry.to_number), documentOf(entry), entry.priority ?? null],
  )

/** Writes contacts that are at the revision before; returns the ids of those that were. */
export const writeContacts = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, contacts: ReadonlyArray<Contact>) {
  const records = contacts.map((contact) => {
    const isWaiting = waits(contact.status)
    const waits_for_number = isWaiting && contact.waits_for_number
    return {
      batch_id: contact.batch_id,
      row_number: contact.row,
      contact_id: contact.contact_id,
      lane_id: contact.campaign_id ?? contact.batch_id,
      revision: contact.revision,
      eligible_at: isWaiting && !waits_for_number ? contact.eligible_at : null,
      in_hours_only: contact.in_hours_only,
      hours_of: textOf(contact.hours_of ?? ""),
      waits_for_number,
      left_out: isLeftOut(contact),
      contact: documentOf(contact),
    }
  })
  const written = yield* sql.unsafe<{ readonly id: string }>(put, [JSON.stringify(records), records.length])
  return written.map(({ id }) => id)
})

/** Removes contacts with what was handed in of them. */
export const removeContacts = (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>) => {
  const places = ids.map(placeOf).filter((place) => place !== null)
  return atOnce(
    [...Map.groupBy(places, ({ batch_id }) => batch_id)].map(([batchId, found]) =>
      sql.unsafe("delete from carillon.contacts where batch_id = $1 and row_number = any($2::integer[])", [
        batchId,
        found.map(({ row }) => row),
      ]),
    ),
  )
}
