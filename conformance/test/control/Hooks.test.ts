import { readFileSync } from "node:fs"
import { Simulator } from "@carillon/simulator"
import { describe, expect, it } from "vitest"
import { hooked, hooksOnly, readHooks } from "../../src/control/Hooks.ts"
import { program } from "../../src/command/Program.ts"
import type { Fetch } from "../../src/http/Wire.ts"

/** Prints what it was told: its arguments and its input. */
const echo = [
  process.execPath,
  "-e",
  "let b='';process.stdin.on('data',d=>b+=d).on('end',()=>console.log(JSON.stringify({args:process.argv.slice(1),body:b})))",
]

const file = (hooks: object, capabilities: object = { organizations: true }) => JSON.stringify({ capabilities, hooks })

const surface: Fetch = async (request) =>
  request.url.endsWith("/capabilities")
    ? Response.json({ contract: 1, clock: true, dns: true })
    : Response.json({ came: `${request.method} ${request.url}`, body: await request.text() })

const through = (hooks: object, controlUrl = "http://control.test/") => {
  const fetch = hooked(surface, readHooks("hooks.json", file(hooks, { organizations: true, dns: false })), controlUrl)
  return async (method: string, path: string, body?: string) => {
    const base = controlUrl.replace(/\/$/, "")
    const answer = await fetch(new Request(`${base}${path}`, { method, ...(body === undefined ? {} : { body }) }))
    const json: Readonly<Record<string, unknown>> = JSON.parse(await answer.text())
    return { status: answer.status, json }
  }
}

describe("hooks", () => {
  it("answer with what a command prints: it gets the parts of the path, and the body", async () => {
    const ask = through({
      "POST /organizations": { command: [...echo, "new"] },
      "PATCH /organizations/{id}": { command: [...echo, "change", "{id}"] },
    })
    expect(await ask("POST", "/_sim/organizations", '{"a":1}')).toEqual({
      status: 201,
      json: { args: ["new"], body: '{"a":1}' },
    })
    expect(await ask("PATCH", "/_sim/organizations/org%20%241", "{}")).toEqual({
      status: 200,
      json: { args: ["change", "org $1"], body: "{}" },
    })
  })

  it("send a route elsewhere, and leave what they do not name to the control surface", async () => {
    const ask = through({ "PUT /inbox/{name}": { url: "http://mail.test/boxes/{name}?x=1" } })
    expect(await ask("PUT", "/_sim/inbox/a%2Fb", "{}")).toEqual({
      status: 200,
      json: { came: "PUT http://mail.test/boxes/a%2Fb?x=1", body: "{}" },
    })
    expect((await ask("GET", "/_sim/inbox/a")).json.came).toBe("GET http://control.test/_sim/inbox/a")
    expect((await ask("GET", "/v2/calls")).json.came).toBe("GET http://control.test/v2/calls")
  })

  it("declare what they give over what the control surface declares", async () => {
    const declared = { contract: 1, clock: true, dns: false, organizations: true }
    expect((await through({})("GET", "/_sim/capabilities")).json).toEqual(declared)
  })

  it("are all there is where there is no control surface", async () => {
    const ask = through({ "GET /clock": { command: echo } }, hooksOnly)
    expect((await ask("GET", "/_sim/capabilities")).json).toEqual({ contract: 1, dns: false, organizations: true })
    expect((await ask("GET", "/_sim/clock")).status).toBe(200)
    expect((await ask("PUT", "/_sim/dns", "{}")).status).toBe(404)
  })

  it.each([
    ["fails", ["-e", "console.error('no database'); process.exit(3)"], "no database"],
    ["prints no JSON", ["-e", "console.log('made')"], "printed no JSON object"],
    ["prints more than anyone reads", ["-e", "console.log('x'.repeat(2_000_000))"], "maxBuffer"],
  ])("tell of a command that %s", async (_what, args, told) => {
    const answer = await through({ "PUT /clock": { command: [process.execPath, ...args] } })("PUT", "/_sim/clock", "{}")
    expect(answer.status).toBe(500)
    expect(answer.json.message).toContain(told)
  })

  it("tell of a command that is not there", async () => {
    const answer = await through({ "PUT /clock": { command: ["./no-such-program"] } })("PUT", "/_sim/clock", "{}")
    expect(answer.json.message).toContain("ENOENT")
  })

  it.each([
    ["no JSON", "{", "it is no JSON object"],
    ["a name that nobody knows", '{"hook": {}}', '"hook" is unknown'],
    ["no capabilities", '{"hooks": {}}', '"capabilities" and "hooks" are needed'],
    ["no route", file({ organizations: { url: "http://a.test" } }), '"organizations" is no route'],
    ["a shell's line", file({ "PUT /clock": { command: "set-clock" } }), 'needs a "command" (a list of words)'],
    ["both", file({ "PUT /clock": { command: ["a"], url: "http://a.test" } }), "needs a"],
    ["more than there is", file({ "PUT /clock": { url: "http://a.test", method: "GET" } }), 'does not take "method"'],
  ])("are refused with %s", (_what, text, told) => {
    expect(() => readHooks("hooks.json", text)).toThrow(told)
  })
})

describe("the guide", () => {
  it("shows a file of hooks that can be read", () => {
    const guide = readFileSync(new URL("../../../docs/guides/judgeable.md", import.meta.url), "utf8")
    const [, text = ""] = /```json\n([^]*?)```/.exec(guide) ?? []
    expect(readHooks("hooks.json", text).routes.map(({ method }) => method)).toEqual(["POST", "PATCH", "PUT", "GET"])
  })
})

describe("a run with hooks alone", () => {
  it("judges what they give, and its lines to replay name the file", async () => {
    const simulator = await Simulator.start({ clock: "manual" })
    const text = file({
      "POST /organizations": { url: "http://simulator.test/_sim/organizations" },
      "PATCH /organizations/{id}": { url: "http://simulator.test/_sim/organizations/{id}" },
    })
    const files: Readonly<Record<string, string>> = { "hooks.json": text, "bad.json": "[]" }
    const execute = async (only: string, name: string, fetch: Fetch = simulator.fetch) => {
      let told = ""
      const say = (words: string) => void (told += words)
      const status = await program(
        ["run", "--base-url", "http://simulator.test", "--key", simulator.info.key, "--hooks", name, "--only", only],
        {
          out: say,
          err: say,
          readFile: async (path) => files[path] ?? Promise.reject(new Error("ENOENT")),
          writeFile: async () => {},
          memory: { read: async () => undefined, write: async () => {} },
          colour: false,
        },
        fetch,
      )
      return { status, told }
    }
    try {
      const held = await execute("keys/mint/*", "hooks.json")
      expect(held.status).toBe(0)
      expect(held.told).not.toContain("n/a")
      const broken: Fetch = async (request) =>
        request.url.includes("/v2/api-keys") ? Response.json({}) : simulator.fetch(request)
      expect((await execute("keys/mint/*", "hooks.json", broken)).told).toContain("--hooks hooks.json")
      expect(await execute("keys", "bad.json")).toMatchObject({ status: 2 })
      expect(await execute("keys", "none.json")).toMatchObject({ status: 2 })
    } finally {
      await simulator.close()
    }
  })
})
