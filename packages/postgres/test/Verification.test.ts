import { Campaigns, Verification } from "@carillon/core"
import { rowPorts } from "@carillon/core/ports"
import { TestWorld } from "@carillon/core/testing"
import { Postgres } from "@carillon/postgres"
import * as Pglite from "@carillon/postgres/pglite"
import { it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { afterAll, assert } from "vitest"
import { newPglite } from "../../../scripts/servers/PgliteDirectory.ts"

const { agentId, caller, organizationId, World } = TestWorld
const scope = Scope.makeUnsafe()
const embedded = await newPglite()

afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  embedded.remove()
})

it(
  "verifies an organization whose campaigns together are more than one answer may carry",
  { timeout: 120_000 },
  async () => {
    const layer = Layer.provideMerge(Postgres.layerNoDeps, Pglite.layerClient(embedded.directory))
    const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
    const program = Effect.gen(function* () {
      const world = new World({ storage: rowPorts(context) })
      yield* world.start()
      const metadata = { note: "x".repeat(60_000) }
      for (let nth = 0; nth < 150; nth++) {
        const body = { name: `A${nth}`, agent_id: agentId, metadata }
        yield* world.run(Effect.flatMap(Campaigns, (campaigns) => campaigns.create(caller, body, null)))
      }
      const verifying = Effect.flatMap(Verification, (verification) => verification.verify(organizationId))
      return yield* world.run(verifying)
    })
    const { faults, rows } = await Effect.runPromise(Effect.scoped(Effect.provideContext(program, context)))
    assert.deepStrictEqual(faults, [])
    assert.strictEqual(rows.campaigns, 150)
  },
)
