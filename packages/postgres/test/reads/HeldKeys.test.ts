import { IdempotencyStore } from "@carillon/core/ports"
import { Postgres } from "@carillon/postgres"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, assert, it } from "vitest"
import { startPostgres } from "../../../../scripts/servers/PostgresServer.ts"

const server = await startPostgres()

const [hour, day] = [3_600_000, 24 * 3_600_000]
const request = { organization_id: "org_two", route: "POST /v2/calls", key: "k", fingerprint: "f" }

const takingAt = (now: number) => ({ now, expires_at: now + day, held_until: now + 30_000, subject: `exec_${now}` })

/** How the release before takes a key: it knows nothing of who holds one. */
const take = `
  insert into carillon.idempotency as k (organization_id, route, key, fingerprint, expires_at)
  values ('org_two', 'POST /v2/calls', 'k', 'f', $2::bigint)
  on conflict (organization_id, route, key) do update
    set fingerprint = excluded.fingerprint, expires_at = excluded.expires_at, answer = null where k.expires_at <= $1::bigint
  returning 1`

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  afterAll(() => server.stop())
  const connection = Postgres.layerClient({ url: Redacted.make(server.url()) })

  it("a key that a process of the release before has taken is taken over by nobody before it expires", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        const sql = yield* SqlClient.SqlClient
        const takenBefore = (now: number) => sql.unsafe(take, [now, now + day])
        assert.lengthOf(yield* takenBefore(0), 1)
        assert.deepStrictEqual(yield* store.begin(request, takingAt(hour)), { _tag: "Running" })
        // What this release says of a key stands for that request alone.
        assert.strictEqual((yield* store.begin(request, takingAt(day)))._tag, "Begun")
        assert.lengthOf(yield* takenBefore(2 * day), 1)
        assert.deepStrictEqual(yield* store.begin(request, takingAt(2 * day + hour)), { _tag: "Running" })
        assert.strictEqual((yield* store.begin(request, takingAt(3 * day)))._tag, "Begun")
        assert.strictEqual((yield* store.begin(request, takingAt(3 * day + hour)))._tag, "TakenOver")
      }).pipe(Effect.provide(Layer.provideMerge(Postgres.layerNoDeps, connection)), Effect.scoped),
    ))
}
