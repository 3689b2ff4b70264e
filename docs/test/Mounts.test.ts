import { spawn, spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, test } from "vitest"

const root = join(import.meta.dirname, "../..")
const folder = join(root, "docs/examples/mounts")

/** What the examples stand on has a lockfile of its own, so that nobody else installs it. */
const { output, status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"], {
  cwd: folder,
  encoding: "utf8",
})
const isInstalled = status === 0

// A run without them says so in its last lines (vitest.config.ts).
if (!isInstalled) {
  // oxlint-disable-next-line vitest/no-disabled-tests -- there is nothing to run
  test.skip(`cannot be run: the mounts of docs/examples/mounts (npm ci fails: ${output.join("").slice(-300)})`, () => {})
}

interface Running {
  readonly url: string
  readonly key: string
  /** Tells the process to stop, and waits for its end. */
  readonly stop: () => Promise<number | null>
}

/** Starts an example as a user would, and waits until it says where it is. */
const start = (file: string): Promise<Running> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--conditions=@carillon/source", join(folder, file)], {
      cwd: folder,
      env: { ...process.env, PORT: "0" },
      stdio: ["ignore", "pipe", "pipe"],
    })
    let said = ""
    const ended = new Promise<number | null>((done) => child.once("exit", done))
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()))
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString()
      const line = said.split("\n").find((text) => text.startsWith("{"))
      if (line === undefined) return
      const { address, key } = JSON.parse(line)
      const stop = () => {
        child.kill("SIGTERM")
        return ended
      }
      resolve({ url: `http://127.0.0.1:${address.port}`, key, stop })
    })
    void ended.then((code) => reject(new Error(`${file} ended with ${code}:\n${said}`)))
  })

const post = (json: object, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(json),
})

/** What any mount has to do: the API with bodies, the host's own routes with theirs, and nothing else. */
const judge = async (send: typeof fetch, url: string, key: string) => {
  const authorization = `Bearer ${key}`
  const made = await send(`${url}/v2/agents`, post({ display_name: "Reminder", status: "ACTIVE" }, { authorization }))
  assert.strictEqual(made.status, 201)
  const { agent_id } = (await made.json()) as { agent_id: string }
  const dialled = await send(`${url}/v2/calls`, post({ agent_id, to_number: "+15555550100" }, { authorization }))
  assert.strictEqual(dialled.status, 201)
  const listed = await send(`${url}/v2/calls?page_size=1`, { headers: { authorization } })
  assert.containSubset(await listed.json(), { pagination: { total: 1, page_size: 1 } })
  const refused = await send(`${url}/v2/calls`)
  assert.strictEqual(refused.status, 401)
  assert.containSubset(await refused.json(), { error: 1100 })
  const unknown = await send(`${url}/v2/of-nobody`, { headers: { authorization } })
  assert.containSubset(await unknown.json(), { error: 1200 })
}

describe.skipIf(!isInstalled)("the examples of mounts", () => {
  it("are these, and the compiler finds nothing in them", () => {
    const files = readdirSync(folder).filter((file) => file.endsWith(".ts"))
    assert.sameMembers(files, ["express.ts", "fastify.ts", "hono.ts", "web.ts"])
    const compiler = join(root, "node_modules/typescript/bin/tsc")
    const { output: said, status: code } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" })
    assert.strictEqual(code, 0, said.join(""))
  })

  for (const file of ["express.ts", "fastify.ts", "hono.ts"]) {
    it(`${file} serves the API beside routes of its own, and ends by itself when it is told to`, async () => {
      const { key, stop, url } = await start(file)
      await judge(fetch, url, key)
      const own = await fetch(`${url}/hello`, post({ name: "Ada" }))
      assert.deepStrictEqual(await own.json(), { hello: "Ada" })
      assert.strictEqual((await fetch(`${url}/of-nobody`)).status, 404)
      assert.strictEqual(await stop(), 0)
    })
  }

  it("web.ts answers web-standard requests", async () => {
    const path = "../examples/mounts/web.ts"
    const example: {
      readonly fetch: (request: Request) => Promise<Response>
      readonly key: string
      readonly stop: () => Promise<void>
    } = await import(path)
    const send: typeof fetch = (input, init) => example.fetch(new Request(input, init))
    await judge(send, "http://carillon.test", example.key)
    await example.stop()
  })
})
