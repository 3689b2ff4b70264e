import { type Callee, calleeId, type Commit, type SlotDemand, Store } from "@carillon/core/ports"
import { Postgres } from "@carillon/postgres"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, assert, it } from "vitest"
import { startPostgres } from "../../../../scripts/servers/PostgresServer.ts"

const server = await startPostgres()

const uploading = "org_uploading"
const neighbour = "org_neighbour"

const calleeOf = (organization_id: string, to_number: string): Callee => ({
  organization_id,
  to_number,
  revision: 1,
  suppressions: [],
})
const held = calleeOf(uploading, "+15550000100")

let commits = 0
const sampleCommit = (organization_id: string, parts: Partial<Commit>): Commit => ({
  id: `cmt_callees_${commits++}`,
  organization_id,
  expect: [],
  changes: [],
  wakeups: [],
  events: [],
  audit: [],
  ...parts,
})

const levels = (organizationId: string): ReadonlyArray<SlotDemand> => [
  { level: "platform", key: "platform", ceiling: 1_000 },
  { level: "organization", key: organizationId, ceiling: 100 },
]

const chunk = (...rows: ReadonlyArray<Callee>): Commit =>
  sampleCommit(uploading, { changes: rows.map((row) => ({ put: "callee", row })) })

const dial = (organizationId: string, to_number: string): Commit =>
  sampleCommit(organizationId, { expect: [{ kind: "callee", id: calleeId(organizationId, to_number), revision: 0 }] })

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  afterAll(() => server.stop())
  const connection = Postgres.layerClient({ url: Redacted.make(server.url()), maxConnections: 8 })
  const process = Effect.map(Layer.build(Layer.provide(Postgres.layerNoDeps, connection)), (services) =>
    Context.get(services, Store),
  )

  /** A number that a session is about to write: a chunk with it is under way as long as that lasts. */
  const heldNumber = Effect.fnUntraced(function* (isHeld: Deferred.Deferred<void>, letGo: Deferred.Deferred<void>) {
    const sql = yield* SqlClient.SqlClient
    const write = Effect.gen(function* () {
      yield* sql`insert into carillon.callees (callee_id, organization_id, revision, suppressed, row)
        values (${calleeId(uploading, held.to_number)}, ${uploading}, 1, true, '{}')`
      yield* Deferred.succeed(isHeld, undefined)
      yield* Deferred.await(letGo)
      return yield* Effect.fail("undone" as const)
    })
    yield* Effect.ignore(sql.withTransaction(write))
  })

  it("a chunk that is written holds up the dials of its organization, and nobody else's", () =>
    Effect.gen(function* () {
      const [here, there] = [yield* process, yield* process]
      const [isHeld, letGo] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holder = yield* Effect.forkChild(Effect.provide(heldNumber(isHeld, letGo), connection))
      yield* Deferred.await(isHeld)
      const upload = yield* Effect.forkChild(Effect.exit(here.commit(chunk(held))))
      yield* Effect.sleep(100)
      const own = yield* Effect.forEach([here, there, here, there], (store, nth) =>
        Effect.forkChild(Effect.exit(store.admit(dial(uploading, `+1555000020${nth}`), levels(uploading)))),
      )
      yield* Effect.sleep(100)
      const began = performance.now()
      for (const store of [here, there, here]) {
        yield* store.admit(dial(neighbour, "+15550000300"), levels(neighbour))
        yield* Effect.all(
          [
            store.admit(dial(neighbour, "+15550000301"), levels(neighbour)),
            Effect.exit(store.admit(dial(uploading, "+15550000302"), levels(uploading))).pipe(Effect.forkChild),
          ],
          { concurrency: "unbounded" },
        )
      }
      assert.isBelow(performance.now() - began, 1_000)
      assert.isTrue(own.every((each) => each.pollUnsafe() === undefined))
      yield* Deferred.succeed(letGo, undefined)
      yield* Fiber.join(holder)
      assert.isTrue(Exit.isSuccess(yield* Fiber.join(upload)))
      for (const each of own) assert.isTrue(Exit.isSuccess(yield* Fiber.join(each)))
    }).pipe(Effect.scoped, Effect.runPromise))

  it("a dial that takes it that there are no hours is refused once some were written, by whichever process", () =>
    Effect.gen(function* () {
      const [here, there] = [yield* process, yield* process]
      const organization_id = "org_hours"
      const unseen = (nth: number): Commit =>
        sampleCommit(organization_id, { expect: [{ kind: "callee_hours", id: organization_id, revision: nth }] })
      yield* here.admit(unseen(0), levels(organization_id))
      const row = { organization_id, revision: 1, entries: [] }
      yield* there.commit(sampleCommit(organization_id, { changes: [{ put: "callee_hours", row }] }))
      const refused = yield* Effect.flip(here.admit(unseen(0), levels(organization_id)))
      assert.deepInclude(refused, { _tag: "Conflict", kind: "callee_hours", id: organization_id })
      yield* here.admit(unseen(1), levels(organization_id))
    }).pipe(Effect.scoped, Effect.runPromise))

  it("dials and uploads of two organizations from two processes come to an end, in whatever order they meet", () =>
    Effect.gen(function* () {
      const stores = [yield* process, yield* process]
      const work = Array.from({ length: 120 }, (_, nth) => {
        const organizationId = nth % 3 === 0 ? neighbour : uploading
        const store = stores[nth % 2]
        assert(store !== undefined)
        const row = calleeOf(organizationId, `+1555000${4_000 + nth}`)
        return nth % 4 === 0
          ? store.commit(sampleCommit(organizationId, { changes: [{ put: "callee", row }] }))
          : store.admit(dial(organizationId, `+1555000${6_000 + nth}`), levels(organizationId))
      })
      const exits = yield* Effect.forEach(work, Effect.exit, { concurrency: "unbounded" })
      assert.deepStrictEqual(exits.filter(Exit.isFailure).map(String), [])
    }).pipe(Effect.scoped, Effect.runPromise))
}
