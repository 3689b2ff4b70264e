import { execFile } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { Simulator } from "@carillon/simulator"
import { assert, describe, it, test } from "vitest"
import { type Runtime, runtimes } from "./Runtimes.ts"
import { serve } from "../../simulator/src/server/Server.ts"
import { startExample } from "./ExampleProcess.ts"
import { judgeMount, post } from "./JudgedMount.ts"

const found = runtimes()
const available = typeof found === "string" ? [] : found

// A run without them says so in its last lines (scripts/NotTested.ts).
if (typeof found === "string") {
  // oxlint-disable-next-line vitest/no-disabled-tests -- there is nothing to run
  test.skip(`cannot be run: the client and the engine in Bun and Deno (${found})`, () => {})
}

/** A program that has said everything ends by itself; one that does not is ended, and fails. */
const endsMs = 60_000

/** Starts a program of the folder `programs`, and reads the line of JSON that it prints. */
const run = async ({ args, command }: Runtime, program: string, env: Readonly<Record<string, string>>) => {
  const file = join(import.meta.dirname, "programs", program)
  const options = { env: { ...process.env, ...env }, timeout: endsMs }
  return JSON.parse((await promisify(execFile)(command, [...args, file], options)).stdout)
}

describe.for(available)("in $name", (runtime) => {
  it("the client places calls, walks through pages, tells errors and verifies webhooks", async () => {
    const simulator = await Simulator.start({ clock: "manual" })
    const server = await serve(simulator, "127.0.0.1", 0)
    try {
      const { agent_id, key, organization_id } = simulator.info
      const env = { CARILLON_URL: server.url, CARILLON_KEY: key, CARILLON_AGENT: agent_id }
      const delivery = ["call_completed", true, "mismatch"]
      assert.deepStrictEqual(await run(runtime, "runtime.ts", env), {
        statuses: ["completed", "busy", "no-answer"],
        walked: true,
        refused: [404, 1200],
        unreachable: "NoAnswer",
        verified: [delivery, delivery, delivery],
        inEffect: { organization: organization_id, count: 3, error: "NotFound" },
      })
    } finally {
      await server.close()
    }
  })

  it("the engine serves the API as the example has it, and ends by itself when it is told to", async () => {
    const folder = join(import.meta.dirname, "../examples/mounts", runtime.name.toLowerCase())
    const { said, stop, url } = await startExample("server.ts", folder, runtime)
    await judgeMount(fetch, url, said.key)
    const own = await fetch(`${url}/hello`, post({ name: "Ada" }))
    assert.deepStrictEqual(await own.json(), { hello: "Ada" })
    assert.strictEqual((await fetch(`${url}/of-nobody`)).status, 404)
    assert.strictEqual(await stop(), 0)
  })

  it("webhooks reach what is allowed and nothing else, follow no redirect, and keep their deadline", async () => {
    const asked: Array<string> = []
    const endpoint = createServer((request, response) => {
      asked.push(`${request.headers.host?.split(":")[0]}${request.url}`)
      if (request.url === "/silent") return
      const elsewhere = request.url === "/elsewhere" ? { Location: "/other" } : {}
      response.writeHead(request.url === "/elsewhere" ? 302 : 204, elsewhere).end()
    })
    await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve))
    try {
      const { port } = endpoint.address() as AddressInfo
      const answered = { _tag: "Answered", http_status: 204 }
      assert.deepStrictEqual(await run(runtime, "runtime-webhooks.ts", { ENDPOINT: `http://127.0.0.1:${port}` }), {
        byAddress: answered,
        again: answered,
        byName: answered,
        redirected: { _tag: "Answered", http_status: 302 },
        inPrivate: { _tag: "Refused" },
        silent: { _tag: "Failed", error_class: "timeout" },
      })
      const here = "127.0.0.1"
      assert.deepStrictEqual(asked, [`${here}/`, `${here}/`, "endpoint.test/", `${here}/elsewhere`, `${here}/silent`])
    } finally {
      await new Promise((resolve) => endpoint.close(resolve).closeAllConnections())
    }
  })
})
