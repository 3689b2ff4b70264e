import { readFileSync } from "node:fs"
import { Simulator } from "@carillon/simulator"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { serve, type Server } from "../../simulator/src/server/Server.ts"
// Its tests run as part of this file.
import "../examples/client.test.ts"

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

describe("the guide to the client", () => {
  let server: Server | undefined

  beforeAll(async () => {
    const simulator = await Simulator.start({ clock: "scaled:100" })
    server = await serve(simulator, "127.0.0.1", 0)
    process.env["CARILLON_URL"] = server.url
    process.env["CARILLON_KEY"] = simulator.info.key
  })

  afterAll(() => server?.close())

  it("shows the files that are run here, and no other code", () => {
    const blocks = [...text("guides/client.md").matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block)
    const files = ["client.ts", "client-effect.ts", "client-remind.ts", "client.test.ts"]
    assert.sameMembers(
      blocks,
      files.map((file) => text(`examples/${file}`)),
    )
  })

  it("places a call in promises and in Effect, and waits for its end", async () => {
    const { call: inPromises } = await import("../examples/client.ts")
    const { call: inEffect } = await import("../examples/client-effect.ts")
    assert.deepStrictEqual([inPromises.status, inEffect.status], ["completed", "completed"])
    assert.deepStrictEqual(inPromises.variables, { first_name: "Ada" })
    assert.notStrictEqual(inPromises.execution_id, inEffect.execution_id)
  })
})
