import type { Organization, PortError } from "@carillon/core"
import {
  type Contact,
  descriptions,
  type EndpointFailure,
  FoundRows,
  placeOf,
  type RowAsked,
  type RowKind,
  type Rows,
  rowKinds,
  type Store,
  type Subscription,
} from "@carillon/core/ports"
import { Deferred, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { detached } from "../Detached.ts"
import { rowOf, textOf } from "../Documents.ts"
import { reading } from "../Failures.ts"
import type { Table } from "../rows/Table.ts"
import { tables } from "../rows/Tables.ts"
import { type Ask, asking } from "./Gather.ts"
import { bytesOf, readWhenGiven, rowOfBytes } from "./RowBytes.ts"
import { idCharacters } from "./Rows.ts"

/** What a statement found: the place in the list that was asked for, from 1, and how its row is read. */
interface Found<Row> {
  readonly nth: number
  readonly read: () => Row
}

interface Stored {
  readonly nth: number
  readonly row: Uint8Array
}

/** Reads the rows of some ids, or of some second keys of organizations. */
type Read<Asked, Row> = (
  sql: SqlClient.SqlClient,
  asked: ReadonlyArray<Asked>,
) => Effect.Effect<ReadonlyArray<Found<Row>>, SqlError.SqlError>

interface Key {
  readonly organization_id: string
  readonly key: string
}

/** How the rows of a kind are read; a kind of which nothing is unique beside the id has no second key. */
interface Reads<Row> {
  readonly byId: Read<string, Row>
  readonly byKey?: Read<Key, Row>
}

/** Each id, or each key, is looked up for itself in its index, however many there are. */
const byIds = (table: Pick<Table<never>, "id" | "name">, columns: string) => `
  select nth::integer as nth, t.* from unnest($1::text[]) with ordinality as r(id, nth)
  cross join lateral (select ${columns} from carillon.${table.name} where ${table.id} = r.id limit 1) as t`

const byKeys = ({ name }: Pick<Table<never>, "name">, columns: string, condition: string) => `
  select nth::integer as nth, t.* from unnest($1::text[], $2::text[]) with ordinality as r(organization_id, key, nth)
  cross join lateral (
    select ${columns} from carillon.${name} where organization_id = r.organization_id and ${condition} limit 1
  ) as t`

/** Rows whose document may lie beside columns that are written for themselves: `columns` are all of them, and `rowFrom` puts the row together. */
const readsOf = <Of extends Stored, Row>(
  table: Pick<Table<Row>, "id" | "name">,
  columns: string,
  rowFrom: (stored: Of) => Row,
  condition?: string,
): Reads<Row> => {
  const rows = (sql: SqlClient.SqlClient, statement: string, parameters: ReadonlyArray<ReadonlyArray<string>>) =>
    Effect.map(sql.unsafe<Of>(statement, parameters), (found) =>
      found.map((stored): Found<Row> => ({ nth: stored.nth, read: () => rowFrom(stored) })),
    )
  const ofIds = byIds(table, columns)
  const byId: Read<string, Row> = (sql, ids) => rows(sql, ofIds, [ids.map(textOf)])
  if (condition === undefined) return { byId }
  const ofKeys = byKeys(table, columns, condition)
  return {
    byId,
    byKey: (sql, keys) =>
      rows(sql, ofKeys, [
        keys.map(({ organization_id }) => textOf(organization_id)),
        keys.map(({ key }) => textOf(key)),
      ]),
  }
}

const documentBytes = `${bytesOf("row")} as row`

/** Rows that are as their documents say. */
const documents = <Row>(table: Table<Row>, condition?: string): Reads<Row> =>
  readsOf<Stored, Row>(table, documentBytes, ({ row }) => rowOfBytes(row), condition)

interface StoredOrganization extends Stored {
  readonly revision: number
  readonly balance: number
}

interface StoredSubscription extends Stored {
  readonly failing_since: number | null
  readonly last_failure: EndpointFailure | null
}

interface StoredContact {
  readonly nth: number
  readonly contact: Contact
}

const contactsByPlaces = `
  select nth::integer as nth, t.contact
  from unnest($1::text[], $2::integer[]) with ordinality as r(batch_id, row_number, nth)
  cross join lateral (
    select contact from carillon.contacts
    where batch_id = r.batch_id and row_number = r.row_number and contact is not null limit 1
  ) as t`

/** Contacts lie in their places, which their ids name; of those that were never touched there is no row yet. */
const contacts: Read<string, Contact> = (sql, ids) => {
  const places = ids.map((id) => placeOf(id) ?? { batch_id: "", row: 0 })
  const parameters = [places.map(({ batch_id }) => textOf(batch_id)), places.map(({ row }) => row)]
  return Effect.map(sql.unsafe<StoredContact>(contactsByPlaces, parameters), (found) =>
    found.map(({ contact, nth }) => ({ nth, read: () => rowOf(contact) })),
  )
}

const reads: { readonly [K in RowKind]: Reads<Rows[K]> } = {
  platform: documents(tables.platform),
  organization: readsOf<StoredOrganization, Organization>(
    tables.organization,
    `${documentBytes}, revision, balance`,
    ({ balance, revision, row }) => {
      const stored = rowOfBytes<Organization>(row)
      return { ...stored, revision, wallet: { ...stored.wallet, balance } }
    },
  ),
  purge: documents(tables.purge),
  api_key: documents(tables.api_key),
  provider: documents(tables.provider, "provider_name = r.key"),
  phone_number: documents(tables.phone_number, "phone_number = r.key"),
  inbound_agent: documents(tables.inbound_agent, "phone_number_id = r.key"),
  experiment: documents(tables.experiment, "main_agent_id = r.key and status = 'active'"),
  agent: documents(tables.agent),
  subscription: readsOf<StoredSubscription, Subscription>(
    tables.subscription,
    `${documentBytes}, failing_since::double precision as failing_since, last_failure`,
    ({ failing_since, last_failure, row }) => ({
      ...rowOfBytes<Subscription>(row),
      health: { failing_since, last_failure },
    }),
    "agent_id is null and r.key = 'default'",
  ),
  campaign: documents(tables.campaign),
  campaign_entry: documents(tables.campaign_entry),
  batch: documents(tables.batch),
  contact: { byId: contacts },
  callee: documents(tables.callee),
  callee_hours: documents(tables.callee_hours),
  call: documents(tables.call),
  call_media: documents(tables.call_media),
  knowledge_base: documents(tables.knowledge_base, "collection = r.key"),
  knowledge_upload: documents(tables.knowledge_upload),
  event: documents(tables.event),
  delivery: documents(tables.delivery),
}

const keyName = ({ key, organization_id }: Key): string => `${textOf(organization_id)} ${textOf(key)}`

/** Whoever asks for rows of a kind at the same time asks together. */
interface Asks<Row> {
  readonly byId: Ask<string, Row | null>
  readonly byKey: Ask<Key, Row | null>
}

type AsksByKind = { readonly [K in RowKind]?: Asks<Rows[K]> }

const none: Read<Key, never> = () => Effect.succeed([])

const asksOf = <K extends RowKind>(sql: SqlClient.SqlClient, kind: K): Asks<Rows[K]> => {
  const start = detached(sql)
  const { dependency } = descriptions[kind]
  const { byId, byKey = none }: Reads<Rows[K]> = reads[kind]
  const ask = <Asked>(nameOf: (asked: Asked) => string, read: Read<Asked, Rows[K]>): Ask<Asked, Rows[K] | null> =>
    asking(start, nameOf, (all) =>
      Effect.map(reading(dependency, read(sql, all)), (found) => {
        const named = new Map<string, () => Rows[K]>()
        for (const { nth, read: readRow } of found) {
          const of = all[nth - 1]
          if (of !== undefined) named.set(nameOf(of), readRow)
        }
        const rowNamed = readWhenGiven(named, (readRow) => readRow())
        return (asked) => rowNamed(nameOf(asked))
      }),
    )
  return { byId: ask(textOf, byId), byKey: ask(keyName, byKey) }
}

/** Waits for the row, and enters it. */
type Entering = (found: FoundRows) => Effect.Effect<void, PortError>

/**
 * Reads any rows. Those that are asked for at the same time are one statement for each kind and for how they are asked for; whoever asks
 * for several asks for all before it waits for any.
 */
export const makeAnyRow = (sql: SqlClient.SqlClient): Store["Service"]["rows"] => {
  const asks: AsksByKind = {}
  for (const kind of rowKinds) Object.assign(asks, { [kind]: asksOf(sql, kind) })

  const begin = <K extends RowKind>(asked: RowAsked<K>): Effect.Effect<Entering> | null => {
    const ofKind: Asks<Rows[K]> | undefined = asks[asked.kind]
    const text = "id" in asked ? asked.id : asked.key
    if (ofKind === undefined || text.length > idCharacters) return null
    return Effect.map(
      "id" in asked ? ofKind.byId(asked.id) : ofKind.byKey(asked),
      (answer) => (found: FoundRows) =>
        Effect.map(Deferred.await(answer), (row) => {
          if (row !== null) found.add(asked, row)
        }),
    )
  }

  return (asked) =>
    Effect.gen(function* () {
      const entering: Array<Entering> = []
      for (const one of asked) {
        const begun = begin(one)
        if (begun !== null) entering.push(yield* begun)
      }
      const found = new FoundRows()
      for (const enter of entering) yield* enter(found)
      return found
    })
}
