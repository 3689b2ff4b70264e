import type { Call } from "@carillon/core"
import { directDial, newCall } from "@carillon/core/domain"
import { CallStore, type Commit, type SlotDemand, Store } from "@carillon/core/ports"
import { samplePlaceCall } from "@carillon/core/testing"
import { Postgres } from "@carillon/postgres"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, assert, it } from "vitest"
import { startPostgres } from "../../../../scripts/servers/PostgresServer.ts"

const server = await startPostgres()
const organizationId = "org_locked"
const request = samplePlaceCall("agt_locked")

/** Commits that come at the same time; as many as one group has, and some that are in no group with them. */
const others = 80

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  afterAll(() => server.stop())
  const connection = Postgres.layerClient({ url: Redacted.make(server.url()), maxConnections: 8 })

  /** Holds a row until it is told to let it go. */
  const holding = Effect.fnUntraced(function* (
    call: string,
    held: Deferred.Deferred<void>,
    letGo: Deferred.Deferred<void>,
  ) {
    const sql = yield* SqlClient.SqlClient
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`select 1 from carillon.calls where execution_id = ${call} for update`
        yield* Deferred.succeed(held, undefined)
        yield* Deferred.await(letGo)
      }),
    )
  })

  /** Calls of which the first is held by a session, and how each is written again: admitted by count where there are levels. */
  const oneHeld = Effect.fnUntraced(function* (
    name: string,
    levels: ReadonlyArray<SlotDemand>,
    client: typeof connection = connection,
  ) {
    const services = yield* Layer.build(Layer.provide(Postgres.layerNoDeps, client))
    const store = Context.get(services, Store)
    const commitOf = (id: string, row: Call): Commit => ({
      id,
      organization_id: organizationId,
      expect: [],
      changes: [{ put: "call", row }],
      wakeups: [],
      events: [],
      audit: [],
    })
    const rows = Array.from({ length: others + 1 }, (_, nth) =>
      newCall(organizationId, `${name}_${nth}`, request, directDial, nth),
    )
    yield* Effect.forEach(rows, (row) => store.commit(commitOf(`cmt_first_${row.execution_id}`, row)), {
      concurrency: "unbounded",
    })
    const [locked, ...free] = rows
    assert(locked !== undefined)
    const held = yield* Deferred.make<void>()
    const letGo = yield* Deferred.make<void>()
    const holder = yield* Effect.forkChild(Effect.provide(holding(locked.execution_id, held, letGo), connection))
    yield* Deferred.await(held)
    const again = (row: Call) => store.admit(commitOf(`cmt_again_${row.execution_id}`, { ...row, revision: 2 }), levels)
    return { again, calls: Context.get(services, CallStore), free, holder, letGo, locked, store }
  })

  it("a commit that waits for a row lets those beside and behind it go ahead, and is written once it has it", () =>
    Effect.gen(function* () {
      const { again, calls, free, holder, letGo, locked } = yield* oneHeld("exec_locked", [])
      const waiting = yield* Effect.forkChild(Effect.exit(again(locked)))
      const exits = yield* Effect.forEach(free, (row) => Effect.exit(again(row)), { concurrency: "unbounded" })
      // The row is still somebody else's.
      assert.isUndefined(waiting.pollUnsafe())
      assert.isTrue(exits.every(Exit.isSuccess))
      yield* Deferred.succeed(letGo, undefined)
      yield* Fiber.join(holder)
      const exit = yield* Fiber.join(waiting)
      assert.isTrue(Exit.isSuccess(exit), String(exit))
      assert.strictEqual((yield* calls.locate(locked.execution_id))?.revision, 2)
    }).pipe(Effect.scoped, Effect.runPromise))

  it("so does one that is admitted by count", () =>
    Effect.gen(function* () {
      const level = { level: "organization", key: organizationId, ceiling: 10 * others } as const
      const { again, free, holder, letGo, locked } = yield* oneHeld("exec_counted", [level])
      const waiting = yield* Effect.forkChild(Effect.exit(again(locked)))
      const exits = yield* Effect.forEach(free, (row) => Effect.exit(again(row)), { concurrency: "unbounded" })
      assert.deepStrictEqual(exits.filter(Exit.isFailure).map(String), [])
      yield* Deferred.succeed(letGo, undefined)
      yield* Fiber.join(holder)
      yield* Fiber.join(waiting)
    }).pipe(Effect.scoped, Effect.runPromise))

  it("large commits leave the others a transaction, however many of them wait for a row", () =>
    Effect.gen(function* () {
      const { again, free, holder, letGo, locked, store } = yield* oneHeld("exec_large", [])
      const large = (nth: number): Commit => ({
        id: `cmt_large_${nth}`,
        organization_id: organizationId,
        expect: [],
        changes: [
          { put: "call", row: { ...locked, revision: 2 } },
          ...Array.from({ length: 101 }, (_, tally) => ({
            put: "tally" as const,
            subject: `exec_large_${tally}`,
            add: { calls: 1 },
          })),
        ],
        wakeups: [],
        events: [],
        audit: [],
      })
      const waiting = yield* Effect.forEach([1, 2, 3, 4], (nth) =>
        Effect.forkChild(Effect.exit(store.commit(large(nth)))),
      )
      yield* Effect.sleep(100)
      const before = performance.now()
      const exits = yield* Effect.forEach(free, (row) => Effect.exit(again(row)), { concurrency: "unbounded" })
      // A lock is waited for two seconds before a commit waits by itself.
      assert.isBelow(performance.now() - before, 1_000)
      assert.isTrue(exits.every(Exit.isSuccess))
      yield* Deferred.succeed(letGo, undefined)
      yield* Fiber.join(holder)
      yield* Effect.forEach(waiting, Fiber.join)
    }).pipe(Effect.scoped, Effect.runPromise))

  it("a commit that waits by itself hears of a mistake in its writing, and does not wait for the end of its time", () => {
    const breaks = { next: false }
    const mistaken = Layer.provideMerge(
      Layer.effect(
        SqlClient.SqlClient,
        Effect.map(SqlClient.SqlClient, (sql) => {
          const withTransaction: typeof sql.withTransaction = (effect) =>
            Effect.suspend(() => (breaks.next ? Effect.die(new Error("a mistake")) : sql.withTransaction(effect))).pipe(
              Effect.tapError(() => Effect.sync(() => (breaks.next = true))),
            )
          return new Proxy(sql, {
            get: (target, name) => (name === "withTransaction" ? withTransaction : Reflect.get(target, name)),
          })
        }),
      ),
      connection,
    )
    return Effect.gen(function* () {
      const { again, holder, letGo, locked } = yield* oneHeld("exec_mistaken", [], mistaken)
      // The first attempt is given up for the lock, and the one that waits by itself dies.
      const exit = yield* Effect.timeoutOption(Effect.exit(again(locked)), 20_000)
      assert.include(String(exit), "a mistake")
      yield* Deferred.succeed(letGo, undefined)
      yield* Fiber.join(holder)
    }).pipe(Effect.scoped, Effect.runPromise)
  })
}
