import { createServer, request, type RequestOptions } from "node:http"
import type { AddressInfo } from "node:net"
import { limits } from "@carillon/core"
import * as fc from "fast-check"
import { afterEach, describe, expect, it } from "vitest"
import type { EdgeHandler } from "../src/Edge.ts"
import type { Fallback } from "../src/Fallback.ts"
import { nodeListener, refuseUnreadable } from "../src/node.ts"
import { PageRoom } from "../src/PageRoom.ts"
import { webHandler } from "../src/web.ts"
import { closeConnections, head, openConnection } from "./Connections.ts"

const mebibyte = 1024 * 1024

const left: Array<() => Promise<unknown>> = []
afterEach(async () => {
  closeConnections()
  for (const leave of left.splice(0).toReversed()) await leave()
})

const api: EdgeHandler = (_, respond) => respond({ status: 200, headers: {}, body: "the API" })

const served = async (fallback: Fallback): Promise<number> => {
  const server = createServer(nodeListener(api, { fallback })).on("clientError", refuseUnreadable(api))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  left.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
  return (server.address() as AddressInfo).port
}

const ask = (port: number, options: RequestOptions) =>
  new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | Array<string>>; bytes: number }>(
    (resolve, reject) => {
      request({ host: "127.0.0.1", port, agent: false, ...options }, (answer) => {
        let bytes = 0
        answer.on("data", (piece: Buffer) => (bytes += piece.length))
        answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, bytes }))
      })
        .on("error", reject)
        .end()
    },
  )

