import type { Page } from "@carillon/core"
import type {
  Delivery,
  DeliveryStanding,
  DeliveryStore,
  EndpointFailure,
  EventStanding,
  Listener,
  Listeners,
  Subscription,
  SubscriptionStore,
  WebhookEvent,
} from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { rowOf, textOf } from "../Documents.ts"
import { reading } from "../Failures.ts"
import { keptAfter, lastKept } from "../queries/KeptEvents.ts"
import { deliveries, events, subscriptions } from "../rows/Tables.ts"
import { idText, newestFirst, oldestRows, pageOf, rowById, rowsAfter, rowsOf, rowWhere } from "./Rows.ts"
import { Where } from "./Where.ts"

/** The health of an endpoint lies beside the document, because attempts change it relatively. */
interface StoredSubscription {
  readonly row: Subscription
  readonly failing_since: number | null
  readonly last_failure: EndpointFailure | null
}

const subscriptionOf = ({ failing_since, last_failure, row }: StoredSubscription): Subscription => ({
  ...rowOf(row),
  health: { failing_since, last_failure },
})

/** Up to `limit` subscriptions, whole. */
const subscriptionsWhere = (sql: SqlClient.SqlClient, where: Where, order: string, limit: number) =>
  Effect.map(
    sql.unsafe<StoredSubscription>(
      `select row, failing_since::double precision as failing_since, last_failure
       from carillon.subscriptions where ${where.text} order by ${order} limit ${Math.trunc(limit)}`,
      where.parameters,
    ),
    (found) => found.map(subscriptionOf),
  )

/** Both as one document, which PostgreSQL puts together without reading the row. */
const wholeSubscription = "json_build_object('row', row, 'failing_since', failing_since, 'last_failure', last_failure)"

/** Newest first: they are written in the order of their creation. */
const newestSubscription = "sequence desc"

interface StoredListener extends Listener {
  readonly is_default: boolean
}

/** Each half is found in the index of agents; what both are told of lies beside their documents. */
const listenersOf = `
  select subscription_id, revision, enabled, event_types, is_default from (
    select subscription_id, revision, enabled, event_types, sequence, false as is_default from carillon.subscriptions
    where organization_id = $1 and agent_id = $2
    union all
    select subscription_id, revision, enabled, event_types, sequence, true as is_default from carillon.subscriptions
    where organization_id = $1 and agent_id is null
  ) as listening order by sequence`

const own = (organizationId: string): Where => new Where().is("organization_id", organizationId)

const read = <A>(effect: Parameters<typeof reading<A>>[1]) => reading(deliveries.dependency, effect)

export const makeSubscriptionStore = (sql: SqlClient.SqlClient): SubscriptionStore["Service"] => ({
  find: (organizationId, subscriptionId) =>
    read(
      Effect.map(
        subscriptionsWhere(sql, own(organizationId).is("subscription_id", subscriptionId), "subscription_id", 1),
        ([found]) => found ?? null,
      ),
    ),
  page: (organizationId, { agent_id }, page) =>
    Effect.map(
      pageOf<StoredSubscription>(
        sql,
        subscriptions,
        own(organizationId).chosen("agent_id", agent_id),
        newestSubscription,
        page,
        { document: wholeSubscription },
      ),
      ({ items, total }): Page<Subscription> => ({ items: items.map(subscriptionOf), total }),
    ),
  after: (organizationId, after, limit) => {
    const where = own(organizationId).also("subscription_id > ?", after === null ? undefined : textOf(after))
    return read(subscriptionsWhere(sql, where, "subscription_id", limit))
  },
  listeners: (organizationId, agentId) =>
    read(
      Effect.map(
        sql.unsafe<StoredListener>(listenersOf, [textOf(organizationId), idText(agentId)]),
        (found): Listeners => ({
          own: found.flatMap(({ is_default, ...listener }) => (is_default ? [] : [listener])),
          fallback: found.flatMap(({ is_default, ...listener }) => (is_default ? [listener] : []))[0] ?? null,
        }),
      ),
    ),
  fallback: (organizationId) =>
    read(
      Effect.map(
        subscriptionsWhere(sql, own(organizationId).and("agent_id is null"), "sequence", 1),
        ([found]) => found ?? null,
      ),
    ),
})

