import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it, test } from "vitest"
import { compiled } from "../../scripts/Compiled.ts"
import { installOwn } from "./OwnPackages.ts"

const root = join(import.meta.dirname, "../..")
const folder = join(root, "docs/examples/load")

const missing = installOwn(folder)

// A run without them says so in its last lines (scripts/NotTested.ts).
if (missing !== null) {
  // oxlint-disable-next-line vitest/no-disabled-tests -- there is nothing to run
  test.skip(`cannot be run: the load tests of docs/examples/load (${missing})`, () => {})
}

interface Ready {
  readonly url: string
  readonly key: string
  readonly agent_id: string
}

describe.skipIf(missing !== null)("the examples of load tests", () => {
  let simulator: ChildProcess
  let ready: Ready

  beforeAll(async () => {
    const main = join(root, "simulator/src/main.ts")
    const flags = ["--port=0", "--limits=off", "--print=json"]
    simulator = spawn(process.execPath, ["--conditions=@carillon/source", main, ...flags], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    if (simulator.stdout === null) throw new Error("The simulator says nothing.")
    const [line]: ReadonlyArray<Buffer> = await once(simulator.stdout, "data")
    ready = JSON.parse(String(line))
  })

  afterAll(() => {
    simulator.kill("SIGKILL")
  })

  /** Runs the example for a second; what it judges by is given. */
  const load = async (thresholds: Readonly<Record<string, string>>) => {
    const { agent_id: AGENT, key: KEY, url: URL } = ready
    const env = { ...process.env, AGENT, KEY, URL, SECONDS: "1", CONNECTIONS: "2", ...thresholds }
    const child = spawn(process.execPath, [join(folder, "autocannon.ts")], { env, stdio: ["ignore", "pipe", "pipe"] })
    let said = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()))
    const [code]: ReadonlyArray<unknown> = await once(child, "exit")
    return { code, said }
  }

  it("are these, and the compiler finds nothing in them", () => {
    const files = readdirSync(folder).filter((file) => file.endsWith(".ts"))
    assert.sameMembers(files, ["autocannon.ts", "k6.ts"])
    const { said, status: code } = compiled(folder)
    assert.strictEqual(code, 0, said)
  })

  it("autocannon.ts ends with 0 where every threshold holds", async () => {
    const { code, said } = await load({ P99_MS: "60000", PER_SECOND: "1" })
    assert.strictEqual(code, 0, said)
    assert.match(said, /holds {2}no answer but 2xx: 0 others/)
  })

  it("autocannon.ts ends with 1 where one does not, and says which", async () => {
    const { code, said } = await load({ P99_MS: "60000", PER_SECOND: "1000000" })
    assert.strictEqual(code, 1, said)
    assert.match(said, /FAILS {2}1000000 answers a second/)
  })
})