/** The most that is done in a turn of the event loop. */
const mostInTurn = () => {
  let [done, before, most] = [0, 0, 0]
  let isOver = false
  const look = () => {
    most = Math.max(most, done - before)
    before = done
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  left.push(async () => (isOver = true))
  return { did: () => void (done += 1), most: () => most, done: () => done }
}

describe("the room for pages", () => {
  it("holds what is being sent, each page once, and gives it back", () => {
    const pages = Array.from({ length: 6 }, (_, nth) => new Uint8Array(nth === 0 ? 1_000 : nth * 4 * mebibyte))
    const steps = fc.array(fc.record({ page: fc.nat({ max: 5 }), isSent: fc.boolean() }), { maxLength: 40 })
    fc.assert(
      fc.property(steps, (all) => {
        const room = new PageRoom()
        const sending: Array<{ readonly bytes: Uint8Array; readonly sent: () => void }> = []
        const held = () => {
          const large = sending.map(({ bytes }) => bytes).filter(({ length }) => length > 16 * 1024)
          return [...new Set(large)].reduce((sum, { length }) => sum + length, 0)
        }
        for (const { isSent, page } of all) {
          const bytes = pages[page] ?? new Uint8Array()
          const before = held()
          if (isSent) sending.shift()?.sent()
          else {
            const fits = before === 0 || before + bytes.length <= limits.pagesBytes
            const isThere = sending.some((one) => one.bytes === bytes)
            const isIn = room.enter(bytes, (sent) => sending.push({ bytes, sent }))
            if (bytes.length <= 16 * 1024) {
              expect(isIn).toBe(true)
              expect(sending.some((one) => one.bytes === bytes)).toBe(false)
            } else expect(isIn).toBe(fits || isThere)
          }
          expect(room.heldBytes).toBe(held())
        }
        for (const { sent } of sending.splice(0)) sent()
        expect(room.heldBytes).toBe(0)
      }),
    )
  })
})

describe("what a fallback answers", () => {
  it("is refused where clients that do not read fill the room, and sent again once they are gone", async () => {
    // The network takes some mebibytes of each though nobody reads.
    const text = "x".repeat(12 * mebibyte)
    const shared = new Uint8Array(12 * mebibyte)
    const port = await served(({ target }) => ({
      status: 200,
      headers: {},
      body: target === "/shared" ? shared : text,
    }))
    const slow = async (target: string) => {
      const connection = await openConnection(port)
      connection.socket.pause()
      connection.write(head("GET", target, []))
      return connection
    }
    const readers = await Promise.all(Array.from({ length: 20 }, () => slow("/shared")))
    expect(await ask(port, { path: "/shared" })).toMatchObject({ status: 200, bytes: shared.length })
    const others = [await slow("/text"), await slow("/text")]
    let refused = await ask(port, { path: "/text" })
    while (refused.status === 200) refused = await ask(port, { path: "/text" })
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, String(limits.pagesRetryAfterSeconds)])
    // Whoever asks for what is in the room already takes no more of it.
    expect((await ask(port, { path: "/shared" })).status).toBe(200)
    expect((await ask(port, { path: "/v2/calls" })).status).toBe(200)
    for (const { socket } of [...readers, ...others]) socket.destroy()
    for (let status: unknown = 503; status !== 200;) ({ status } = await ask(port, { path: "/text" }))
  })

  it("is taken up in turns, as what strangers ask of the API is, at once and later, on every mount", async () => {
    for (const isLate of [false, true]) {
      const { did, done, most } = mostInTurn()
      const page = { status: 200, headers: {}, body: "page" }
      const fallback: Fallback = () => {
        did()
        return isLate ? Promise.resolve(page) : page
      }
      const port = await served(fallback)
      const connection = await openConnection(port)
      connection.write(head("GET", "/page", []).repeat(300))
      for (let nth = 0; nth < 300; nth++) expect((await connection.answer()).body).toBe("page")
      expect([done(), most() <= 16]).toEqual([300, true])
    }
    const web = mostInTurn()
    const handle = webHandler(api, {
      fallback: () => {
        web.did()
        return { status: 304, headers: {}, body: null }
      },
    })
    const answers = await Promise.all(Array.from({ length: 300 }, () => handle(new Request("http://x/page"))))
    expect([answers.length, web.most() <= 16]).toEqual([300, true])
  })

  it("is taken up in turns, too, where nobody answers", async () => {
    const server = createServer()
    const { did, done, most } = mostInTurn()
    const listener = nodeListener(api)
    server.on("request", (incoming, response) => {
      response.once("finish", did)
      listener(incoming, response)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    left.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
    const connection = await openConnection((server.address() as AddressInfo).port)
    connection.write(head("GET", "/none", []).repeat(300))
    for (let nth = 0; nth < 300; nth++) expect((await connection.answer()).status).toBe(404)
    expect([done(), most() <= 16]).toEqual([300, true])
  })

  it("is a failure where it breaks off, at once or later, and the process goes on", async () => {
    const port = await served(({ target }) => {
      if (target === "/later") return Promise.reject(new Error("broken"))
      throw new Error("broken")
    })
    expect((await ask(port, { path: "/later" })).status).toBe(500)
    expect((await ask(port, { path: "/now" })).status).toBe(500)
    expect((await ask(port, { path: "/v2/calls" })).status).toBe(200)
  })

  it("does not wait for what is sent along, and takes so much of it", async () => {
    const port = await served(({ target }) => (target === "/page" ? { status: 200, headers: {}, body: "page" } : null))
    for (const [target, status] of [
      ["/page", 200],
      ["/none", 404],
    ] as const) {
      const connection = await openConnection(port)
      connection.write(head("POST", target, ["Content-Length: 10"]) + "x".repeat(10) + head("GET", target, []))
      expect([(await connection.answer()).status, (await connection.answer()).status]).toEqual([status, status])
      connection.write(head("POST", target, [`Content-Length: ${100 * mebibyte}`]))
      const answer = await connection.answer()
      expect([answer.status, /connection: close/i.test(answer.head)]).toEqual([status, true])
      await connection.closed()
    }
  })

  it("has no length where it is unchanged", async () => {
    const port = await served(() => ({ status: 304, headers: { ETag: '"x"' }, body: null }))
    const { bytes, headers, status } = await ask(port, { path: "/page" })
    expect([status, bytes, headers["etag"], headers["content-length"]]).toEqual([304, 0, '"x"', undefined])
  })
})

it("reads no more of a connection on which requests wait for their answer, and goes on as they are answered", async () => {
  const waiting: Array<() => void> = []
  let came = 0
  const slow: EdgeHandler = (_, respond) => {
    came += 1
    waiting.push(() => respond({ status: 200, headers: {}, body: null }))
  }
  const server = createServer(nodeListener(slow))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  left.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
  const connection = await openConnection((server.address() as AddressInfo).port)
  const one = head("GET", "/v2/calls", [])
  const count = 8_000
  connection.write(one.repeat(count))
  const stands = async () => {
    for (let before = -1; before < came;) {
      before = came
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  await stands()
  expect(came).toBeGreaterThan(16)
  expect(came).toBeLessThanOrEqual(17 + Math.ceil((64 * 1024) / one.length))
  for (let answered = 0; answered < count; answered++) {
    while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    waiting.shift()?.()
  }
  for (let nth = 0; nth < count; nth++) expect((await connection.answer()).status).toBe(200)
  expect(came).toBe(count)
})

it("takes up what is no HTTP in turns", async () => {
  const { did, done, most } = mostInTurn()
  const refuse = refuseUnreadable((_, respond) => {
    did()
    respond({ status: 401, headers: {}, body: null })
  })
  const ended = Array.from({ length: 200 }, () => {
    const socket = { writable: true, end: () => {} }
    return new Promise<void>((resolve) => {
      refuse(new Error("garbage"), Object.assign(Object.create(null), { ...socket, end: () => resolve() }))
    })
  })
  await Promise.all(ended)
  expect([done(), most() <= 16]).toEqual([200, true])
})
