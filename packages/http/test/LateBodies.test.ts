import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { routes } from "@carillon/api"
import { limits } from "@carillon/core"
import { ApiKeyFormat } from "@carillon/core/domain"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { nodeServer } from "../src/node.ts"
import { closeConnections, head, openConnection } from "./Connections.ts"
import { makeWorld, type World } from "./World.ts"

let world: World
let key: string
let neighbour: string
let server: Server
let port: number

beforeAll(async () => {
  world = await makeWorld()
  key = world.mint({})
  neighbour = world.mint({ organization_id: "org_2" })
  server = nodeServer(world.handle)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  port = (server.address() as AddressInfo).port
})
afterEach(closeConnections)
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve).closeAllConnections())
  await world.close()
})

const withBody = routes.filter(({ body }) => body !== "none")
const pathOf = (path: string) => path.replaceAll(/\{\w+\}/g, "x")

/** Sends a head that announces a body of so many bytes, and the part of it that is given. */
const begin = async (
  method: string,
  target: string,
  bearer: string | null,
  { announced = 1000, sent = "" }: { readonly announced?: number; readonly sent?: string | Uint8Array } = {},
) => {
  const connection = await openConnection(port)
  connection.write(
    head(method, target, [
      ...(bearer === null ? [] : [`Authorization: Bearer ${bearer}`]),
      "Content-Type: application/json",
      `Content-Length: ${announced}`,
    ]),
  )
  if (sent.length > 0) connection.write(sent)
  return connection
}

const errorOf = async ({ answer }: Awaited<ReturnType<typeof begin>>) => {
  const { body, head: answered, status } = await answer()
  const { error } = JSON.parse(body)
  return { status, error, answered }
}

describe("a body that nobody is let in with", () => {
  it.each(withBody)("is not waited for on $method $path", async ({ method, path, scope }) => {
    const target = pathOf(path)
    const strangers = [null, "session", "gat_nobody", world.mint({ status: "inactive" })]
    for (const bearer of strangers) {
      expect((await errorOf(await begin(method, target, bearer))).status).toBe(401)
    }
    expect((await errorOf(await begin(method, `${target}?organization_id=org_9`, key))).status).toBe(403)
    const spent = world.mint({ plan: "exhausted", organization_id: "org_3" })
    expect((await errorOf(await begin(method, target, spent))).status).toBe(429)
    if (scope === null) return
    expect((await errorOf(await begin(method, target, world.mint({ scopes: [] })))).status).toBe(403)
  })

  it("is not waited for where there is no route, or where it announces too much", async () => {
    expect((await errorOf(await begin("POST", "/v2/nowhere", key))).status).toBe(404)
    const tooMuch = await errorOf(await begin("POST", "/v2/calls", key, { announced: limits.bodyBytes + 1 }))
    expect(tooMuch).toMatchObject({ status: 413, error: 1000 })
  })
})

it("does nothing where its key was revoked while the body was on its way", async () => {
  const owner = world.mint({ scopes: ["agents:read", "keys:write"] })
  const count = async () => (await world.send({ key: owner, target: "/v2/agents" })).json["pagination"]
  const before = await count()
  const late = world.mint({ scopes: ["agents:write"] })
  const body = JSON.stringify({ display_name: "x" })
  const half = { announced: body.length, sent: body.slice(0, 5) }
  const connection = await begin("POST", "/v2/agents", late, half)
  // The answer to this one says that the other was let in.
  await (await begin("POST", "/v2/nowhere", late)).answer()
  const target = `/v2/api-keys/${ApiKeyFormat.keyId(late)}`
  expect((await world.send({ key: owner, method: "DELETE", target })).status).toBe(200)
  connection.write(body.slice(5))
  expect(await errorOf(connection)).toMatchObject({ status: 401, error: 1100 })
  expect(await count()).toEqual(before)
})

describe("bodies of one organization", () => {
  const mebibyte = 1024 * 1024
  const piece = Buffer.alloc(mebibyte, " ")

  /** A campaign of 32 MiB of which the last byte does not come. */
  const hold = async (bearer: string) => {
    const connection = await begin("POST", "/v2/campaigns", bearer, { announced: 32 * mebibyte })
    for (let sent = 0; sent < 31; sent++) connection.write(piece)
    connection.write(piece.subarray(1))
    return connection
  }

  const place = async (bearer: string) => {
    const body = `{"display_name":"x"}`
    return (await begin("POST", "/v2/agents", bearer, { announced: body.length, sent: body })).answer()
  }

  it("have their share of the memory and no more, and the neighbour does not notice", async () => {
    const held = await Promise.all([hold(key), hold(key), hold(key)])
    // Whichever comes last with its bytes finds no room any more.
    const refused = await Promise.race(held.map(errorOf))
    expect(refused).toMatchObject({ status: 429, error: 1300 })
    expect(refused.answered).toMatch(/retry-after: 1\r\n/i)
    expect((await place(neighbour)).status).toBe(201)
    for (const { socket } of held) socket.destroy()
    // The server learns only from its own end of each connection that the client has left, after what was still on its way.
    await vi.waitFor(async () => expect((await place(key)).status).toBe(201), { timeout: 60_000, interval: 50 })
  })
})

it("does nothing where the client left before the end of a body that need not be", async () => {
  const optional = routes.filter(({ body }) => body === "optional")
  expect(optional.length).toBeGreaterThan(0)
  const before = world.tables.auditTrail("org_1").length
  for (const { method, path } of optional) {
    const connection = await begin(method, pathOf(path), key, { sent: "{" })
    await new Promise((resolve) => setImmediate(resolve))
    connection.socket.destroy()
    await connection.closed()
  }
  expect((await (await begin("POST", "/v2/nowhere", key)).answer()).status).toBe(404)
  expect(world.tables.auditTrail("org_1").length).toBe(before)
})
