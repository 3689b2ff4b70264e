import type { Call, Organization } from "@carillon/core"
import { directDial, newCall } from "@carillon/core/domain"
import {
  AccountStore,
  AuditStore,
  CallStore,
  type Commit,
  type SlotDemand,
  Store,
  TallyStore,
  Wakeups,
} from "@carillon/core/ports"
import { Postgres } from "@carillon/postgres"
import { Context, Effect, Layer, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"
import { type Loss, StatementLine } from "./StatementLine.ts"

const organization_id = "org_cut"

const organization: Organization = {
  organization_id,
  revision: 1,
  name: "Cut",
  plan: "standard",
  rate_limit_tier: "standard",
  wallet: { balance: 1_000, currency: "USD" },
  concurrency: { organization: null, per_agent: null, enforced: true },
  webhook_secret: null,
  created_at: 0,
}

const request = {
  agent_id: "agt_cut",
  to_number: "+15555550100",
  from_number: null,
  variables: {},
  metadata: {},
  scheduled_at: null,
  record: true,
  timeout_seconds: 30,
}

const callOf = (nth: number): Call => ({
  ...newCall(organization_id, `exec_cut_${nth}`, request, directDial, nth),
  dial: "intended",
})

/** A commit with something of everything: a row of its own, what is relative, a wake-up, a link of the chain. */
const commitOf = (nth: number): Commit => ({
  id: `cmt_cut_${nth}`,
  organization_id,
  expect: [],
  changes: [
    { put: "call", row: callOf(nth) },
    { put: "debit", organization_id, amount: 1 },
    { put: "tally", subject: "bat_cut", add: { dialled: 1 } },
  ],
  wakeups: [{ set: { kind: "call", subject: `exec_cut_${nth}`, at: nth } }],
  events: [],
  audit: [
    {
      event_id: `aud_cut_${nth}`,
      organization_id,
      actor: { type: "system", key_id: null },
      action: "call.create",
      resource: { type: "call", id: `exec_cut_${nth}` },
      outcome: "allowed",
      error_code: null,
      http_status: null,
      request_id: null,
      details: {},
      created_at: nth,
    },
  ],
})

const server = await startPostgres()

const noServer = (why: string): void =>
  it(`cannot be run: there is no PostgreSQL server (${why})`, ({ skip }) => skip())

/** The stores on one connection to the server, over a line that breaks when it is told to. */
const overLine = Effect.fnUntraced(function* (port: number) {
  const line = yield* Effect.acquireRelease(
    Effect.promise(() => StatementLine.open(port)),
    (opened) => Effect.promise(() => opened.close()),
  )
  const url = Redacted.make(`postgres://carillon@127.0.0.1:${line.port}/postgres`)
  const services = yield* Layer.build(Postgres.layer({ url, maxConnections: 1 }))
  return { line, services }
})

if (typeof server === "string") noServer(server)
else {
  describe(`a commit over a line that breaks, on ${server.version}`, () => {
    const ways: ReadonlyArray<readonly [string, ReadonlyArray<SlotDemand> | null]> = [
      ["a commit", null],
      ["an admission", [{ level: "organization", key: organization_id, ceiling: 1_000 }]],
    ]
    it("applies once, whichever statement or answer is lost, that of its end included", async () => {
      const judged = Effect.gen(function* () {
        const { line, services } = yield* overLine(server.port)
        const store = Context.get(services, Store)
        const write = (
          commit: Commit,
          levels: ReadonlyArray<SlotDemand> | null,
        ): Effect.Effect<void, { readonly _tag: string }> =>
          levels === null ? store.commit(commit) : store.admit(commit, levels)
        yield* store.commit({
          ...commitOf(0),
          changes: [{ put: "organization", row: organization }],
          wakeups: [],
          audit: [],
        })
        let nth = 0
        let failures = 0
        for (const [, levels] of ways) {
          const before = line.statements
          yield* write(commitOf(++nth), levels)
          const statements = line.statements - before
          // The first and the last are BEGIN and COMMIT, with every part of the commit in between.
          expect(statements).toBeGreaterThan(6)
          for (const loss of ["statement", "answer"] satisfies ReadonlyArray<Loss>) {
            for (let at = 1; at <= statements; at++) {
              const commit = commitOf(++nth)
              line.breakAt(at, loss)
              const written = write(commit, levels).pipe(
                Effect.tapError(({ _tag }) =>
                  Effect.sync(() => {
                    failures += 1
                    expect(["DependencyTimeout", "DependencyUnavailable"]).toContain(_tag)
                  }),
                ),
              )
              yield* Effect.retry(written, { times: 20 })
            }
          }
        }
        expect(line.breaks).toBe(nth - ways.length)
        expect(failures).toBeGreaterThanOrEqual(line.breaks)
        const found = yield* Context.get(services, AccountStore).organization(organization_id)
        expect(found?.wallet.balance).toBe(1_000 - nth)
        expect(found?.revision).toBe(1)
        expect(yield* Context.get(services, TallyStore).read("bat_cut")).toEqual({ dialled: nth })
        const records = yield* Context.get(services, AuditStore).after(organization_id, 0, 1_000)
        expect(records.map(({ event_id }) => event_id)).toEqual(
          Array.from({ length: nth }, (_, index) => `aud_cut_${index + 1}`),
        )
        const page = yield* Context.get(services, CallStore).page(organization_id, {}, { page: 1, page_size: 1_000 })
        expect(page.total).toBe(nth)
        expect(new Set(page.items.map(({ revision }) => revision))).toEqual(new Set([1]))
        const claims = yield* Context.get(services, Wakeups).claimDue(1_000_000, 1_000, { owner: "judge", ms: 1 })
        expect(claims.length).toBe(nth)
      })
      try {
        await Effect.runPromise(Effect.scoped(judged))
      } finally {
        await server.stop()
      }
    })
  })
}
