import type { AuditRecord } from "@carillon/core"
import { AuditChain } from "@carillon/core/domain"
import type { AuditFilter, AuditStore } from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { rowOf } from "../Documents.ts"
import { reading } from "../Failures.ts"
import { rowsOf } from "./Rows.ts"
import { Where } from "./Where.ts"

const own = (organizationId: string): Where => new Where().is("organization_id", organizationId)

const read = <A>(effect: Parameters<typeof reading<A>>[1]) => reading("audit_store", effect)

const filtered = (organizationId: string, filter: AuditFilter): Where =>
  own(organizationId)
    .chosen("action", filter.action)
    .chosen("actor", filter.actor)
    .chosen("resource_type", filter.resource_type)
    .chosen("resource_id", filter.resource_id)
    .chosen("outcome", filter.outcome)
    .also("created_at >= ?::bigint", filter.from_date)
    .also("created_at <= ?::bigint", filter.to_date)

export const makeAuditStore = (sql: SqlClient.SqlClient): AuditStore["Service"] => ({
  origin: () => Effect.succeed(AuditChain.emptyChain),
  after: (organizationId, sequence, limit) =>
    read(
      rowsOf<AuditRecord>(
        sql,
        "audit_records",
        own(organizationId).also("sequence > ?::bigint", sequence),
        `sequence limit ${Math.trunc(limit)}`,
        "record",
      ),
    ),
  find: (organizationId, eventId) =>
    read(
      Effect.map(
        rowsOf<AuditRecord>(
          sql,
          "audit_records",
          own(organizationId).is("event_id", eventId),
          "sequence limit 1",
          "record",
        ),
        ([found]) => found ?? null,
      ),
    ),
  page: (organizationId, filter, { page, page_size }) => {
    const where = filtered(organizationId, filter)
    return read(
      Effect.map(
        sql.unsafe<{ readonly total: number; readonly items: ReadonlyArray<AuditRecord> | null }>(
          `select (select count(*)::double precision from carillon.audit_records where ${where.text}) as total,
            (select json_agg(listed.record) from
              (select record from carillon.audit_records where ${where.text} order by sequence desc
               limit ${Math.trunc(page_size)} offset ${Math.trunc((page - 1) * page_size)}) listed) as items`,
          where.parameters,
        ),
        ([found]) => ({ items: (found?.items ?? []).map((record) => rowOf(record)), total: found?.total ?? 0 }),
      ),
    )
  },
})
