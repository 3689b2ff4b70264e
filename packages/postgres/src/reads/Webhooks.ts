import type {
  Delivery,
  DeliveryStanding,
  DeliveryStore,
  EndpointFailure,
  EventStanding,
  Page,
  Subscription,
  SubscriptionStore,
  WebhookEvent,
} from "@carillon/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { rowOf, textOf } from "../Documents.ts"
import { reading } from "../Failures.ts"
import { keptAfter, lastKept } from "../queries/KeptEvents.ts"
import { deliveries, events } from "../rows/Tables.ts"
import { newestFirst, oldestRows, pageOf, rowById, rowsAfter, rowsOf, rowWhere } from "./Rows.ts"
import { Where } from "./Where.ts"

interface StoredSubscription {
  readonly row: Subscription
  readonly failing_since: number | null
  readonly last_failure: EndpointFailure | null
}

/** Subscriptions of an organization are few; their endpoints' health lies beside them, because attempts change it relatively. */
const subscriptionsWhere = (sql: SqlClient.SqlClient, where: Where, orderAndLimit = "sequence") =>
  Effect.map(
    sql.unsafe<StoredSubscription>(
      `select row, failing_since::double precision as failing_since, last_failure
       from carillon.subscriptions where ${where.text} order by ${orderAndLimit}`,
      where.parameters,
    ),
    (found) =>
      found.map(({ row, failing_since, last_failure }): Subscription => ({
        ...rowOf(row),
        health: { failing_since, last_failure },
      })),
  )

const own = (organizationId: string): Where => new Where().is("organization_id", organizationId)

const defaultOf = (sql: SqlClient.SqlClient, organizationId: string) =>
  Effect.map(subscriptionsWhere(sql, own(organizationId).and("agent_id is null")), ([found]) => found ?? null)

const read = <A>(effect: Parameters<typeof reading<A>>[1]) => reading(deliveries.dependency, effect)

export const makeSubscriptionStore = (sql: SqlClient.SqlClient): SubscriptionStore["Service"] => ({
  find: (organizationId, subscriptionId) =>
    read(
      Effect.map(
        subscriptionsWhere(sql, own(organizationId).is("subscription_id", subscriptionId)),
        ([found]) => found ?? null,
      ),
    ),
  page: (organizationId, { agent_id }, { page, page_size }) =>
    read(
      Effect.map(subscriptionsWhere(sql, own(organizationId).is("agent_id", agent_id)), (found): Page<Subscription> => {
        const skip = (page - 1) * page_size
        return { items: found.toReversed().slice(skip, skip + page_size), total: found.length }
      }),
    ),
  after: (organizationId, after, limit) => {
    const where = own(organizationId).also("subscription_id > ?", after === null ? undefined : textOf(after))
    return read(subscriptionsWhere(sql, where, `subscription_id limit ${Math.trunc(limit)}`))
  },
  listeners: (organizationId, agentId) =>
    read(
      Effect.map(
        subscriptionsWhere(sql, own(organizationId).also("(agent_id = ? or agent_id is null)", agentId)),
        (found) => ({
          own: found.filter(({ agent_id }) => agent_id !== null),
          fallback: found.find(({ agent_id }) => agent_id === null) ?? null,
        }),
      ),
    ),
  fallback: (organizationId) => read(defaultOf(sql, organizationId)),
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
        .is("event_id", filter.event_id)
        .is("event_type", filter.event_type)
        .is("execution_id", filter.execution_id)
        .is("subscription_id", filter.subscription_id)
        .is("status", filter.status)
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
          deliveries: yield* sql.unsafe<DeliveryStanding>(deliveryStandings, [
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
