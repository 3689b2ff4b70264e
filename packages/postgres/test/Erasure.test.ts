import { Campaigns, Erasure, Batches } from "@carillon/core"
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

const ada = "+15555552010"
const bob = "+15555552020"
const variables = { name: "Ada Lovelace" }

/** What is said, extracted and recorded of a call; each of it names the person. */
const talked: TestWorld.Script = {
  reports: ordinary.reports,
  facts: {
    recording_url: "https://recordings.example.com/lovelace.wav",
    media: {
      transcript: [{ role: "user", content: "Lovelace here.", start_ms: 0, end_ms: 9 }],
      setup: null,
      turns: null,
    },
  },
}

/** Every row of every table that holds a text. */
const rowsWith = Effect.fnUntraced(function* (text: string) {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql.unsafe<{ readonly name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'carillon'",
  )
  const found = yield* Effect.forEach(tables, ({ name }) =>
    sql.unsafe<{ readonly row: string }>(
      `select '${name} ' || t::text as row from carillon.${name} t where t::text like $1`,
      [`%${text}%`],
    ),
  )
  return found.flat().map(({ row }) => row)
})

it("nothing of a person is left in any table, and others are as they were", { timeout: 120_000 }, async () => {
  const layer = Layer.provideMerge(Postgres.layerNoDeps, Pglite.layerClient(embedded.directory))
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  const sql = Context.pick(SqlClient.SqlClient)(context)
  const all = [
    "call_ringing",
    "call_started",
    "call_completed",
    "recording_completed",
    "all_processing_completed",
  ] as const
  const subscription = sampleSubscription(organizationId, agentId, { subscription_id: "sub_one", event_types: all })
  const program = Effect.gen(function* () {
    const world = new World({
      script: ({ to_number }) => (to_number === ada ? talked : ordinary),
      rows: [{ put: "subscription", row: subscription }],
      storage: rowPorts(context),
      keepEvents: true,
    })
    yield* world.start()
    const contacts = [
      { to_number: ada, variables },
      { to_number: bob, variables: { name: "Bob" } },
    ]
    const { campaign_id } = yield* world.run(
      Effect.flatMap(Campaigns, (campaigns) =>
        campaigns.create(caller, { name: "A", agent_id: agentId }, { contacts, file_name: null }),
      ),
    )
    yield* world.placed({ to_number: ada, variables })
    // Two that are never dialled: in a batch of another day, and in the same campaign.
    const later = { agent_id: agentId, scheduled_at: world.now + 86_400_000 }
    yield* world.run(
      Effect.flatMap(Batches, (batches) =>
        batches.create(caller, later, { contacts: [...contacts.slice(1), ...contacts.slice(0, 1)], file_name: null }),
      ),
    )
    yield* world.advance(900_000)
    assert.isNotEmpty(yield* rowsWith(ada))
    assert.isNotEmpty(yield* rowsWith("Lovelace"))
    const ofBob = (yield* rowsWith(bob)).length
    const report = yield* world.run(Effect.flatMap(Erasure, (erasure) => erasure.erase(organizationId, ada)))
    assert.deepInclude(report, { calls: 2, contacts: 2, under_way: [], is_whole: true })
    assert.deepStrictEqual(yield* rowsWith(ada), [])
    assert.deepStrictEqual(yield* rowsWith("Lovelace"), [])
    assert.deepStrictEqual(yield* rowsWith("lovelace"), [])
    assert.strictEqual((yield* rowsWith(bob)).length, ofBob)
    yield* world.advance(2 * 86_400_000)
    const stats = yield* world.run(
      Effect.flatMap(Campaigns, (campaigns) => campaigns.stats(organizationId, campaign_id)),
    )
    assert.strictEqual(stats.total_contacts, 2)
    assert.lengthOf(
      world.dials.filter(({ to_number }) => to_number === ada),
      2,
    )
    assert.lengthOf(
      world.dials.filter(({ to_number }) => to_number === bob),
      2,
    )
  })
  await Effect.runPromise(Effect.scoped(Effect.provideContext(program, sql)))
})
