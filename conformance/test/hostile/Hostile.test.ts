import { createServer } from "node:http"
import type { Socket } from "node:net"
import { Simulator } from "@carillon/simulator"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { maxBodyBytes } from "../../src/http/Body.ts"
import type { Case } from "../../src/run/Case.ts"
import { runConformance } from "../../src/run/Conformance.ts"
import type { Report } from "../../src/run/Report.ts"
import { Unreachable } from "../../src/run/Target.ts"
import { formats, render } from "../../src/report/Format.ts"
import { summary } from "../../src/report/Terminal.ts"
import { broken, runLimitMs } from "../engine/Judged.ts"
import { mutated } from "./Mutated.ts"
import { openHostile } from "./Server.ts"

const key = "gat_keykeykeykeykeykeykey"

/** A few cases of plain HTTP that read, write, list and are refused. */
const only = ["identity/user-me", "calls/read", "agents/create", "knowledge/upload", "authentication/header"]

const ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

const forever = (socket: Socket, piece: string): void => {
  const timer = setInterval(() => socket.write(piece), 1)
  socket.on("close", () => clearInterval(timer))
}

const attacks: Readonly<Record<string, (socket: Socket) => void>> = {
  "closes without a word": (socket) => socket.end(),
  "resets the connection": (socket) => socket.resetAndDestroy(),
  "says nothing": () => {},
  "does not speak HTTP": (socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"),
  "sends zeros": (socket) => socket.end("\0".repeat(5_000)),
  "sends headers without end": (socket) => {
    socket.write(ok)
    forever(socket, `X-More: ${"x".repeat(500)}\r\n`)
  },
  "sends a body without end, drop by drop": (socket) => {
    socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\n`)
    forever(socket, "1\r\n \r\n")
  },
  "promises more than it sends": (socket) => socket.end(`${ok}Content-Length: 100\r\n\r\n{}`),
  "sends more than it promised": (socket) => socket.end(`${ok}Content-Length: 2\r\n\r\n{}{"error":1}`),
  "promises a length that is none": (socket) => socket.end(`${ok}Content-Length: minus two\r\n\r\n{}`),
  "sends broken chunks": (socket) => socket.end(`${ok}Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n`),
  "puts a zero into a header": (socket) => socket.end(`${ok}X-A: a\0b\r\nContent-Length: 2\r\n\r\n{}`),
  "puts zeros and escapes into the body": (socket) =>
    socket.end(`${ok}Content-Length: 26\r\n\r\n{"a":"\0","b":"\u001b[2J\u001b[31m"}`),
  "redirects to itself": (socket) =>
    socket.end("HTTP/1.1 307 Temporary Redirect\r\nLocation: /v2/user/me\r\nContent-Length: 0\r\n\r\n"),
  "redirects to elsewhere": (socket) =>
    socket.end("HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n"),
  "has a status of its own": (socket) => socket.end("HTTP/1.1 999 Own\r\nContent-Length: 2\r\n\r\n{}"),
  "answers 204 with a body": (socket) => socket.end("HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n{}"),
  "nests beyond all reason": (socket) => {
    const text = "[".repeat(100_000) + "]".repeat(100_000)
    socket.end(`${ok}Content-Length: ${text.length}\r\n\r\n${text}`)
  },
  "sends what is no JSON": (socket) => socket.end(`${ok}Content-Length: 9\r\n\r\n<!doctype`),
  "sends an object for everything": (socket) => socket.end(`${ok}Content-Length: 2\r\n\r\n{}`),
  "lies about the encoding": (socket) => socket.end(`${ok}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}`),
}

describe("a server that", () => {
  /** The greeting of a run is answered soundly. On a machine so busy that it comes too late the run is begun again. */
  const judge = async (attack: (socket: Socket) => void, again = 10): Promise<Report> => {
    const server = await openHostile(attack)
    try {
      return await runConformance({ baseUrl: server.url, key, only, timeoutMs: 250 })
    } catch (error) {
      if (!(error instanceof Unreachable) || again === 0) throw error
    } finally {
      await server.close()
    }
    return judge(attack, again - 1)
  }

  // Most of what a run does here is wait, so they wait side by side.
  it.concurrent.each(Object.entries(attacks))(
    "%s fails, and the run and its reports come to their end",
    async (_name, attack) => {
      const report = await judge(attack)
      expect(report.outcome).toBe("fails")
      expect(report.cases.filter(({ verdict }) => verdict === "error").map(({ reason }) => reason)).toEqual([])
      for (const format of formats) expect(render(report, format)).not.toContain("keykeykey")
      // oxlint-disable-next-line no-control-regex -- exactly what a terminal obeys
      expect(summary(report, false)).not.toMatch(/[\u0000-\u0009\u001b]/)
    },
    runLimitMs,
  )

  it("is not there is told apart from one that fails", async () => {
    const server = await openHostile(() => {})
    await server.close()
    await expect(runConformance({ baseUrl: server.url, key, only })).rejects.toBeInstanceOf(Unreachable)
  })

  it("sends more than anyone reads is cut off", async () => {
    const piece = "x".repeat(1_048_576)
    const { fetch, sent } = streaming(piece)
    const report = await runConformance({ baseUrl: "http://server.test", key, only: ["identity/user-me"], fetch })
    expect(report.outcome).toBe("fails")
    expect(sent()).toBeLessThan(8 * maxBodyBytes)
    const got = report.cases.flatMap(({ checks }) => checks).find(({ id }) => id === "answered")
    expect(got?.message).toContain("longer than")
  })
})

/** A server in this process whose bodies never end, but for the first. */
const streaming = (piece: string) => {
  let bytes = 0
  let asked = 0
  const bytesOfPiece = new TextEncoder().encode(piece)
  const endless = () =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => {
        bytes += bytesOfPiece.byteLength
        controller.enqueue(bytesOfPiece)
      },
    })
  return {
    sent: () => bytes,
    fetch: async () => (asked++ === 0 ? new Response("{}") : new Response(endless())),
  }
}

describe("answers bent at random", () => {
  it.each([
    // With some seeds a campaign of fifty thousand is left behind, and called while a later case lets a month pass.
    { seed: 3, only: ["agents", "calls/create", "campaigns/create", "usage"] },
    { seed: 2, only: ["calls/read", "webhooks", "keys", "experiments"] },
  ])(
    "break no case and no report ($only)",
    async ({ only: bent, seed }) => {
      const simulator = await Simulator.start({ clock: "manual" })
      try {
        const report = await runConformance({
          baseUrl: "http://simulator.test",
          controlUrl: "http://simulator.test",
          key: simulator.info.key,
          fetch: mutated(simulator.fetch, seed, 0.02),
          nonce: `bent${seed}`,
          only: bent,
        })
        expect(report.cases.flatMap(({ verdict, reason }) => (verdict === "error" ? [reason] : []))).toEqual([])
        expect(report.outcome).toBe("fails")
        for (const format of formats) expect(render(report, format).length).toBeGreaterThan(100)
      } finally {
        await simulator.close()
      }
    },
    runLimitMs,
  )
})

describe("a connection that was closed while it lay idle", () => {
  let seen: Record<string, number>
  const server = createServer((request, response) => {
    const method = request.method ?? ""
    seen[method] = (seen[method] ?? 0) + 1
    // The first of each kind finds the connection closed.
    if (seen[method] === 1) request.socket.destroy()
    else response.setHeader("content-type", "application/json").end("{}")
  })
  let url = ""

  beforeAll(async () => {
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const address = server.address()
    url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  })

  afterAll(() => new Promise((closed) => server.close(closed)))

  it("is opened again once for a request that changes nothing, never for another", async () => {
    seen = {}
    const asks = (id: string, method: string): Case => ({
      id,
      title: id,
      clauses: ["ME-1"],
      requires: ["http"],
      run: async ({ check, primary }) => {
        const answer = await primary.send(method, "/v2/user/me")
        check.status("status", "ME-1", answer, 200)
      },
    })
    const report = await runConformance({ baseUrl: url, key, cases: [asks("reads", "GET"), asks("writes", "POST")] })
    expect(broken(report.cases.filter(({ id }) => id === "reads"))).toEqual([])
    expect(report.cases.find(({ id }) => id === "writes")?.checks[0]?.id).toBe("answered")
    // One GET more for the greeting of the run, one POST more because a failed case is tried again.
    expect(seen).toEqual({ GET: 3, POST: 2 })
  })
})
