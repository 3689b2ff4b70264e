import { DeliveryStore, Store, type WebhookEvent } from "@carillon/core/ports"
import { Postgres } from "@carillon/postgres"
import { Effect, Fiber, Latch, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, assert, it } from "vitest"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"

const server = await startPostgres()

afterAll(async () => {
  if (typeof server !== "string") await server.stop()
})

const eventOf = (event_id: string): WebhookEvent => ({
  event_id,
  organization_id: "org_1",
  revision: 1,
  event_type: "call_completed",
  execution_id: "exec_1",
  agent_id: "agt_1",
  body: "{}",
  raised_at: 0,
  routed_at: 0,
  expires_at: 1,
  kept: true,
})

const commitOf = (event_id: string) => ({
  id: `cmt_${event_id}`,
  organization_id: "org_1",
  expect: [],
  changes: [{ put: "event" as const, row: eventOf(event_id) }],
  wakeups: [],
  events: [],
  audit: [],
})

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  it("an event that was entered first and committed last comes last, and is not lost", async () => {
    const layer = Postgres.layerNoDeps.pipe(
      Layer.provideMerge(Postgres.layerClient({ url: Redacted.make(server.url()) })),
    )
    const program = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* Store
      const { kept, lastKept } = yield* DeliveryStore
      const entered = Latch.makeUnsafe(false)
      const end = Latch.makeUnsafe(false)
      // Another process, in the middle of its transaction.
      const slow = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql.unsafe(
              "insert into carillon.events (event_id, organization_id, revision, waiting, expires_at, row) values ('evt_slow', 'org_1', 1, false, 1, $1::json)",
              [JSON.stringify(eventOf("evt_slow"))],
            )
            yield* sql.unsafe("insert into carillon.kept_events (event_id) values ('evt_slow')")
            yield* entered.open
            yield* end.await
          }),
        ),
      )
      yield* entered.await
      yield* store.commit(commitOf("evt_fast"))
      const ids = (after: number) =>
        Effect.map(kept(after, 10), (found) => found.map(({ event, place }) => [place, event.event_id]))
      assert.deepStrictEqual(yield* ids(0), [[1, "evt_fast"]])
      yield* end.open
      yield* Fiber.join(slow)
      assert.deepStrictEqual(yield* ids(1), [[2, "evt_slow"]])
      assert.strictEqual(yield* lastKept, 2)
      // An earlier release removes an event and knows nothing of its place, which is empty then.
      yield* sql.unsafe("delete from carillon.events where event_id = 'evt_fast'")
      assert.deepStrictEqual(yield* ids(0), [[2, "evt_slow"]])
    })
    await Effect.runPromise(Effect.scoped(Effect.provide(program, layer)))
  })
}
