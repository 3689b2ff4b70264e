import { Simulator } from "@carillon/simulator"
import { describe, expect, it } from "vitest"
import { program } from "../../src/command/Program.ts"
import { causesOf } from "../../src/report/Causes.ts"
import { runConformance } from "../../src/run/Conformance.ts"
import { runLimitMs } from "../engine/Judged.ts"

/** A server that has one answer to everything. */
const always = (status: number, body: unknown) => async () =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } })

const target = ["run", "--base-url", "http://server.test", "--key", "gat_keykeykeykeykeykey"]

describe("a server that answers everything alike", () => {
  it.each([
    ["200 {}", always(200, {})],
    ["500", always(500, { error: 1500, message: "An unexpected error occurred." })],
    ["a page", async () => new Response("<!doctype html>", { status: 404, headers: { "content-type": "text/html" } })],
  ])(
    "%s is told in a few screens, and on a page that begins with why",
    async (_name, fetch) => {
      let out = ""
      let page = ""
      const console = {
        out: (text: string) => (out += text),
        err: (text: string) => (out += text),
        readFile: async () => "",
        writeFile: async (_path: string, text: string) => void (page = text),
        memory: { read: async () => undefined, write: async () => {} },
        colour: false,
      }
      const status = await program([...target, "--report", "html=page.html"], console, fetch)
      expect(status).toBe(1)
      expect(out.split("\n").length).toBeLessThan(200)
      expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThan(300)
      expect(out).toMatch(/not offered: fixtures: \d+ cases/)
      expect(page.indexOf("What is wrong")).toBeLessThan(page.indexOf("Every case"))
    },
    runLimitMs,
  )
})

describe("one mistake", () => {
  it(
    "is one cause, whatever it breaks",
    async () => {
      const simulator = await Simulator.start({ clock: "manual" })
      try {
        const report = await runConformance({
          baseUrl: "http://simulator.test",
          controlUrl: "http://simulator.test",
          key: simulator.info.key,
          only: ["agents", "identity", "keys"],
          fetch: async (request) => {
            const response = await simulator.fetch(request)
            const headers = new Headers(response.headers)
            headers.delete("x-ratelimit-limit")
            return new Response(response.body, { status: response.status, headers })
          },
        })
        const [cause] = causesOf(report)
        expect(cause).toMatchObject({ clause: "RATE-HEADERS-1", caseId: "ambient" })
        expect(cause?.extent).toMatch(/^(\d+) of \1 answers, first in /)
      } finally {
        await simulator.close()
      }
    },
    runLimitMs,
  )
})
