import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { limits } from "@carillon/core"
import { defaultSettings } from "@carillon/core/domain"
import { afterEach, describe, expect, it } from "vitest"
import type { EdgeResponse } from "../src/Edge.ts"
import { nodeListener } from "../src/node.ts"
import { closeConnections, head, openConnection } from "./Connections.ts"
import { makeWorld, type Sent, start, toEdge, type World } from "./World.ts"

const mebibyte = 1024 * 1024
const rows = 30

/** Agents of an organization whose list fills a page nearly as large as one may be. */
const fill = (world: World, organization_id: string): void => {
  for (let nth = 0; nth < rows; nth++) {
    world.write({
      put: "agent",
      row: {
        ...defaultSettings,
        summary: "x".repeat(limits.pageBytes / rows - 4_096),
        display_name: `Agent ${nth}`,
        agent_id: `agt_${organization_id}_${nth}`,
        organization_id,
        revision: 1,
        status: "ACTIVE",
        version: 1,
        created_at: start,
        updated_at: start,
      },
    })
  }
}

const list: Sent = { target: `/v2/agents?page_size=${rows}` }

/** Clients that take their answers when they are told to. */
class Slow {
  readonly world: World
  readonly waiting: Array<() => void> = []

  constructor(world: World) {
    this.world = world
  }

  ask(key: string, sent: Sent): Promise<{ status: number; headers: Readonly<Record<string, string>>; length: number }> {
    const whenSent = (listener: () => void) => {
      this.waiting.push(listener)
    }
    return new Promise((resolve) =>
      this.world.handle({ ...toEdge({ ...sent, key }), whenSent }, ({ body, headers, status }) =>
        resolve({ status, headers, length: body?.length ?? 0 }),
      ),
    )
  }

  take(): void {
    for (const taken of this.waiting.splice(0)) taken()
  }
}

describe("answers that are on their way", () => {
  it("take their share of memory for one organization, and a neighbour's are not refused", async () => {
    const world = await makeWorld()
    const slow = new Slow(world)
    const greedy = world.mint({})
    const quiet = world.mint({ organization_id: "org_quiet" })
    fill(world, "org_1")
    fill(world, "org_quiet")
    let held = 0
    const refusals = new Set<string>()
    for (let nth = 0; nth < 10; nth++) {
      const { headers, length, status } = await slow.ask(greedy, list)
      if (status === 200) held += length
      else refusals.add(`${status} ${headers["Retry-After"]}`)
    }
    expect([...refusals]).toEqual(["429 1"])
    expect(held).toBeLessThanOrEqual(limits.answeringCharacters.organization)
    expect(held).toBeGreaterThan(limits.answeringCharacters.organization - limits.pageBytes)
    expect((await slow.ask(quiet, list)).status).toBe(200)
    // What is short goes out, and so does the answer to what was written.
    expect((await slow.ask(greedy, { target: "/v2/user/me" })).status).toBe(200)
    const body = { display_name: "Written", prompts: { system: "x".repeat(100_000) } }
    expect((await slow.ask(greedy, { method: "POST", target: "/v2/agents", body })).status).toBeLessThan(300)
    slow.take()
    expect((await slow.ask(greedy, list)).status).toBe(200)
    await world.close()
  })

  it("take no more than there is for all, and leave each organization its first mebibyte", async () => {
    const world = await makeWorld()
    const slow = new Slow(world)
    const statuses = new Set<number>()
    for (let nth = 0; nth < 6; nth++) {
      const key = world.mint({ organization_id: `org_greedy_${nth}` })
      fill(world, `org_greedy_${nth}`)
      for (let times = 0; times < 5; times++) statuses.add((await slow.ask(key, list)).status)
    }
    expect([...statuses].toSorted((a, b) => a - b)).toEqual([200, 429, 503])
    const quiet = world.mint({ organization_id: "org_quiet" })
    fill(world, "org_quiet")
    expect((await slow.ask(quiet, { target: "/v2/agents?page_size=3" })).status).toBe(200)
    await world.close()
  })
})

it("a long answer has pieces, and a copy of it none: who gives it another body has that one sent", async () => {
  const world = await makeWorld()
  fill(world, "org_1")
  const key = world.mint({})
  const answer = await new Promise<EdgeResponse>((resolve) => world.handle(toEdge({ ...list, key }), resolve))
  expect(answer.pieces?.characters).toBe(answer.body?.length)
  expect({ ...answer, body: "mine" }).toEqual({ status: 200, headers: answer.headers, body: "mine" })
})

describe("a mount in Node", () => {
  afterEach(closeConnections)

  it.each(["reads it in the end", "goes away"])("says when an answer was sent to a client that %s", async (how) => {
    const sent = Promise.withResolvers<void>()
    let isSent = false
    const listener = nodeListener(({ whenSent }, respond) => {
      whenSent?.(() => {
        isSent = true
        sent.resolve()
      })
      respond({ status: 200, headers: {}, body: "x".repeat(64 * mebibyte) })
    })
    const server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { socket } = await openConnection((server.address() as AddressInfo).port)
    const begun = new Promise((resolve) => socket.once("data", resolve))
    socket.write(head("GET", "/v2/agents", []))
    await begun
    socket.pause()
    // More than the network keeps is still there.
    await new Promise((resolve) => setImmediate(resolve))
    expect(isSent).toBe(false)
    if (how === "goes away") socket.destroy()
    else socket.resume()
    await sent.promise
    server.close()
    server.closeAllConnections()
  })

  it("says so of answers that wait behind another one, too, when their client goes away", async () => {
    const gone = Promise.withResolvers<void>()
    let sent = 0
    let asked = 0
    const listener = nodeListener(({ whenSent }, respond) => {
      asked += 1
      whenSent?.(() => {
        sent += 1
        if (sent === 3) gone.resolve()
      })
      respond({ status: 200, headers: {}, body: "x".repeat(16 * mebibyte) })
    })
    const server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { socket } = await openConnection((server.address() as AddressInfo).port)
    socket.pause()
    socket.write(head("GET", "/v2/agents", []).repeat(3))
    while (asked < 3) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(sent).toBe(0)
    socket.destroy()
    await gone.promise
    server.close()
    server.closeAllConnections()
  })
})
