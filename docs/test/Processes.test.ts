import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { startExample } from "./ExampleProcess.ts"

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

describe("the example of a process that is told to stop", () => {
  it("is the file that is run here", () => {
    assert.include(text("docs/guides/processes.md"), text("docs/examples/draining.ts"))
  })

  it("serves until then, and no longer", async () => {
    const { stop, url } = await startExample("programs/draining.ts")
    assert.strictEqual((await fetch(`${url}/v2/calls`)).status, 401)
    assert.strictEqual(await stop(), 0)
    await fetch(`${url}/v2/calls`).then(
      () => assert.fail("somebody still answers"),
      () => {},
    )
  })
})
