import { Postgres } from "@carillon/postgres"
import { layerClient } from "@carillon/postgres/pglite"
import { Simulator } from "@carillon/simulator"
import { Effect, Layer, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, expect, test } from "vitest"
import { newPglite } from "../../../scripts/servers/PgliteDirectory.ts"

const { directory, remove } = await newPglite()

afterAll(remove)

const start = (releaseDialling: boolean) =>
  Simulator.start({ storage: `pglite:${directory}`, clock: "manual", limits: "x3", logLevel: "None", releaseDialling })

const place = async (simulator: Simulator): Promise<number> => {
  const { agent_id, key } = simulator.info
  const response = await simulator.fetch(
    new Request("http://simulator/v2/calls", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ agent_id, to_number: "+15555550100" }),
    }),
  )
  return response.status
}

const setCeiling = async (simulator: Simulator, concurrency: number): Promise<void> => {
  const body = JSON.stringify({ concurrency })
  const headers = { "content-type": "application/json" }
  const request = new Request("http://simulator/_sim/platform", { method: "PATCH", headers, body })
  expect((await simulator.fetch(request)).status).toBe(200)
}

const marked = Effect.gen(function* () {
  yield* Layer.build(Postgres.layerNoDeps)
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("update carillon.installation set written_by = 0")
})

const installation = Effect.gen(function* () {
  yield* Layer.build(Postgres.layerNoDeps)
  const sql = yield* SqlClient.SqlClient
  return yield* sql.unsafe<{ readonly row: object }>("select row from carillon.platform")
})

const inDatabase = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient | Scope.Scope>): Promise<A> =>
  Effect.runPromise(Effect.scoped(Effect.provide(effect, layerClient(directory))))

test("a simulator on restored rows dials nobody before it is released, and goes on then, under the ceiling that is stored", async () => {
  await inDatabase(marked)
  const restored = await start(false)
  expect(await place(restored)).toBe(503)
  await setCeiling(restored, 70)
  await restored.close()
  const held = await start(false)
  expect(await place(held)).toBe(503)
  await held.close()
  const released = await start(true)
  expect(await place(released)).toBe(201)
  await released.close()
  const [found] = await inDatabase(installation)
  expect(found?.row).toMatchObject({ concurrency: 70 })
  expect(found?.row).not.toHaveProperty("hold")
})
