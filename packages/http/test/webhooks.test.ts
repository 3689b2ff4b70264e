import { createServer, type RequestListener, type Server } from "node:http"
import { createServer as createSocketServer } from "node:net"
import { AllowedDestinations } from "@carillon/core"
import { parseDestination, type WebhookAnswer, WebhookTransport } from "@carillon/core/ports"
import { Effect, Layer, Result } from "effect"
import { afterEach, expect, it } from "vitest"
import { nodeWebhookTransport, type Resolve } from "../src/webhooks.ts"

const servers: Array<{ close: () => unknown; closeAllConnections?: () => void }> = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections?.()
    server.close()
  }
})

/** A server on this machine that counts connections. */
const listen = async (listener: RequestListener) => {
  const seen = { connections: 0, requests: [] as Array<{ url: string; headers: object; body: string }> }
  const server: Server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += String(chunk)))
    request.on("end", () => {
      seen.requests.push({ url: request.url ?? "", headers: request.headers, body })
      listener(request, response)
    })
  })
  server.on("connection", () => (seen.connections += 1))
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return { seen, port: typeof address === "object" && address !== null ? address.port : 0 }
}

const send = (
  url: string,
  options: { allow?: ReadonlyArray<string>; resolve?: Resolve; timeoutMs?: number; times?: number } = {},
): Promise<WebhookAnswer> => {
  const { allow = [], resolve = () => Promise.reject(new Error("no look-up")), timeoutMs = 5_000, times = 1 } = options
  // The rules without a look-up are passed by here: the transport has to stand alone.
  const destination = Result.getOrThrow(parseDestination(url, [...allow, "0.0.0.0/0", "::/0", new URL(url).hostname]))
  const layer = nodeWebhookTransport({ resolve }).pipe(Layer.provide(Layer.succeed(AllowedDestinations, allow)))
  const headers = [
    ["Content-Type", "application/json"],
    ["X-Extra", "é"],
  ] as const
  return Effect.gen(function* () {
    const transport = yield* WebhookTransport
    let answer: WebhookAnswer = { _tag: "Refused" }
    for (let nth = 0; nth < times; nth++) {
      answer = yield* transport.send({ destination, method: "POST", headers, body: `{"n":"ü"}`, timeoutMs })
    }
    return answer
  }).pipe(Effect.provide(layer), Effect.runPromise)
}

it("sends the body as it is to the pinned address under the name of its host", async () => {
  const { port, seen } = await listen((_, response) => response.writeHead(204).end())
  let lookUps = 0
  const resolve: Resolve = () => Promise.resolve((lookUps++, ["127.0.0.1"]))
  const allow = [`hooks.example.com:${port}`]
  const answer = await send(`http://hooks.example.com:${port}/in?x=%20`, { allow, resolve })
  expect(answer).toEqual({ _tag: "Answered", http_status: 204 })
  expect(lookUps).toBe(1)
  expect(seen.requests).toMatchObject([
    { url: "/in?x=%20", body: `{"n":"ü"}`, headers: { host: `hooks.example.com:${port}`, "content-length": "10" } },
  ])
})

it("keeps a connection for the next delivery to the same address", async () => {
  const { port, seen } = await listen((_, response) => response.end("thank you"))
  await send(`http://127.0.0.1:${port}/`, { allow: ["127.0.0.0/8"], times: 3 })
  expect([seen.connections, seen.requests.length]).toEqual([1, 3])
})

it("opens no connection to an address that is refused, literal or behind a name", async () => {
  const { port, seen } = await listen((_, response) => response.end())
  const refused: WebhookAnswer = { _tag: "Refused" }
  expect(await send(`http://127.0.0.1:${port}/`)).toEqual(refused)
  expect(await send(`http://[::ffff:127.0.0.1]:${port}/`)).toEqual(refused)
  const mixed: Resolve = () => Promise.resolve(["93.184.216.34", "127.0.0.1"])
  expect(await send(`http://hooks.example.com:${port}/`, { resolve: mixed })).toEqual(refused)
  expect(
    await send(`http://hooks.example.com:${port}/`, { resolve: () => Promise.resolve(["not an address"]) }),
  ).toEqual(refused)
  expect(seen.connections).toBe(0)
})

