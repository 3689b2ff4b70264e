import { createServer, request, type IncomingHttpHeaders, type RequestOptions, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Activity, limits, Telephony } from "@carillon/core"
import { Effect, Latch, Layer } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { nodeListener, nodeServer } from "../src/node.ts"
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
      expect(await ask({ path })).toMatchObject({ status: 404, text: "Not found\n" })
    }
  })
})

describe("a client that hangs up while its call is dialled", () => {
  it("does not stop what was begun", async () => {
    const dialling = Latch.makeUnsafe(false)
    const accept = Latch.makeUnsafe(false)
    const slow = await makeWorld(
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
  it("answers the same paths where Express cut off what it was mounted under", async () => {
    // What `app.use(mount, listener)` does to a request: `url` loses the mount, `baseUrl` keeps it.
    const mounted = (mount: string) =>
      createServer((incoming, response) => {
        const url = incoming.url ?? "/"
        if (!new RegExp(`^${mount}(?=[/?]|$)`).test(url)) return void response.writeHead(404).end("not mounted")
        const rest = url.slice(mount.length)
        const express = Object.assign(incoming, { baseUrl: mount, originalUrl: url })
        express.url = rest.startsWith("/") ? rest : `/${rest}`
        nodeListener(world.handle)(express, response, () => response.writeHead(404).end("passed on"))
      })
    for (const [mount, path, status] of [
      ["/v2", "/v2/scopes", 200],
      ["/v2", "/v2/calls?page=0", 422],
      ["/v2", "/v2", 404],
      ["/voice", "/voice/v2/scopes", 200],
    ] as const) {
      const mountedServer = mounted(mount)
      const answer = await ask({ path }, undefined, await listen(mountedServer))
      await closeServer(mountedServer)
      expect([path, answer.status]).toEqual([path, status])
      expect(answer.headers).toHaveProperty("x-ratelimit-limit")
      if (status !== 200) expect(JSON.parse(answer.text)).toHaveProperty("error")
    }
    const elsewhere = mounted("/voice")
    const answer = await ask({ path: "/voice/scopes" }, undefined, await listen(elsewhere))
    await closeServer(elsewhere)
    expect(answer.text).toBe("passed on")
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
