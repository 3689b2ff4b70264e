import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Postgres } from "@carillon/postgres"
import { layerClient } from "@carillon/postgres/pglite"
import { Simulator } from "@carillon/simulator"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, expect, test } from "vitest"

const directory = mkdtempSync(join(tmpdir(), "carillon-restored-"))

afterAll(() => rmSync(directory, { recursive: true, force: true }))

const start = (releaseDialling: boolean) =>
  Simulator.start({ storage: `pglite:${directory}`, clock: "manual", logLevel: "None", releaseDialling })

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

const marked = Effect.gen(function* () {
  yield* Layer.build(Postgres.layerNoDeps)
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("update carillon.installation set written_by = 0")
})

test(
  "a simulator on restored rows dials nobody before it is released, and goes on then",
  { timeout: 120_000 },
  async () => {
    await Effect.runPromise(Effect.scoped(Effect.provide(marked, layerClient(directory))))
    const restored = await start(false)
    expect(await place(restored)).toBe(503)
    await restored.close()
    const released = await start(true)
    expect(await place(released)).toBe(201)
    await released.close()
  },
)
