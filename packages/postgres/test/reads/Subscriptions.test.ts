import { limits } from "@carillon/core"
import type { Subscription } from "@carillon/core/ports"
import { sampleSubscription } from "@carillon/core/testing"
import { Migrations } from "@carillon/postgres"
import * as Pglite from "@carillon/postgres/pglite"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, assert, it } from "vitest"
import { documentOf } from "../../src/Documents.ts"
import { makeSubscriptionStore } from "../../src/reads/Webhooks.ts"
import { beforeCountedDays } from "../EarlierSchema.ts"

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const insert = `insert into carillon.subscriptions (subscription_id, organization_id, agent_id, revision, row)
  select $1::json ->> 'subscription_id', $1::json ->> 'organization_id', $1::json ->> 'agent_id', 1, $1::json`

const agents = 2
const ofAgent = 15

/** An organization whose rows are as large as one may be, and then some: rows from before there was a bound. */
const rows: ReadonlyArray<Subscription> = Array.from({ length: agents * ofAgent }, (_, nth) =>
  sampleSubscription("org_large", `agt_${nth % agents}`, {
    subscription_id: `sub_${nth}`,
    event_types: nth % 2 === 0 ? ["call_started", "call_completed"] : ["call_ringing"],
    enabled: nth % 3 !== 0,
    headers: [["authorization", "x".repeat(limits.settingsBytes)]],
  }),
)

/** How long rows are as they came: a document comes as bytes. */
const sizeOf = (found: ReadonlyArray<object>): number =>
  found
    .flatMap((row): ReadonlyArray<unknown> => Object.values(row))
    .reduce<number>(
      (sum, value) => sum + (value instanceof Uint8Array ? value.length : `${JSON.stringify(value)}`.length),
      0,
    )

it("nothing of a subscription is read but what is asked for, however many and however large they are", async () => {
  const sql = Context.get(
    await Effect.runPromise(Layer.buildWithScope(Pglite.layerClient("memory://"), scope)),
    SqlClient.SqlClient,
  )
  await Effect.runPromise(Effect.provideService(Migrations.migrate, SqlClient.SqlClient, sql))
  const put = (some: ReadonlyArray<Subscription>) =>
    Effect.forEach(some, (row) => sql.unsafe(insert, [documentOf(row)]), { discard: true })
  // Half of them by a release that knows nothing of what lies beside the document.
  const half = rows.length / 2
  const written = Effect.andThen(beforeCountedDays(put(rows.slice(0, half))), put(rows.slice(half)))
  await Effect.runPromise(Effect.provideService(written, SqlClient.SqlClient, sql))
  let read = 0
  const counting = new Proxy(sql, {
    get: (target, name) =>
      name === "unsafe"
        ? (text: string, parameters?: ReadonlyArray<unknown>) =>
            Effect.tap(target.unsafe(text, parameters), (found) =>
              Effect.sync(() => {
                read += sizeOf(found)
              }),
            )
        : Reflect.get(target, name),
  })
  const store = makeSubscriptionStore(counting)
  const cost = async <A, E>(asked: Effect.Effect<A, E>): Promise<number> => {
    read = 0
    await Effect.runPromise(asked)
    return read
  }
  const one = 2 * limits.settingsBytes
  assert.isBelow(await cost(store.page("org_large", {}, { page: 1, page_size: 1 })), one)
  assert.isBelow(await cost(store.page("org_large", { agent_id: "agt_1" }, { page: 7, page_size: 1 })), one)
  assert.isBelow(await cost(store.listeners("org_large", "agt_1")), one)
  const { own } = await Effect.runPromise(store.listeners("org_large", "agt_1"))
  assert.deepStrictEqual(
    own,
    rows.flatMap(({ agent_id, enabled, event_types, revision, subscription_id }) =>
      agent_id === "agt_1" ? [{ subscription_id, revision, enabled, event_types }] : [],
    ),
  )
  const { items, total } = await Effect.runPromise(
    store.page("org_large", { agent_id: "agt_1" }, { page: 2, page_size: 3 }),
  )
  assert.strictEqual(total, ofAgent)
  assert.deepStrictEqual(
    items,
    rows
      .filter(({ agent_id }) => agent_id === "agt_1")
      .toReversed()
      .slice(3, 6),
  )
})