/** Rows of a kind that have expired, the earliest first. */
const expiredOf = <Row>(sql: SqlClient.SqlClient, table: string, now: number, limit: number) =>
  rowsOf<Row>(sql, table, new Where().also("expires_at <= ?::bigint", now), `expires_at limit ${Math.trunc(limit)}`)

/** Events without their documents. Whether each is kept is looked up for itself, as in `KeptEvents.ts`. */
const eventStandings = `
  select e.event_id, e.waiting as is_waiting, k.event_id is not null as is_kept from carillon.events as e
  left join lateral (select event_id from carillon.kept_events where event_id = e.event_id limit 1) as k on true
  where e.organization_id = $1 and e.event_id = any($2::text[])`

/** The first deliveries of each call, without their documents. */
const deliveryStandings = `
  select d.* from unnest($2::text[]) as r(execution_id)
  cross join lateral (
    select delivery_id, execution_id, status from carillon.deliveries
    where organization_id = $1 and execution_id = r.execution_id order by created_at, sequence limit $3::bigint
  ) as d`

export const makeDeliveryStore = (sql: SqlClient.SqlClient): DeliveryStore["Service"] => ({
  event: rowById<WebhookEvent>(sql, events),
  find: (organizationId, deliveryId) =>
    read(rowWhere<Delivery>(sql, deliveries.name, own(organizationId).is("delivery_id", deliveryId))),
  locate: (deliveryId) => read(rowWhere<Delivery>(sql, deliveries.name, new Where().is("delivery_id", deliveryId))),
  page: (organizationId, filter, page, now) =>
    pageOf<Delivery>(
      sql,
      deliveries,
      own(organizationId)
        .chosen("event_id", filter.event_id)
        .chosen("event_type", filter.event_type)
        .chosen("execution_id", filter.execution_id)
        .chosen("subscription_id", filter.subscription_id)
        .chosen("status", filter.status)
        .also("created_at >= ?::bigint", filter.from_date)
        .also("created_at <= ?::bigint", filter.to_date)
        .also("expires_at > ?::bigint", now),
      newestFirst,
      page,
    ),
  oldest: (organizationId, request) => read(oldestRows<Delivery>(sql, deliveries.name, own(organizationId), request)),
  standings: (organizationId, { deliveries_of_call, event_ids, execution_ids }) =>
    read(
      Effect.gen(function* () {
        const organization = textOf(organizationId)
        return {
          events: yield* sql.unsafe<EventStanding>(eventStandings, [organization, event_ids.map(textOf)]),
          deliveries:
            execution_ids.length === 0
              ? []
              : yield* sql.unsafe<DeliveryStanding>(deliveryStandings, [
                  organization,
                  execution_ids.map(textOf),
                  deliveries_of_call,
                ]),
        }
      }),
    ),
  waiting: (after, limit) =>
    reading(events.dependency, rowsAfter<WebhookEvent>(sql, events, new Where().and("waiting"), after, limit)),
  due: (after, limit) => read(rowsAfter<Delivery>(sql, deliveries, new Where().and("due"), after, limit)),
  kept: (after, limit) => read(keptAfter(sql, after, limit)),
  lastKept: read(lastKept(sql)),
  expired: (now, limit) =>
    read(
      Effect.gen(function* () {
        const old = {
          events: yield* expiredOf<WebhookEvent>(sql, events.name, now, limit),
          deliveries: yield* expiredOf<Delivery>(sql, deliveries.name, now, limit),
        }
        const last = [...old.events, ...old.deliveries].map(({ expires_at }) => expires_at).toSorted((a, b) => a - b)
        const bound = last[limit - 1] ?? Infinity
        const kept = old.events.filter(({ expires_at }) => expires_at <= bound).slice(0, limit)
        return { events: kept, deliveries: old.deliveries.slice(0, limit - kept.length) }
      }),
    ),
})
