import { Campaigns, Retention } from "@carillon/core"
import { rowPorts } from "@carillon/core/ports"
import { sampleSubscription, TestWorld } from "@carillon/core/testing"
import { Postgres } from "@carillon/postgres"
import * as Pglite from "@carillon/postgres/pglite"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll } from "vitest"
import { newPglite } from "../../../scripts/servers/PgliteDirectory.ts"

const { agentId, caller, ordinary, organizationId, World } = TestWorld

const scope = Scope.makeUnsafe()
const embedded = await newPglite()

afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  embedded.remove()
})

const talked: TestWorld.Script = {
  reports: ordinary.reports,
  facts: {
    recording_url: "https://recordings.example.com/lovelace.wav",
    media: { transcript: "Lovelace here.", setup: null, turns: null },
  },
}

/** The tables of which a row holds a text. */
const tablesWith = Effect.fnUntraced(function* (text: string) {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql.unsafe<{ readonly name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'carillon'",
  )
  const found = yield* Effect.forEach(tables, ({ name }) =>
    sql.unsafe<{ readonly name: string }>(
      `select '${name}' as name from carillon.${name} t where t::text ilike $1 limit 1`,
      [`%${text}%`],
    ),
  )
  return found.flat().map(({ name }) => name)
})

it("nothing is left of what was kept for its time, and all is of what was not", { timeout: 120_000 }, async () => {
  const layer = Layer.provideMerge(Postgres.layerNoDeps, Pglite.layerClient(embedded.directory))
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  const sql = Context.pick(SqlClient.SqlClient)(context)
  const subscription = sampleSubscription(organizationId, agentId, {
    subscription_id: "sub_one",
    event_types: ["call_completed", "recording_completed", "all_processing_completed"],
  })
  const program = Effect.gen(function* () {
    const world = new World({
      script: ({ to_number }) => (to_number.endsWith("0") ? talked : ordinary),
      rows: [{ put: "subscription", row: subscription }],
      storage: rowPorts(context),
      keepEvents: true,
    })
    yield* world.start()
    const contacts = ["+15555552010", "+15555552020"].map((to_number) => ({
      to_number,
      variables: { name: "Ada Lovelace" },
    }))
    const { campaign_id } = yield* world.run(
      Effect.flatMap(Campaigns, (campaigns) =>
        campaigns.create(caller, { name: "A", agent_id: agentId }, { contacts, file_name: null }),
      ),
    )
    yield* world.placed({ to_number: "+15555552010", variables: { name: "Lovelace" } })
    yield* world.advance(900_000)
    const before = world.now
    yield* world.placed({ to_number: "+15555553011", variables: { name: "Babbage" } })
    yield* world.advance(900_000)
    const read = world.run(Effect.flatMap(Campaigns, (campaigns) => campaigns.stats(organizationId, campaign_id)))
    const stats = yield* read
    assert.includeMembers(yield* tablesWith("lovelace"), ["calls", "call_media", "contacts", "events"])
    const later = yield* tablesWith("babbage")
    assert.includeMembers(later, ["calls", "events"])
    // Two at once: what one of them takes, the other does not count.
    const both = yield* world.run(
      Effect.flatMap(Retention, (retention) => {
        const purge = retention.purge(organizationId, before)
        return Effect.all([purge, purge], { concurrency: 2 })
      }),
    )
    const sum = (of: "calls" | "contacts") => both.reduce((total, gone) => total + gone[of], 0)
    assert.deepStrictEqual([sum("calls"), sum("contacts")], [3, 2])
    assert.deepStrictEqual(yield* tablesWith("lovelace"), [])
    assert.deepStrictEqual(yield* tablesWith("5555552010"), [])
    assert.deepStrictEqual(yield* tablesWith("babbage"), later)
    assert.deepStrictEqual(yield* read, stats)
    const again = yield* world.run(Effect.flatMap(Retention, (retention) => retention.purge(organizationId, before)))
    assert.deepStrictEqual(again, { calls: 0, contacts: 0, events: 0, deliveries: 0 })
  })
  await Effect.runPromise(Effect.scoped(Effect.provideContext(program, sql)))
})
