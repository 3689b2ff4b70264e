import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { Agent, request } from "node:http"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, test } from "vitest"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

interface Ready {
  readonly url: string
  readonly port: number
  readonly organization_id: string
  readonly key: string
  readonly agent_id: string
}

/** What a route of the control surface answers, by the fields that are read here. */
const control = async (path: string): Promise<{ demo: { agent_id: string }; waiting: ReadonlyArray<unknown> }> => {
  const answer: unknown = await (await fetch(ready.url + path)).json()
  return answer as never
}

const start = (...flags: ReadonlyArray<string>): ChildProcess =>
  spawn(process.execPath, ["--conditions=@carillon/source", main, ...flags], { stdio: ["ignore", "pipe", "pipe"] })

const outputOf = (child: ChildProcess) => {
  const output = { stdout: "", stderr: "" }
  child.stdout!.on("data", (chunk) => (output.stdout += chunk))
  child.stderr!.on("data", (chunk) => (output.stderr += chunk))
  return output
}

let child: ChildProcess
let output: ReturnType<typeof outputOf>
let ready: Ready

beforeAll(async () => {
  child = start("--port", "0", "--clock", "manual", "--print", "json", "--seed", "42")
  output = outputOf(child)
  await once(child.stdout!, "data")
  ready = JSON.parse(output.stdout)
})

afterAll(() => {
  child.kill("SIGKILL")
})

test("one JSON line says where the server is and how to get in, and it serves", async () => {
  expect(Object.keys(ready)).toEqual(["url", "port", "organization_id", "key", "agent_id"])
  expect(ready.url).toBe(`http://127.0.0.1:${ready.port}`)
  expect((await fetch(`${ready.url}/healthz`)).status).toBe(200)
  const me = await fetch(`${ready.url}/v2/user/me`, { headers: { authorization: `Bearer ${ready.key}` } })
  expect(await me.json()).toMatchObject({ organization_id: ready.organization_id })
  expect((await control("/_sim")).demo.agent_id).toBe(ready.agent_id)
  const set = await fetch(`${ready.url}/_sim/clock`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: `{"mode":"manual"}`,
  })
  expect(await set.json()).toMatchObject({ mode: "manual" })
  expect((await fetch(`${ready.url}/openapi.json`)).status).toBe(200)
  expect((await fetch(`${ready.url}/nothing`)).status).toBe(404)
})

test("a taken port is told in one line, exit 1", async () => {
  const second = start("--port", String(ready.port))
  const said = outputOf(second)
  const [code] = await once(second, "close")
  expect(code).toBe(1)
  expect(said.stderr).toMatch(/^carillon-simulator: --port: \d+ is already in use on 127\.0\.0\.1\n$/)
  expect(said.stdout).toBe("")
})

test("counters that are not there are told in one line without the password, exit 1", async () => {
  const lost = start("--port", "0", "--counters", "redis://default:secret@127.0.0.1:1")
  const said = outputOf(lost)
  const [code] = await once(lost, "close")
  expect(code).toBe(1)
  expect(said.stderr).toBe("carillon-simulator: --counters: no Redis answers at redis://127.0.0.1:1\n")
  expect(said.stdout).toBe("")
})

test("on SIGTERM a parked request is answered, kept connections are let go, and the process exits 0", async () => {
  const agent = new Agent({ keepAlive: true })
  const { agent_id } = (await control("/_sim")).demo
  const dial = new Promise<number | undefined>((resolve, reject) => {
    const sent = request(`${ready.url}/v2/calls`, {
      method: "POST",
      agent,
      headers: { authorization: `Bearer ${ready.key}`, "content-type": "application/json" },
    })
    sent.on("response", (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on("error", reject)
    sent.end(JSON.stringify({ agent_id, to_number: "+999210000000001" }))
  })
  while ((await control("/_sim/clock")).waiting.length === 0);
  child.kill("SIGTERM")
  expect(await dial).toBe(503)
  const [code] = await once(child, "close")
  expect(code).toBe(0)
  expect(output.stdout.trim().split("\n")).toHaveLength(1)
  agent.destroy()
})
