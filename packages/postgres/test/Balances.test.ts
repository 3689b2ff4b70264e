import { AccountStore, type Change, Store } from "@carillon/core/ports"
import { sampleOrganization } from "@carillon/core/testing"
import { Postgres } from "@carillon/postgres"
import * as Pglite from "@carillon/postgres/pglite"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll } from "vitest"
import { newPglite } from "../../../scripts/servers/PgliteDirectory.ts"

const embedded = await newPglite()
afterAll(() => embedded.remove())

const layer = Layer.provideMerge(Postgres.layerNoDeps, Pglite.layerClient(embedded.directory))

/** How the release before this one charged an organization. */
const chargedBefore =
  "update carillon.organizations set balance = balance - $2, revision = revision + 1 where organization_id = $1"

it("an organization that an earlier release has charged is at the revision and has the balance that it left", async () => {
  const before = sampleOrganization("org_charged")
  const { organization_id } = before
  const account = { kind: "organization", id: organization_id } as const
  const stored = Effect.gen(function* () {
    const [store, accounts, sql] = [yield* Store, yield* AccountStore, yield* SqlClient.SqlClient]
    let written = 0
    const write = (change: Change) => {
      const nothing = { expect: [], wakeups: [], events: [], audit: [] }
      return store.commit({ ...nothing, id: `cmt_${written++}`, organization_id, changes: [change] })
    }
    yield* write({ put: "organization", row: before })
    yield* sql.unsafe(chargedBefore, [organization_id, 2])
    const charged = (yield* store.rows([account])).of(account)
    assert.deepInclude(charged, { revision: 2, wallet: { balance: 98, currency: "USD" } })
    assert.deepStrictEqual(yield* accounts.organization(organization_id), charged)
    // Whoever has read it before that is refused, and whoever has read it since is not.
    assert.strictEqual(
      (yield* Effect.flip(write({ put: "organization", row: { ...before, revision: 2 } })))._tag,
      "Conflict",
    )
    yield* write({ put: "organization", row: { ...before, revision: 3, name: "Another" } })
    return yield* accounts.organization(organization_id)
  })
  const after = await Effect.runPromise(Effect.provide(stored, layer))
  assert.deepInclude(after, { revision: 3, name: "Another", wallet: { balance: 98, currency: "USD" } })
})
