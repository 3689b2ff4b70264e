import { AuditChain, type AuditEntry } from "@carillon/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
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

/** Appends entries to the chains of their organizations. */
export const appendAudit = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, entries: ReadonlyArray<AuditEntry>) {
  for (const organizationId of [...new Set(entries.map((entry) => entry.organization_id))].sort()) {
    const { emptyChain } = AuditChain
    const [locked] = yield* sql.unsafe<AuditChain.ChainHead>(lockHead, [organizationId, emptyChain.hash])
    let head = locked ?? emptyChain
    const records: Array<object> = []
    for (const entry of entries) {
      if (entry.organization_id !== organizationId) continue
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
    yield* sql.unsafe(insertRecords, [JSON.stringify(records)])
    yield* sql.unsafe(moveHead, [organizationId, head.sequence, head.hash])
  }
})
