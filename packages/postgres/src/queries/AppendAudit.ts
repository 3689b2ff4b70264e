import { AuditChain } from "@carillon/core/domain"
import type { AuditEntry } from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { atOnce } from "../AtOnce.ts"
import { documentOf, textOf } from "../Documents.ts"

/**
 * The head of an organization's chain is a row of its own, locked until the commit ends: records of one organization are written one
 * after the other, those of others are not kept waiting. It is the last row that a commit locks. A record is stored as text (`json`),
 * because its hash is over what is in it, to the last digit.
 */
const lockHead = `
  insert into carillon.audit_heads as h (organization_id, sequence, hash) values ($1, 0, $2)
  on conflict (organization_id) do update set sequence = h.sequence
  returning sequence::double precision as sequence, hash`

const moveHead = `update carillon.audit_heads set sequence = $2::bigint, hash = $3 where organization_id = $1`

const insertRecords = `
  insert into carillon.audit_records
    (organization_id, sequence, event_id, action, actor, resource_type, resource_id, outcome, created_at, record)
  select organization_id, sequence, event_id, action, actor, resource_type, resource_id, outcome, created_at, record::json
  from jsonb_to_recordset($1::jsonb) as r(organization_id text, sequence bigint, event_id text, action text, actor text,
    resource_type text, resource_id text, outcome text, created_at bigint, record text)`

const orNull = (text: string | null): string | null => (text === null ? null : textOf(text))

/** Entries that are to be appended to the chain of an organization, and its head as it stands. */
interface Chained {
  readonly organizationId: string
  readonly head: AuditChain.ChainHead
  readonly entries: ReadonlyArray<AuditEntry>
}

/** Holds the heads of the chains of entries until the transaction ends. */
export const chained = (sql: SqlClient.SqlClient, entries: ReadonlyArray<AuditEntry>) => {
  const { emptyChain } = AuditChain
  const byOrganization = Map.groupBy(entries, (entry) => entry.organization_id)
  return atOnce(
    [...byOrganization.keys()].sort().map((organizationId) =>
      Effect.map(
        sql.unsafe<AuditChain.ChainHead>(lockHead, [organizationId, emptyChain.hash]),
        ([locked]): Chained => ({
          organizationId,
          head: locked ?? emptyChain,
          entries: byOrganization.get(organizationId) ?? [],
        }),
      ),
    ),
  )
}

/** Appends entries to the chains of their organizations. */
export const appendAudit = (sql: SqlClient.SqlClient, chains: ReadonlyArray<Chained>) =>
  atOnce(
    chains.flatMap(({ entries, head: before, organizationId }) => {
      let head = before
      const records: Array<object> = []
      for (const entry of entries) {
        const record = AuditChain.append(head, entry)
        head = AuditChain.headOf(record)
        records.push({
          organization_id: organizationId,
          sequence: record.sequence,
          event_id: record.event_id,
          action: textOf(record.action),
          actor: orNull(record.actor.key_id),
          resource_type: textOf(record.resource.type),
          resource_id: orNull(record.resource.id),
          outcome: record.outcome,
          created_at: entry.created_at,
          record: documentOf(record),
        })
      }
      return [
        sql.unsafe(insertRecords, [JSON.stringify(records)]),
        sql.unsafe(moveHead, [organizationId, head.sequence, head.hash]),
      ]
    }),
  )