it("looks a name up once, so that one that flips afterwards gains nothing", async () => {
  const { port, seen } = await listen((_, response) => response.end())
  const answers = [["127.0.0.2"], ["127.0.0.1"]]
  const allow = ["127.0.0.2/32"]
  const answer = await send(`http://hooks.example.com:${port}/`, {
    allow,
    resolve: () => Promise.resolve(answers.shift() ?? []),
  })
  expect(answer).toEqual({ _tag: "Failed", error_class: "connect_error" })
  expect(seen.connections).toBe(0)
})

it("follows no redirect", async () => {
  const inner = await listen((_, response) => response.end())
  const outer = await listen((_, response) =>
    response.writeHead(302, { location: `http://127.0.0.1:${inner.port}/` }).end(),
  )
  const answer = await send(`http://127.0.0.1:${outer.port}/`, { allow: ["127.0.0.1/32"] })
  expect([answer, inner.seen.connections]).toEqual([{ _tag: "Answered", http_status: 302 }, 0])
})

it("takes no other protocol than the one it speaks", async () => {
  const switching = createSocketServer((socket) => {
    socket.once("data", () =>
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
    )
    socket.on("error", () => {})
  })
  servers.push(switching)
  await new Promise<void>((resolve) => switching.listen(0, "127.0.0.1", resolve))
  const address = switching.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const answer = await send(`http://127.0.0.1:${port}/`, { allow: ["127.0.0.1/32"] })
  expect(answer).toEqual({ _tag: "Answered", http_status: 101 })
})

it("counts an acknowledgement whose body never ends, and lets go of it", async () => {
  const { port } = await listen((_, response) => {
    response.writeHead(200)
    const drip = setInterval(() => response.write("."), 5)
    response.once("close", () => clearInterval(drip))
  })
  const answer = await send(`http://127.0.0.1:${port}/`, { allow: ["127.0.0.1/32"], timeoutMs: 100 })
  expect(answer).toEqual({ _tag: "Answered", http_status: 200 })
})

it("gives up at the deadline: while a name is looked up, and while nothing is answered", async () => {
  const timeout: WebhookAnswer = { _tag: "Failed", error_class: "timeout" }
  const never: Resolve = () => new Promise(() => {})
  expect(await send("http://hooks.example.com/", { resolve: never, timeoutMs: 20 })).toEqual(timeout)
  const { port } = await listen(() => {})
  expect(await send(`http://127.0.0.1:${port}/`, { allow: ["127.0.0.1/32"], timeoutMs: 50 })).toEqual(timeout)
})

it("tells look-up, connection and TLS apart", async () => {
  expect(await send("http://hooks.example.com/")).toEqual({ _tag: "Failed", error_class: "dns_error" })
  const none: Resolve = () => Promise.resolve([])
  expect(await send("http://hooks.example.com/", { resolve: none })).toEqual({
    _tag: "Failed",
    error_class: "dns_error",
  })
  const { port } = await listen((_, response) => response.end())
  const allow = ["127.0.0.1/32"]
  expect(await send(`https://127.0.0.1:${port}/`, { allow })).toEqual({ _tag: "Failed", error_class: "tls_error" })
  const rude = createSocketServer((socket) => socket.destroy())
  servers.push(rude)
  await new Promise<void>((resolve) => rude.listen(0, "127.0.0.1", resolve))
  const address = rude.address()
  const closed = typeof address === "object" && address !== null ? address.port : 0
  expect(await send(`http://127.0.0.1:${closed}/`, { allow })).toEqual({ _tag: "Failed", error_class: "connect_error" })
})
