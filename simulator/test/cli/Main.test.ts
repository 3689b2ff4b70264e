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

/** Of virtual time, which holds more than any machine gets through before it is told to stop. */
const yearMs = 365 * 86_400_000
/** Within the time in which a drain gives up; the rest is for a busy machine. */
const endMaxMs = 20_000

test("on SIGTERM in the middle of a long advance time stops, the advance says so, and the process exits 0", async () => {
  const long = start("--port", "0", "--clock", "manual", "--print", "json", "--seed", "43")
  const said = outputOf(long)
  const ended = once(long, "close")
  try {
    await once(long.stdout!, "data")
    const own: Ready = JSON.parse(said.stdout)
    const post = async (path: string, body: object): Promise<{ status: number; body: Record<string, unknown> }> => {
      const headers = { authorization: `Bearer ${own.key}`, "content-type": "application/json" }
      const answer = await fetch(own.url + path, { method: "POST", headers, body: JSON.stringify(body) })
      return { status: answer.status, body: Object(await answer.json()) }
    }
    const contacts = Array.from({ length: 10_000 }, (_, nth) => ({ to_number: `+1555${String(5_000_000 + nth)}` }))
    const made = await post("/v2/campaigns", { name: "Long", agent_id: own.agent_id, contacts })
    expect(made.status).toBe(201)
    // What is asked for while time moves is answered afterwards, but events are told as they come.
    const events = (await fetch(`${own.url}/_sim/events`)).body!.pipeThrough(new TextDecoderStream()).getReader()
    const advancing = post("/_sim/clock/advance", { by_ms: yearMs })
    for (let seen = ""; !seen.includes('"type":"call_completed"');) seen += (await events.read()).value ?? ""
    await events.cancel()
    long.kill("SIGTERM")
    const late = setTimeout(() => long.kill("SIGKILL"), endMaxMs)
    const [code, signal] = await ended
    clearTimeout(late)
    expect([code, signal]).toEqual([0, null])
    const { body, status } = await advancing
    expect([status, body["reached"]]).toEqual([200, false])
    expect([said.stdout.trim().split("\n").length, said.stderr]).toEqual([1, ""])
  } finally {
    long.kill("SIGKILL")
  }
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
