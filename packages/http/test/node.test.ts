import { createServer, request, type IncomingHttpHeaders, type RequestOptions, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { limits, Telephony } from "@carillon/core"
import { Activity } from "@carillon/core/ports"
import { Effect, Latch, Layer } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import type { Fallback } from "../src/Fallback.ts"
import { nodeListener, type NodeOptions, nodeServer } from "../src/node.ts"
import { closeConnections, head, openConnection } from "./Connections.ts"
import { agentId, makeWorld, type World } from "./World.ts"

interface NodeAnswer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

let world: World
let key: string
let server: Server
let port: number

beforeAll(async () => {
  world = await makeWorld()
  key = world.mint({})
  server = nodeServer(world.handle)
  port = await listen(server)
})
afterAll(async () => {
  await closeServer(server)
  await world.close()
})

const ask = (options: RequestOptions, body?: string | Uint8Array, at = port): Promise<NodeAnswer> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, ...(options.headers as Record<string, string>) }
    request({ host: "127.0.0.1", port: at, agent: false, ...options, headers }, (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => (text += chunk))
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }))
    })
      .on("error", reject)
      .end(body)
  })

afterEach(closeConnections)

const open = () => openConnection(port)

const bearer = () => `Authorization: Bearer ${key}`
const get = () => head("GET", "/v2/scopes", [bearer()])

const oversize = { error: 1000, message: "The request body is larger than 1 MiB." }
const missing = { error: 1100, message: "Missing bearer token. Send Authorization: Bearer gat_..." }

