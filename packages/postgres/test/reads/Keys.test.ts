import { AccountStore, CurrentParty, KeyStore, Store } from "@carillon/core/ports"
import { sampleCaller, sampleOrganization } from "@carillon/core/testing"
import { Postgres } from "@carillon/postgres"
import { Context, Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { Socket } from "node:net"
import { afterAll, assert, it, vi } from "vitest"
import { startPostgres } from "../../../../scripts/servers/PostgresServer.ts"

const server = await startPostgres()
const organizationId = "org_quiet"

/** More than have room in two statements. */
const strangers = 2_500

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex")

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  afterAll(() => server.stop())
  const connection = Postgres.layerClient({ url: Redacted.make(server.url()), maxConnections: 10 })

  const opened = Effect.gen(function* () {
    const services = yield* Layer.build(Layer.provide(Postgres.layerNoDeps, connection))
    const { key } = sampleCaller(organizationId)
    const row = { ...key, hash: hashOf("quiet") }
    yield* Context.get(services, Store).commit({
      id: `cmt_${row.key_id}`,
      organization_id: organizationId,
      expect: [],
      changes: [
        { put: "organization", row: sampleOrganization(organizationId) },
        { put: "api_key", row },
      ],
      wakeups: [],
      events: [],
      audit: [],
    })
    return { accounts: Context.get(services, AccountStore), keys: Context.get(services, KeyStore), row }
  })

  /** Holds all keys until it is told to let them go. */
  const holding = Effect.fnUntraced(function* (held: Deferred.Deferred<void>, letGo: Deferred.Deferred<void>) {
    const sql = yield* SqlClient.SqlClient
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`lock table carillon.api_keys in access exclusive mode`
        yield* Deferred.succeed(held, undefined)
        yield* Deferred.await(letGo)
      }),
    )
  })

  it("a flood of keys that nobody knows has two connections and few statements, beside which a neighbour goes on", () =>
    Effect.gen(function* () {
      const { accounts, keys, row } = yield* opened
      const held = yield* Deferred.make<void>()
      const letGo = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(Effect.provide(holding(held, letGo), connection))
      yield* Deferred.await(held)
      const spy = vi.spyOn(Socket.prototype, "write")
      yield* Effect.addFinalizer(() => Effect.sync(() => spy.mockRestore()))
      const sent = () => spy.mock.contexts.filter((to) => to instanceof Socket && to.remotePort === server.port)
      const flood = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: strangers }, (_, nth) => hashOf(`gat_${nth}`)),
          keys.findByHash,
          { concurrency: "unbounded" },
        ),
      )
      yield* Effect.sleep(200)
      assert.isAtMost(new Set(sent()).size, 2)
      // While every look-up of a key waits, a neighbour whose key is known reads, as often as it likes.
      for (let nth = 0; nth < 20; nth++) assert.isNotNull(yield* accounts.organization(organizationId))
      assert.isTrue(flood.pollUnsafe() === undefined)
      // One that was known before, and is looked up again, comes with the first statement after those that are under way.
      let statements = 0
      const known = yield* keys.findByHash(row.hash).pipe(
        Effect.provideService(CurrentParty, organizationId),
        Effect.tap(() => Effect.sync(() => (statements = sent().length))),
        Effect.forkChild,
      )
      yield* Deferred.succeed(letGo, undefined)
      assert.deepStrictEqual(yield* Fiber.join(known), row)
      assert.deepStrictEqual(new Set(yield* Fiber.join(flood)), new Set([null]))
      yield* Fiber.join(holder)
      // 500 in a statement, each of which takes two messages of the protocol at the first time.
      assert.isAtMost(sent().length - statements, 2 * Math.ceil(strangers / 500))
    }).pipe(Effect.scoped, Effect.runPromise))
}
