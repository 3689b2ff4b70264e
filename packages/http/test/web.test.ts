import { request, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { limits } from "@carillon/core"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { nodeServer } from "../src/node.ts"
import { type WebHandler, webHandler } from "../src/web.ts"
import { agentId, makeWorld, type World } from "./World.ts"

interface Sent {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

interface Received {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

const compared = [
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "retry-after",
  "x-request-id",
  "content-type",
  "cache-control",
  "location",
]

const pick = (header: (name: string) => unknown) =>
  Object.fromEntries(compared.map((name) => [name, header(name) ?? null]))

let worlds: readonly [World, World]
let server: Server
let web: WebHandler

beforeAll(async () => {
  // The same seeds, so that the two worlds answer alike to the same requests.
  worlds = [await makeWorld(), await makeWorld()]
  server = nodeServer(worlds[0].handle)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  web = webHandler(worlds[1].handle)
})
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve).closeAllConnections())
  for (const world of worlds) await world.close()
})

const overNode = ({ body, headers, method, target }: Sent): Promise<Received> =>
  new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo
    request({ host: "127.0.0.1", port, method, path: target, headers }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: pick((name) => response.headers[name]), text }),
      )
    })
      .on("error", reject)
      .end(body ?? undefined)
  })

const overWeb = async ({ body, headers, method, target }: Sent): Promise<Received> => {
  const response = await web(new Request(`http://127.0.0.1${target}`, { method, headers, body }))
  return { status: response.status, headers: pick((name) => response.headers.get(name)), text: await response.text() }
}

describe("webHandler", () => {
  it("answers as the Node mount does", async () => {
    const keys = worlds.map((world) => world.mint({ plan: "standard" }))
    expect(keys[0]).toBe(keys[1])
    const word = fc.stringMatching(/^[A-Za-z0-9_~-]{0,6}(%[0-9a-f]{2}|%zz|%)?$/)
    const target = fc.oneof(
      fc.constantFrom(
        "/v2/calls",
        "/v2/agents",
        "/v2/scopes",
        "/v2/user/me",
        "/v2/api-keys",
        "/healthz",
        "/v2",
        "/v2/",
      ),
      fc
        .tuple(fc.constantFrom("/v2/calls/", "/v2/agents/", "/v2/"), word, fc.constantFrom("", "/", "/stop", "/timing"))
        .map((parts) => parts.join("")),
    )
    const query = fc.oneof(
      fc.constantFrom(
        "",
        "?",
        "?page=2",
        "?page=x",
        "?page=1&page=2",
        "?organization_id=org_2",
        "?status=nope",
        "?a=%&b=%ff&c=+",
      ),
      word.map((text) => `?search=${text}`),
    )
    const body = fc.oneof(
      fc.constant(null),
      fc.constantFrom(
        "",
        "{",
        "{}",
        "null",
        `{"agent_id":"${agentId}","to_number":"+15551234567"}`,
        '{"name":"x"}',
        '{"display_name":"x"}',
      ),
      fc.json(),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("GET", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"),
        target,
        query,
        body,
        fc.constantFrom({}, { "content-type": "application/json" }, { "content-type": "text/plain" }),
        fc.constantFrom(`Bearer ${keys[0]}`, `bearer  ${keys[0]}`, "Bearer gat_x", "Bearer x", "Basic x"),
        fc.constantFrom({}, { "x-request-id": "mine" }, { "x-request-id": "not mine" }),
        async (method, path, query, body, contentType, authorization, id) => {
          const sent: Sent = {
            method,
            target: path + query,
            headers: { authorization, ...contentType, ...id },
            body: method === "GET" ? null : body,
          }
          for (const world of worlds) world.clock.now += 1000
          // `fetch` names a type for every text body of its own accord.
          if (sent.body !== null && !("content-type" in sent.headers)) return
          expect(await overWeb(sent)).toEqual(await overNode(sent))
        },
      ),
      { numRuns: 250 },
    )
  })

  it("refuses a body over the limit while it reads it", async () => {
    let pulled = 0
    let canceled = false
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1
        controller.enqueue(new Uint8Array(limits.bodyBytes / 4))
      },
      cancel: () => {
        canceled = true
      },
    })
    const key = worlds[1].mint({})
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const response = await web(
      new Request("http://x/v2/calls", { method: "POST", headers, body: endless, duplex: "half" }),
    )
    expect([response.status, await response.json()]).toEqual([
      413,
      { error: 1000, message: "The request body is larger than 1 MiB." },
    ])
    expect(canceled).toBe(true)
    expect(pulled).toBeLessThan(8)
  })

  it("joins a body that arrives in pieces", async () => {
    const pieces = Array.from(new TextEncoder().encode('{"display_name":"Zoë"}'), (byte) => Uint8Array.of(byte))
    const body = ReadableStream.from(pieces)
    const headers = { authorization: `Bearer ${worlds[1].mint({})}`, "content-type": "application/json" }
    const response = await web(new Request("http://x/v2/agents", { method: "POST", headers, body, duplex: "half" }))
    expect([response.status, await response.json()]).toMatchObject([201, { display_name: "Zoë" }])
  })

  it("serves the API and its fallback behind a prefix, and says where that is", async () => {
    const key = worlds[1].mint({})
    const own = webHandler(worlds[1].handle, {
      prefix: "/voice",
      fallback: ({ target }) => (target === "/here?x=1" ? { status: 200, headers: {}, body: "here" } : null),
    })
    const headers = { authorization: `Bearer ${key}` }
    expect((await own(new Request("http://x/voice/v2/scopes", { headers }))).status).toBe(200)
    expect(await (await own(new Request("http://x/voice/here?x=1#y"))).text()).toBe("here")
    for (const path of ["/v2/scopes", "/here?x=1", "/voice", "/voicev2/scopes"]) {
      const answer = await own(new Request(`http://x${path}`, { headers }))
      expect([answer.status, await answer.text()]).toEqual([404, "Not found. The API is under /voice/v2.\n"])
    }
    expect(() => webHandler(worlds[1].handle, { prefix: "/v2" })).toThrow("leave /v2 off")
  })

  it("rejects when a body was read before it", async () => {
    const read = new Request("http://x/v2/calls", { method: "POST", body: "{}" })
    await read.text()
    await expect(web(read)).rejects.toThrow("before anything that reads request bodies")
  })

  it("leaves what is not under /v2 to the fallback", async () => {
    const own = webHandler(worlds[1].handle, {
      fallback: ({ target }) => (target === "/here?x=1" ? { status: 200, headers: {}, body: "here" } : null),
    })
    expect(await (await own(new Request("http://x/here?x=1#y"))).text()).toBe("here")
    expect((await own(new Request("http://x/there"))).status).toBe(404)
  })
})
