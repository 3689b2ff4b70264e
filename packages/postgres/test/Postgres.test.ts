import type { Organization } from "@carillon/core"
import { AccountStore, type AuditEntry, AuditStore, Store } from "@carillon/core/ports"
import { LawShare } from "@carillon/core/testing"
import { Postgres, PostgresRates, PostgresSlots } from "@carillon/postgres"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, expect, it } from "vitest"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"
import { everySuite } from "./Suites.ts"

const server = await startPostgres()

const organization: Organization = {
  organization_id: "org_cut",
  revision: 1,
  name: "Cut",
  plan: "standard",
  rate_limit_tier: "standard",
  wallet: { balance: 1e9, currency: "USD" },
  concurrency: { organization: null, per_agent: null, enforced: true },
  webhook_secret: null,
  created_at: 0,
}

const entry = (nth: number): AuditEntry => ({
  event_id: `aud_cut_${nth}`,
  organization_id: organization.organization_id,
  actor: { type: "system", key_id: null },
  action: "wallet.debit",
  resource: { type: "organization", id: null },
  outcome: "allowed",
  error_code: null,
  http_status: null,
  request_id: null,
  details: {},
  created_at: nth,
})

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  const scope = Scope.makeUnsafe()
  const url = Redacted.make(server.url())
  const ports = Effect.runPromise(
    Layer.buildWithScope(
      Layer.provide(
        Layer.mergeAll(Postgres.layerNoDeps, PostgresRates.layer, PostgresSlots.layer),
        Postgres.layerClient({ url }),
      ),
      scope,
    ),
  )
  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await server.stop()
  })

  // The laws run whole in memory; here each of their steps is a round trip.
  const share = Layer.succeed(LawShare, 0.4)
  everySuite(`on ${server.version}`, () => Layer.merge(Layer.effectContext(Effect.promise(() => ports)), share))

  it("a commit applies once however often connections are cut, as long as it is sent again", async () => {
    const context = await ports
    const store = Context.get(context, Store)
    const organization_id = organization.organization_id
    const commit = (nth: number) =>
      store.commit({
        id: `cmt_cut_${nth}`,
        organization_id,
        expect: [],
        changes:
          nth === 0 ? [{ put: "organization", row: organization }] : [{ put: "debit", organization_id, amount: nth }],
        wakeups: [],
        events: [],
        audit: [entry(nth)],
      })
    const cuts = { made: 0, felt: 0 }
    const atLeast = 100
    const atMost = 20_000
    let applied = 0
    const cutting = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // On a busy machine no commit may fit between two cuts, so the knife waits longer until one has.
      for (let seen = 0, pauseMs = 30; ; pauseMs = applied > seen ? 30 : pauseMs * 2, seen = applied) {
        const cut =
          yield* sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'carillon'`
        cuts.made += cut.length
        yield* Effect.sleep(pauseMs)
      }
    }).pipe(Effect.provide(PgClient.layer({ url, applicationName: "knife", maxConnections: 1 })))
    const until = (nth: number) =>
      Effect.retry(
        Effect.tapError(commit(nth), () => Effect.sync(() => (cuts.felt += 1))),
        {
          while: ({ _tag }) => _tag === "DependencyTimeout" || _tag === "DependencyUnavailable",
        },
      ).pipe(Effect.andThen(Effect.sync(() => (applied += 1))))
    await Effect.runPromise(until(0))
    let commits = 0
    // A quick machine may be done before the knife falls: it goes on until a commit was cut.
    const committing = Effect.gen(function* () {
      while (commits < atLeast || (cuts.felt === 0 && commits < atMost)) yield* until((commits += 1))
    })
    await Effect.runPromise(
      Effect.raceFirst(
        cutting,
        Effect.all([committing, committing, committing, committing], { concurrency: 4, discard: true }),
      ),
    )
    const accounts = Context.get(context, AccountStore)
    const found = await Effect.runPromise(Effect.retry(accounts.organization(organization_id), { times: 20 }))
    expect(found?.wallet.balance).toBe(1e9 - (commits * (commits + 1)) / 2)
    expect(found?.revision).toBe(1)
    const audit = Context.get(context, AuditStore)
    const records = await Effect.runPromise(Effect.retry(audit.after(organization_id, 0, commits + 2), { times: 20 }))
    expect(records.length).toBe(commits + 1)
    expect(cuts.made).toBeGreaterThan(0)
    expect(cuts.felt).toBeGreaterThan(0)
  })
}
