import { notFound } from "./errors.ts"
import { mint, sha256 } from "./ids.ts"
import { pageAsked, pageOf } from "./query.ts"
import { canonical, type Context, type Route } from "./route.ts"

/** A link of the chain: `hash` is SHA-256 over the record without it. */
export interface AuditRecord {
  readonly event_id: string
  readonly sequence: number
  readonly organization_id: string
  readonly actor: { readonly type: string; readonly key_id: string }
  readonly action: string
  readonly resource: { readonly type: string; readonly id: string | null } | null
  readonly outcome: Outcome
  readonly error_code: number | null
  readonly http_status: number
  readonly request_id: string
  readonly details: Readonly<Record<string, unknown>>
  readonly created_at: string
  readonly prev_hash: string
  readonly hash: string
}

const outcomes = ["allowed", "denied", "failed"] as const

type Outcome = (typeof outcomes)[number]

const firstHash = "0".repeat(64)

/** Refusals by validation are no events; every write, every denial and every failure is. */
const outcomeOf = (status: number): Outcome | null => {
  if (status < 400) return "allowed"
  if (status === 403) return "denied"
  return status === 409 || status >= 500 ? "failed" : null
}

/** Writes down how a request went, where it is one that is written down. */
export const record = (context: Context, status: number, error_code: number | null): void => {
  const { key, organization, requestId: request_id, resource, route, world } = context
  const outcome = outcomeOf(status)
  if (outcome === null || (route.action === undefined && outcome !== "denied")) return
  const last = organization.auditHead
  const link = {
    event_id: mint("aud"),
    sequence: (last?.sequence ?? 0) + 1,
    organization_id: organization.organization_id,
    actor: { type: "api_key", key_id: key.key_id },
    action: route.action ?? `${route.method.toLowerCase()} ${route.path}`,
    resource,
    outcome,
    error_code,
    http_status: status,
    request_id,
    details: {},
    created_at: world.clock.iso(),
    prev_hash: last?.hash ?? firstHash,
  }
  organization.auditHead = { ...link, hash: sha256(canonical(link)) }
  organization.audit.put(link.event_id, organization.auditHead)
}

const verify = ({ organization, query }: Context) => {
  const expectedHead = query.text("expected_head")
  const expectedCount = query.text("expected_count") === null ? null : query.integer("expected_count", 0, 0, 1e12)
  const chain = [...organization.audit.values()]
  const brokenAt = chain.findIndex(({ hash, ...link }, index) => {
    const previous = chain[index - 1]
    // What came before the oldest record that is kept nobody can check.
    const before = previous?.hash ?? (link.sequence === 1 ? firstHash : link.prev_hash)
    const follows = previous === undefined || link.sequence === previous.sequence + 1
    return !follows || link.prev_hash !== before || hash !== sha256(canonical(link))
  })
  const head = chain.at(-1)?.hash ?? null
  const broken = chain[brokenAt]
  const cut =
    (expectedHead !== null && expectedHead !== head) || (expectedCount !== null && expectedCount !== chain.length)
  const reason = broken !== undefined ? "The chain is broken." : cut ? "The chain does not end as expected." : null
  return {
    status: 200,
    body: {
      valid: reason === null,
      checked: chain.length,
      first_event_id: chain[0]?.event_id ?? null,
      last_event_id: chain.at(-1)?.event_id ?? null,
      head_hash: head,
      broken_at: broken?.event_id ?? null,
      reason,
    },
  }
}

const listed = ({ organization, query }: Context) => {
  pageAsked(query)
  const [action, actor] = [query.text("action"), query.text("actor")]
  const [type, id] = [query.text("resource_type"), query.text("resource_id")]
  const outcome = query.word("outcome", outcomes)
  const [from, to] = [query.moment("from_date"), query.moment("to_date")]
  const rows = organization.audit.newestFirst((one) => {
    const at = Date.parse(one.created_at)
    return (
      (action === null || one.action === action) &&
      (actor === null || one.actor.key_id === actor) &&
      (type === null || one.resource?.type === type) &&
      (id === null || one.resource?.id === id) &&
      (outcome === null || one.outcome === outcome) &&
      (from === null || at >= from) &&
      (to === null || at <= to)
    )
  })
  return { status: 200, body: pageOf(query, rows, (one) => one) }
}

export const auditRoutes: ReadonlyArray<Route> = [
  { method: "GET", path: "/v2/audit-logs", scope: "audit:read", handle: listed },
  { method: "GET", path: "/v2/audit-logs/verify", scope: "audit:read", handle: verify },
  {
    method: "GET",
    path: "/v2/audit-logs/{event_id}",
    scope: "audit:read",
    handle: ({ id, organization }) => {
      const found = organization.audit.get(id)
      if (found === undefined) throw notFound("Audit event")
      return { status: 200, body: found }
    },
  },
]
