import { Effect, Layer } from "effect"
import { AuditStore } from "../audit/ports/AuditStore.ts"
import { IdempotencyStore } from "../idempotency/ports/IdempotencyStore.ts"
import type { MemoryTables } from "./MemoryTables.ts"

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
      find: (organizationId, eventId) => Effect.sync(() => tables.audit.find(organizationId, eventId)),
      page: (organizationId, filter, page) => Effect.sync(() => tables.audit.page(organizationId, filter, page)),
    }),
  )
