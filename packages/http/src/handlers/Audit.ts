import { auditOutcomeFilter, pageRequest, paginate } from "@carillon/api"
import { AuditTrail } from "@carillon/core"
import type { AuditFilter } from "@carillon/core/ports"
import { Effect } from "effect"
import type { HandlersOf, Incoming } from "../Handler.ts"
import { enumeration, instant } from "./CallPages.ts"

const auditFilter = Effect.fnUntraced(function* (query: Incoming<"audit.list">["query"]) {
  const { action, actor, from_date, outcome, resource_id, resource_type, to_date } = query
  const filter: AuditFilter = {
    ...(action === undefined ? {} : { action }),
    ...(actor === undefined ? {} : { actor }),
    ...(resource_type === undefined ? {} : { resource_type }),
    ...(resource_id === undefined ? {} : { resource_id }),
    ...(outcome === undefined ? {} : { outcome: yield* enumeration(auditOutcomeFilter(outcome)) }),
    ...(from_date === undefined ? {} : { from_date: yield* instant("from_date", from_date) }),
    ...(to_date === undefined ? {} : { to_date: yield* instant("to_date", to_date) }),
  }
  return filter
})

/** Reading and verifying the audit trail. A record is answered in the form in which it was hashed. */
export const auditHandlers = Effect.gen(function* () {
  const trail = yield* AuditTrail

  const handlers: HandlersOf<"audit"> = {
    "audit.list": Effect.fnUntraced(function* ({ caller, query }) {
      const request = pageRequest(query)
      const { items, total } = yield* trail.page(caller.organization_id, yield* auditFilter(query), request)
      return { status: 200, body: { data: items, pagination: paginate(request, total) } }
    }),
    "audit.verify": ({ caller, query }) =>
      Effect.map(
        trail.verify(caller.organization_id, {
          ...(query.expected_head === undefined ? {} : { expectedHead: query.expected_head }),
          ...(query.expected_count === undefined ? {} : { expectedCount: query.expected_count }),
        }),
        (report) => ({ status: 200, body: report }),
      ),
    "audit.get": ({ caller, params }) =>
      Effect.map(trail.find(caller.organization_id, params.event_id), (record) => ({ status: 200, body: record })),
  }
  return handlers
})
