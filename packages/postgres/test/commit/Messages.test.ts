import { type Call, limits } from "@carillon/core"
import { directDial, newCall } from "@carillon/core/domain"
import { type Commit, guardName, type SlotDemand, Store } from "@carillon/core/ports"
import { sampleAgent, samplePlaceCall } from "@carillon/core/testing"
import { Postgres } from "@carillon/postgres"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Socket } from "node:net"
import { afterAll, assert, it, vi } from "vitest"
import { comesAbout } from "../../../../scripts/patience.ts"
import { startPostgres } from "../../../../scripts/servers/PostgresServer.ts"
import { beBusy, InTurns } from "../InTurns.ts"

const server = await startPostgres()
const organizationId = "org_messages"
const guard = { set: "campaign_batches" as const, id: "cmp_messages" }
const levels: ReadonlyArray<SlotDemand> = [{ level: "organization", key: organizationId, ceiling: 1_000 }]

/** What a commit is sent in that concerns no lane: what it rests on, what it writes, and its end. */
const messages = 3

const commitOf = (id: string, more: Partial<Commit> = {}): Commit => ({
  id: `cmt_${id}`,
  organization_id: organizationId,
  expect: [],
  changes: [],
  wakeups: [],
  events: [],
  audit: [],
  ...more,
})

const callOf = (id: string): Call => newCall(organizationId, id, samplePlaceCall("agt_messages"), directDial, 0)

/** What a dial writes, and all that it rests on. */
const dialOf = (id: string): Commit => {
  const execution_id = `exec_${id}`
  return commitOf(id, {
    expect: [
      { guard, version: 0 },
      { kind: "agent", id: "agt_messages", revision: 1 },
    ],
    changes: [
      { put: "call", row: callOf(execution_id) },
      { put: "debit", organization_id: organizationId, amount: 1 },
      { put: "tally", subject: "bat_messages", add: { dialled: 1 } },
    ],
    wakeups: [
      { set: { kind: "call", subject: execution_id, at: 1 } },
      { clear: { kind: "call", subject: "exec_gone" } },
    ],
  })
}

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  afterAll(() => server.stop())
  const connection = Postgres.layerClient({ url: Redacted.make(server.url()), maxConnections: 4 })

  /** How many messages are sent to the server meanwhile. */
  const counted = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => vi.spyOn(Socket.prototype, "write")),
      (spy) =>
        Effect.map(
          effect,
          () => spy.mock.contexts.filter((to) => to instanceof Socket && to.remotePort === server.port).length,
        ),
      (spy) => Effect.sync(() => spy.mockRestore()),
    )

  it("a commit is few messages, whatever it rests on and writes", () =>
    Effect.gen(function* () {
      const store = Context.get(yield* Layer.build(Layer.provide(Postgres.layerNoDeps, connection)), Store)
      yield* store.commit(
        commitOf("first", {
          changes: [{ put: "agent", row: sampleAgent(organizationId, { agent_id: "agt_messages" }) }],
        }),
      )
      // The connection has prepared its statements by then.
      yield* store.admit(dialOf("before"), levels)
      assert.strictEqual(yield* counted(store.admit(dialOf("dial"), levels)), messages)
      const ended: Call = { ...callOf("exec_dial"), revision: 2, status: "failed" }
      const end = commitOf("end", { changes: [{ put: "call", row: ended }] })
      assert.strictEqual(yield* counted(store.commit(end)), messages)
      assert.strictEqual((yield* Effect.flip(store.commit({ ...end, id: "cmt_late" })))._tag, "Conflict")
    }).pipe(Effect.scoped, Effect.runPromise))

  it("who is not written raises no guard: one that was before, one that conflicts, one beside others", () =>
    Effect.gen(function* () {
      const store = Context.get(yield* Layer.build(Layer.provide(Postgres.layerNoDeps, connection)), Store)
      const raised = { set: "campaign_batches" as const, id: "cmp_raised" }
      const raising = (id: string, row: Call) =>
        commitOf(id, {
          changes: [
            { put: "guard", guard: raised },
            { put: "call", row },
          ],
        })
      const written = raising("written", callOf("exec_written"))
      yield* store.commit(written)
      const stale = raising("stale", { ...callOf("exec_written"), revision: 9 })
      const both = Effect.all([store.commit(written), Effect.exit(store.commit(stale))], { concurrency: "unbounded" })
      yield* both
      // These wait together behind two that are under way.
      const many = Array.from({ length: 6 }, (_, nth) => raising(`many_${nth}`, callOf(`exec_many_${nth}`)))
      yield* Effect.forEach(
        [...many, { ...stale, id: "cmt_stale_again" }, written],
        (one) => Effect.exit(store.commit(one)),
        {
          concurrency: "unbounded",
        },
      )
      assert.deepStrictEqual(yield* store.versions([raised]), [1 + many.length], guardName(raised))
    }).pipe(Effect.scoped, Effect.runPromise))

  it("few of those whose commits were written together go on in one turn of the event loop, and one where each has much to do", () =>
    Effect.gen(function* () {
      const store = Context.get(yield* Layer.build(Layer.provide(Postgres.layerNoDeps, connection)), Store)
      for (const busyMs of [0, limits.wokenInTurn.ms]) {
        const woken = new InTurns()
        const commits = Array.from({ length: 200 }, (_, nth) =>
          Effect.tap(store.commit(commitOf(`together_${busyMs}_${nth}`)), () =>
            Effect.sync(() => {
              woken.count()
              beBusy(busyMs)
            }),
          ),
        )
        yield* Effect.all(commits, { concurrency: "unbounded" })
        woken.stop()
        assert.isAtMost(woken.most, busyMs === 0 ? limits.wokenInTurn.taken : 1)
      }
    }).pipe(Effect.scoped, Effect.runPromise))

  it("a transaction whose answer nobody waits for is undone, and its connection is nobody else's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pid = Effect.map(
        sql.unsafe<{ readonly pid: number }>("select pg_backend_pid() as pid"),
        ([row]) => row?.pid,
      )
      yield* sql.unsafe("create table if not exists left_behind (n integer)")
      let session: number | undefined
      const left = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            session = yield* pid
            yield* sql.unsafe("insert into left_behind values (1)")
            yield* sql.unsafe("select pg_sleep(1)")
          }),
        ),
      )
      const sessionIs = (more: string) =>
        Effect.suspend(() =>
          Effect.map(
            sql.unsafe(`select 1 from pg_stat_activity where pid = $1 ${more}`, [session ?? 0]),
            (found) => found.length > 0,
          ),
        )
      const comes = (what: string, isThere: Effect.Effect<boolean, unknown>) =>
        comesAbout(what, { look: Effect.map(isThere, (is) => ({ isThere: is })), rows: Effect.succeed([]) })
      yield* comes("its sleep", sessionIs("and query like '%pg_sleep%' and state = 'active'"))
      yield* Fiber.interrupt(left)
      const others = yield* Effect.forEach([1, 2, 3, 4], () => sql.withTransaction(pid), { concurrency: "unbounded" })
      assert.notInclude(others, session)
      yield* comes(
        "the end of its session",
        Effect.map(sessionIs(""), (is) => !is),
      )
      assert.deepStrictEqual(yield* sql.unsafe("select * from left_behind"), [])
    }).pipe(Effect.provide(connection), Effect.scoped, Effect.runPromise))
}
