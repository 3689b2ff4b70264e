import { request } from "node:http"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it, test } from "vitest"
import { serve, type Server } from "../../src/server/Server.ts"
import { type Provenance, webFault } from "../../src/server/WebGuard.ts"
import { Simulator } from "../../src/Simulator.ts"

const curl: Provenance = {
  method: "POST",
  host: "localhost:4010",
  origin: null,
  fetchSite: null,
  fetchMode: null,
  contentType: "application/json",
  hasBody: true,
  isPage: false,
}
const none: ReadonlySet<string> = new Set()
const status = (from: Partial<Provenance>, names: ReadonlySet<string> | null = none) =>
  webFault({ ...curl, ...from }, names)?.status ?? 200

describe("a request under /_sim", () => {
  test.each([
    "localhost",
    "LOCALHOST:1",
    "sim.localhost",
    "127.0.0.1:4010",
    "127.9.9.9",
    "[::1]:4010",
    "192.168.0.7:80",
  ])("is answered as %s, which no stranger can point here", (host) => expect(status({ host })).toBe(200))

  test.each([
    "evil.test",
    "evil.test:4010",
    "localhost.evil.test",
    "127.0.0.1.evil.test",
    "1.2.3.4.nip.io",
    "localhost.",
  ])("is not answered as %s", (host) => expect(status({ host })).toBe(403))

  test.each(["", "a b", "localhost:x", "[::1", "localhost:4010:1", "evil.test@localhost", "localhost/"])(
    "is refused as '%s', which is no host",
    (host) => expect(status({ host })).toBe(400),
  )

  it("is answered as a name that was allowed, and anywhere behind a token", () => {
    expect(status({ host: "sim.test:4010" }, new Set(["sim.test"]))).toBe(200)
    expect(status({ host: "sim.test:4010" }, null)).toBe(200)
    expect(status({ host: null })).toBe(200)
  })

  it("comes from its own page or from none", () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: false }), (url) => {
        const { host, origin } = new URL(url)
        const names = new Set([new URL(url).hostname])
        expect(status({ host, origin }, names)).toBe(200)
        expect(status({ host: "localhost:4010", origin })).toBe(403)
        expect(status({ host, origin: `http://x.${host}` }, names)).toBe(403)
      }),
    )
    for (const origin of ["null", "", "file://", "http://localhost:4011", "http://localhost", "localhost:4010"]) {
      expect(status({ origin })).toBe(403)
    }
    expect(status({ host: null, origin: "http://localhost:4010" })).toBe(403)
  })

  it("is asked by nobody else's page, though it may be linked to", () => {
    const link = { method: "GET", hasBody: false, fetchMode: "navigate", isPage: true }
    for (const fetchSite of ["cross-site", "same-site", "else"]) {
      expect(status({ fetchSite })).toBe(403)
      expect(status({ ...link, fetchSite })).toBe(200)
      expect(status({ ...link, fetchSite, isPage: false })).toBe(403)
      expect(status({ ...link, fetchSite, fetchMode: "no-cors" })).toBe(403)
      expect(status({ ...link, fetchSite, method: "POST" })).toBe(403)
    }
    for (const fetchSite of ["same-origin", "none"]) expect(status({ fetchSite })).toBe(200)
    // What a link does not excuse.
    expect(status({ ...link, fetchSite: "cross-site", host: "evil.test" })).toBe(403)
  })

  test.each([
    null,
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonx",
  ])("has no body of type %s, which a form could send, where a browser sends it", (contentType) => {
    expect(status({ contentType, fetchSite: "same-origin" })).toBe(400)
    expect(status({ contentType, origin: "http://localhost:4010" })).toBe(400)
    expect(status({ contentType, fetchSite: "same-origin", hasBody: false })).toBe(200)
    expect(status({ contentType })).toBe(200)
  })

  it("has a body of JSON", () => {
    for (const contentType of ["application/json", "Application/JSON; charset=utf-8"]) {
      expect(status({ contentType })).toBe(200)
    }
  })
})

describe("over a socket", () => {
  let simulator: Simulator
  let server: Server
  beforeAll(async () => {
    simulator = await Simulator.start({ clock: "manual" })
    server = await serve(simulator, "127.0.0.1", 0)
  })
  afterAll(() => server.close())

  const ask = (method: string, path: string, headers: Record<string, string>, body = ""): Promise<[number, string]> =>
    new Promise((resolve, reject) => {
      const sent = request(
        { host: "127.0.0.1", port: server.port, method, path, headers, agent: false },
        (response) => {
          let text = ""
          response.setEncoding("utf8").on("data", (chunk: string) => {
            text += chunk
            // The stream of events has no end.
            if (path.startsWith("/_sim/events")) response.destroy()
          })
          response.on("close", () => resolve([response.statusCode ?? 0, text]))
        },
      )
      sent.on("error", reject).end(body)
    })
  const own = () => ({ host: `localhost:${server.port}` })
  const json = { "content-type": "application/json" }

  it.each(["/_sim", "/_sim/stats", "/_sim/events", "/_sim/ui/world", "/_sim/journal", "/_sim/ui"])(
    "a page of strangers reads nothing of %s, even under a name that it turned to this machine",
    async (path) => {
      expect((await ask("GET", path, own()))[0]).toBe(200)
      const { host } = own()
      for (const from of [
        { host: "rebound.test" },
        { host, origin: "https://evil.test" },
        { host, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
      ]) {
        const [refused, text] = await ask("GET", path, from)
        expect([refused, JSON.parse(text).error]).toEqual([403, 1102])
        expect(text).not.toContain(simulator.info.key)
      }
    },
  )

  it("a page of strangers changes nothing", async () => {
    const before = (await ask("GET", "/_sim/clock", own()))[1]
    const advance = JSON.stringify({ by_ms: 1000 })
    const { host } = own()
    const plain = { "content-type": "text/plain", "sec-fetch-site": "same-origin" }
    expect((await ask("POST", "/_sim/clock/advance", { host, ...plain }, advance))[0]).toBe(400)
    expect((await ask("POST", "/_sim/clock/advance", { host, ...json, origin: "null" }, advance))[0]).toBe(403)
    expect((await ask("POST", "/_sim/reset", { host: "rebound.test" }))[0]).toBe(403)
    expect((await ask("GET", "/_sim/clock", own()))[1]).toBe(before)
    const mine = { host, origin: `http://${host}`, "sec-fetch-site": "same-origin", ...json }
    expect((await ask("POST", "/_sim/clock/advance", mine, advance))[0]).toBe(200)
    expect((await ask("POST", "/_sim/reset", own()))[0]).toBe(204)
  })

  it("whoever is not the control surface answers as ever", async () => {
    expect((await ask("GET", "/healthz", { host: "anything.test" }))[0]).toBe(200)
    expect((await ask("GET", "/v2/scopes", { host: "anything.test" }))[0]).toBe(401)
  })
})

test("a reset of rows that may be anybody's is refused", async () => {
  const simulator = await Simulator.start({ clock: "manual", refuseReset: true })
  const answer = await simulator.fetch(new Request("http://simulator.test/_sim/reset", { method: "POST" }))
  expect([answer.status, await answer.json()]).toMatchObject([409, { error: 1201 }])
  await simulator.close()
})