describe("nodeServer", () => {
  it("answers over a socket, with a length and on a connection that lives on", async () => {
    const connection = await open()
    for (let nth = 0; nth < 3; nth++) {
      connection.write(get())
      const answer = await connection.answer()
      expect(answer.status).toBe(200)
      expect(answer.head).toMatch(/content-type: application\/json\r\n/i)
      expect(JSON.parse(answer.body)).toHaveProperty("scopes")
    }
  })

  it("counts the length of an answer in bytes", async () => {
    const headers = { "content-type": "application/json" }
    const answer = await ask({ method: "POST", path: "/v2/agents", headers }, '{"display_name":"Zoë"}')
    expect(answer.headers["content-length"]).toBe(String(Buffer.byteLength(answer.text)))
    expect(JSON.parse(answer.text)).toMatchObject({ display_name: "Zoë" })
  })

  it("goes through a long answer once: its bytes are not counted before they are made", async () => {
    const body = "é✓😀x".repeat(20_000)
    const long = nodeServer((_request, respond) => respond({ status: 200, headers: {}, body }))
    const at = await listen(long)
    const counted = vi.spyOn(Buffer, "byteLength")
    try {
      const { headers, text } = await ask({ path: "/v2/agents" }, undefined, at)
      expect(text).toBe(body)
      expect(headers["content-length"]).toBe(String(new TextEncoder().encode(body).length))
      expect(counted.mock.calls.some(([what]) => what === body)).toBe(false)
    } finally {
      counted.mockRestore()
      await closeServer(long)
    }
  })

  it("answers pipelined requests in their order", async () => {
    const connection = await open()
    connection.write(get() + head("GET", "/v2/nope", [bearer()]) + get())
    expect([
      (await connection.answer()).status,
      (await connection.answer()).status,
      (await connection.answer()).status,
    ]).toEqual([200, 404, 200])
  })

  it("counts two Authorization headers as none", async () => {
    const connection = await open()
    connection.write(head("GET", "/v2/scopes", [bearer(), bearer()]))
    const answer = await connection.answer()
    expect([answer.status, JSON.parse(answer.body)]).toEqual([401, missing])
  })

  it("takes a target in absolute form, a request without Host, and any expectation", async () => {
    const connection = await open()
    connection.write(head("GET", "http://example.test/v2/scopes", [bearer()]))
    expect((await connection.answer()).status).toBe(200)
    connection.write(`GET /v2/scopes HTTP/1.1\r\n${bearer()}\r\n\r\n`)
    expect((await connection.answer()).status).toBe(200)
    connection.write(head("GET", "/v2/scopes", [bearer(), "Expect: miracles"]))
    expect((await connection.answer()).status).toBe(200)
  })

  it("answers HEAD and OPTIONS as unknown methods", async () => {
    expect(await ask({ method: "HEAD", path: "/v2/calls" })).toMatchObject({ status: 404, text: "" })
    const options = await ask({ method: "OPTIONS", path: "/v2/calls" })
    expect([options.status, JSON.parse(options.text)]).toEqual([404, { error: 1200, message: "No such resource." }])
  })

  it("takes a body of exactly the limit and refuses one byte more, with and without Content-Length", async () => {
    const sized = (bytes: number) => `{"agent_id":"${"x".repeat(bytes - 15)}"}`
    const headers = { "content-type": "application/json" }
    for (const extra of [{}, { "transfer-encoding": "chunked" }]) {
      const post = (bytes: number) =>
        ask({ method: "POST", path: "/v2/calls", headers: { ...headers, ...extra } }, sized(bytes))
      expect(sized(limits.bodyBytes).length).toBe(limits.bodyBytes)
      const within = await post(limits.bodyBytes)
      expect([within.status, JSON.parse(within.text)]).toEqual([
        400,
        { error: 1002, message: "Missing required parameter 'to_number'." },
      ])
      const over = await post(limits.bodyBytes + 1)
      expect([over.status, JSON.parse(over.text)]).toEqual([413, oversize])
    }
  })

  it("keeps the connection after a refused body, and takes none of it for a request", async () => {
    const connection = await open()
    const smuggled = get().repeat(Math.ceil((limits.bodyBytes + 1) / get().length))
    const json = "Content-Type: application/json"
    connection.write(head("POST", "/v2/calls", [bearer(), json, `Content-Length: ${smuggled.length}`]) + smuggled)
    connection.write(head("GET", "/v2/user/me", [bearer()]))
    const refused = await connection.answer()
    expect([refused.status, JSON.parse(refused.body)]).toEqual([413, oversize])
    const next = await connection.answer()
    expect(JSON.parse(next.body)).toHaveProperty("developer")

    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`
    connection.write(
      head("POST", "/v2/calls", [bearer(), json, "Transfer-Encoding: chunked"]) + chunk.repeat(80) + "0\r\n\r\n",
    )
    connection.write(get())
    expect([(await connection.answer()).status, (await connection.answer()).status]).toEqual([413, 200])
  })

  it("does not wait for a body that it would never read to its end", async () => {
    const connection = await open()
    connection.write(
      head("POST", "/v2/calls", [
        bearer(),
        "Content-Type: application/json",
        `Content-Length: ${65 * limits.bodyBytes}`,
      ]),
    )
    const answer = await connection.answer()
    expect([answer.status, JSON.parse(answer.body)]).toEqual([413, oversize])
    expect(answer.head).toMatch(/connection: close/i)
    await connection.closed()
  })

  it("authenticates before it judges a body", async () => {
    const connection = await open()
    connection.write(
      head("POST", "/v2/calls", [`Content-Length: ${limits.bodyBytes + 1}`]) + "x".repeat(limits.bodyBytes + 1),
    )
    const answer = await connection.answer()
    expect([answer.status, JSON.parse(answer.body)]).toEqual([401, missing])
  })

  it("answers with the envelope also what is no HTTP", async () => {
    for (const garbage of [
      "\x00\x01\x02\r\n\r\n",
      "GET\r\n\r\n",
      `GET /v2/scopes HTTP/1.1\r\nX: ${"y".repeat(20_000)}\r\n\r\n`,
    ]) {
      const connection = await open()
      connection.write(garbage)
      const answer = await connection.answer()
      expect([answer.status, JSON.parse(answer.body)]).toEqual([
        400,
        { error: 1000, message: "The request is not valid HTTP." },
      ])
      for (const name of ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"]) {
        expect(answer.head).toMatch(new RegExp(`\r\n${name}: \\S+`))
      }
      await connection.closed()
    }
  })

  it("lets a client leave in the middle of a body", async () => {
    const before = world.tables.auditTrail("org_1").length
    const connection = await open()
    connection.write(
      head("POST", "/v2/api-keys", [bearer(), "Content-Type: application/json", "Content-Length: 99"]) + '{"name":"a"}',
    )
    await new Promise((resolve) => setImmediate(resolve))
    connection.socket.destroy()
    await connection.closed()
    expect((await ask({ path: "/v2/scopes" })).status).toBe(200)
    expect(world.tables.auditTrail("org_1").length).toBe(before)
  })

  it("is not the host of anything else", async () => {
    for (const path of ["/", "/v2x", "/V2/calls", "//v2/calls", "/healthz"]) {
      expect(await ask({ path })).toMatchObject({ status: 404, text: "Not found. The API is under /v2.\n" })
    }
  })
})

describe("a client that hangs up while its call is dialled", () => {
  it("does not stop what was begun", async () => {
    const dialling = Latch.makeUnsafe(false)
    const accept = Latch.makeUnsafe(false)
    const slow = await makeWorld(
      // Not the scripted carrier: it speaks by a clock, and this one when the client has gone.
      Layer.succeed(Telephony, {
        dial: () =>
          Effect.as(Effect.andThen(dialling.open, accept.await), { _tag: "Accepted" as const, call_sid: "leg_late" }),
        hangup: () => Effect.succeed("Sent"),
        find: () => Effect.succeed({ _tag: "Unknown" }),
      }),
    )
    const slowKey = slow.mint({})
    const slowServer = nodeServer(slow.handle)
    const at = await listen(slowServer)
    const body = JSON.stringify({ agent_id: agentId, to_number: "+15551234567" })
    const client = request({
      host: "127.0.0.1",
      port: at,
      method: "POST",
      path: "/v2/calls",
      headers: { authorization: `Bearer ${slowKey}`, "content-type": "application/json" },
    })
    const gone = new Promise((resolve) => client.on("error", resolve))
    client.end(body)
    await Effect.runPromise(dialling.await)
    client.destroy()
    await gone
    await Effect.runPromise(accept.open)
    await slow.runtime.runPromise(Effect.flatMap(Activity, (activity) => activity.quiescent))
    const list = await slow.send({ target: "/v2/calls", key: slowKey })
    expect(list.json["data"]).toMatchObject([{ status: "queued" }])
    const [call] = slow.tables.calls.page("org_1", {}, { page: 1, page_size: 1 }).items
    expect([call?.dial, call?.call_sid]).toEqual(["accepted", "leg_late"])
    await closeServer(slowServer)
    await slow.close()
  })
})

describe("nodeListener as middleware", () => {
  /** What `app.use(mount, listener)` does to a request: `url` loses the mount, which Express keeps in `baseUrl` and Connect does not. */
  const mounted = (mount: string, router: "express" | "connect", options: NodeOptions = {}) => {
    const listener = nodeListener(world.handle, options)
    return createServer((incoming, response) => {
      const url = incoming.url ?? "/"
      if (url !== mount && !["/", "?"].some((next) => url.startsWith(mount + next))) {
        return void response.writeHead(404).end("not mounted")
      }
      const rest = url.slice(mount.length)
      const routed = Object.assign(incoming, { originalUrl: url }, router === "express" ? { baseUrl: mount } : {})
      routed.url = rest.startsWith("/") ? rest : `/${rest}`
      listener(routed, response, () => response.writeHead(404).end("passed on"))
    })
  }

  it("answers the same paths where a router cut off what it was mounted under", async () => {
    for (const [router, mount, options, path, status] of [
      ["express", "/v2", {}, "/v2/scopes", 200],
      ["express", "/v2", {}, "/v2/calls?page=0", 422],
      ["express", "/v2", {}, "/v2", 404],
      ["express", "/voice", {}, "/voice/v2/scopes", 200],
      ["express", "/voice/v2", {}, "/voice/v2/scopes", 200],
      ["express", "/voice", { prefix: "/voice" }, "/voice/v2/scopes", 200],
      ["express", "/a", { prefix: "/a/b" }, "/a/b/v2/scopes", 200],
      ["connect", "/v2", {}, "/v2/calls?page=0", 422],
      ["connect", "/voice", {}, "/voice/v2/scopes", 200],
      ["connect", "/voice/v2", {}, "/voice/v2/scopes", 200],
      ["connect", "/voice", { prefix: "/voice" }, "/voice/v2/scopes", 200],
    ] as const) {
      const mountedServer = mounted(mount, router, options)
      const answer = await ask({ path }, undefined, await listen(mountedServer))
      await closeServer(mountedServer)
      expect([router, mount, path, answer.status]).toEqual([router, mount, path, status])
      expect(answer.headers).toHaveProperty("x-ratelimit-limit")
      if (status !== 200) expect(JSON.parse(answer.text)).toHaveProperty("error")
    }
    const elsewhere = mounted("/voice", "express")
    const answer = await ask({ path: "/voice/scopes" }, undefined, await listen(elsewhere))
    await closeServer(elsewhere)
    expect(answer.text).toBe("passed on")
  })

  it("serves the API and its fallback behind a prefix, and nothing else", async () => {
    const here: Fallback = ({ target }) =>
      target === "/docs?x=1" ? { status: 200, headers: {}, body: "the docs" } : null
    const prefixed = nodeServer(world.handle, { prefix: "/voice", fallback: here })
    const at = await listen(prefixed)
    expect((await ask({ path: "/voice/v2/scopes" }, undefined, at)).status).toBe(200)
    expect((await ask({ path: "http://any.test/voice/v2/scopes" }, undefined, at)).status).toBe(200)
    const refused = await ask({ path: "/voice/v2/calls?page=0" }, undefined, at)
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([422, { error: 1001 }])
    expect((await ask({ path: "/voice/docs?x=1" }, undefined, at)).text).toBe("the docs")
    for (const path of ["/v2/scopes", "/docs?x=1", "/voicev2/scopes", "/voice", "/voice//v2/scopes", "/"]) {
      expect(await ask({ path }, undefined, at)).toMatchObject({
        status: 404,
        text: "Not found. The API is under /voice/v2.\n",
      })
    }
    await closeServer(prefixed)
  })

  it("refuses a prefix that cannot be one, when it is mounted", () => {
    for (const prefix of ["/v2", "/voice/v2", "voice", "/voice/", "/", "/voice?x", "https://api.test/voice"]) {
      expect(() => nodeListener(world.handle, { prefix })).toThrow(TypeError)
    }
  })

  it("passes on what is not its own, and speaks up when the body is gone", async () => {
    const listener = nodeListener(world.handle)
    const thrown: Array<unknown> = []
    const host = createServer((incoming, response) => {
      const handle = () => {
        try {
          listener(incoming, response, () => response.end("the host"))
        } catch (error) {
          thrown.push(error)
          response.end()
        }
      }
      if (incoming.url === "/v2/calls") incoming.resume().on("end", () => setImmediate(handle))
      else handle()
    })
    const at = await listen(host)
    expect((await ask({ path: "/other" }, undefined, at)).text).toBe("the host")
    expect((await ask({ path: "/v2/scopes" }, undefined, at)).status).toBe(200)
    await ask({ method: "POST", path: "/v2/calls" }, "{}", at)
    expect(String(thrown[0])).toContain("before anything that reads request bodies")
    await closeServer(host)
  })
})
