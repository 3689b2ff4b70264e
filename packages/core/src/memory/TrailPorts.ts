import { Effect, Layer } from "effect"
import type { AuditRecord } from "../audit/rules/AuditChain.ts"
import { type AuditFilter, AuditStore } from "../audit/ports/AuditStore.ts"
import { IdempotencyStore } from "../idempotency/ports/IdempotencyStore.ts"
import type { MemoryTables } from "./MemoryTables.ts"
import { newestOf } from "./RowPages.ts"

const isAudited = (record: AuditRecord, filter: AuditFilter): boolean =>
  (filter.action === undefined || filter.action === record.action) &&
  (filter.actor === undefined || filter.actor === record.actor.key_id) &&
  (filter.resource_type === undefined || filter.resource_type === record.resource.type) &&
  (filter.resource_id === undefined || filter.resource_id === record.resource.id) &&
  (filter.outcome === undefined || filter.outcome === record.outcome) &&
  (filter.from_date === undefined || Date.parse(record.created_at) >= filter.from_date) &&
  (filter.to_date === undefined || Date.parse(record.created_at) <= filter.to_date)

/** The ports of what is kept of requests: their first answers, and the audit trail. */
export const trailPorts = (tables: MemoryTables) =>
  Layer.mergeAll(
    Layer.succeed(IdempotencyStore, {
      begin: (request, taking) => Effect.sync(() => tables.idempotency.begin(request, taking)),
      renew: (held, until) => Effect.sync(() => tables.idempotency.renew(held, until)),
      rename: (held, subject) => Effect.sync(() => tables.idempotency.rename(held, subject)),
      keep: (held, answer) => Effect.sync(() => tables.idempotency.keep(held, answer)),
      release: (held, now) => Effect.sync(() => tables.idempotency.release(held, now)),
      abandon: (held) => Effect.sync(() => tables.idempotency.abandon(held)),
      forget: (now, limit) => Effect.sync(() => tables.idempotency.forget(now, limit)),
    }),
    Layer.succeed(AuditStore, {
      after: (organizationId, sequence, limit) =>
        Effect.sync(() => tables.audit.after(organizationId, sequence, limit)),
      origin: (organizationId) => Effect.sync(() => tables.audit.origin(organizationId)),
      find: (organizationId, eventId) =>
        Effect.sync(() => tables.auditTrail(organizationId).find(({ event_id }) => event_id === eventId) ?? null),
      page: (organizationId, filter, page) =>
        Effect.sync(() => {
          const trail = tables.auditTrail(organizationId)
          const isFiltered = Object.keys(filter).length > 0
          return newestOf(isFiltered ? trail.filter((record) => isAudited(record, filter)) : trail, page)
        }),
    }),
  )
