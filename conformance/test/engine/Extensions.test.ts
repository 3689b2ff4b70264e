import { Simulator } from "@carillon/simulator"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { extensionCases } from "../../src/cases/Cases.ts"
import { isObject, parseJson } from "../../src/http/Json.ts"
import type { Fetch } from "../../src/http/Wire.ts"
import { extensions } from "../../src/run/Capabilities.ts"
import type { Report } from "../../src/run/Report.ts"
import { ambientCaseId } from "../../src/run/Report.ts"
import { summary } from "../../src/report/Terminal.ts"
import { broken, judge, runLimitMs } from "./Judged.ts"

const options = { controlUrl: "http://simulator.test", extensions: true, only: ["extensions"] }

describe("the extensions of the engine", () => {
  let simulator: Simulator
  let report: Report

  beforeAll(async () => {
    simulator = await Simulator.start({ clock: "manual" })
    report = await judge(simulator, options)
  }, runLimitMs)

  afterAll(() => simulator.close())

  it.each([ambientCaseId, ...extensionCases.map(({ id }) => id)])("%s", (id) => {
    const results = report.cases.filter((result) => result.id === id)
    expect(results).toHaveLength(1)
    expect(broken(results)).toEqual([])
  })

  it("keep every promise that can be seen", () => {
    expect(report.extensions?.map(({ extension, held, of }) => [extension, of - held])).toEqual(
      extensions.map((extension) => [extension, 0]),
    )
  })

  it("break no invariant of the world", async () => {
    const answer = await simulator.fetch(new Request("http://simulator.test/_sim/invariants"))
    expect(await answer.json()).toMatchObject({ violations: [] })
  })
})

/** A server that changes the answers of routes. */
const changed =
  (fetch: Fetch, change: (path: string, json: unknown) => unknown): Fetch =>
  async (request) => {
    const answer = await fetch(request)
    const { pathname } = new URL(request.url)
    const json = parseJson(await answer.clone().text())
    const other = change(pathname, json)
    if (other === json) return answer
    const headers = new Headers(answer.headers)
    headers.delete("content-length")
    return Response.json(other, { status: isObject(other) && other["error"] === 1200 ? 404 : answer.status, headers })
  }

const listsNone = (prefix: string) => (path: string, json: unknown) =>
  path === "/v2/scopes" && isObject(json) && Array.isArray(json["scopes"])
    ? {
        ...json,
        scopes: json["scopes"].filter(isObject).map((scope) => ({
          ...scope,
          routes: (Array.isArray(scope["routes"]) ? scope["routes"] : []).filter(
            (route) => !String(route).includes(prefix),
          ),
        })),
      }
    : json

const servesNone = (prefix: string) => (path: string, json: unknown) =>
  path.startsWith(prefix) ? { error: 1200, message: "No such resource." } : json

describe("a server that does not offer an extension", () => {
  it.each([
    ["lists none of its routes", listsNone("/v2/call-caps"), "GET /v2/scopes lists no route /v2/call-caps"],
    ["serves none of them", servesNone("/v2/call-caps"), "/v2/call-caps is HTTP 404, although GET /v2/scopes lists it"],
    ["has no list of scopes", servesNone("/v2/scopes"), "GET /v2/scopes, which would list /v2/call-caps, is HTTP 404"],
  ])("has its cases skipped, with the reason, where it %s", async (_how, change, reason) => {
    const simulator = await Simulator.start({ clock: "manual" })
    const only = ["extensions/call-caps/kept", "extensions/call-caps/booked", "identity/user-me"]
    const report = await judge(simulator, { ...options, only, fetch: changed(simulator.fetch, change) })
    await simulator.close()
    const own = report.cases.filter(({ id }) => id.startsWith("extensions/"))
    expect(own.map(({ verdict, reason: told }) => [verdict, told])).toEqual(
      own.map(() => ["n/a", `the target does not offer extension:call-caps: ${reason}`]),
    )
    expect(own).toHaveLength(2)
    const [caps] = report.extensions?.filter(({ extension }) => extension === "call-caps") ?? []
    expect(caps).toMatchObject({ offered: false, reason, held: 0, broken: 0 })
    expect(summary(report, false)).toContain(`extension call-caps: SKIPPED, 0/${caps?.of} judged: ${reason}`)
  })

  it("says that nothing ran where nothing else was asked", async () => {
    const simulator = await Simulator.start({ clock: "manual" })
    const fetch = changed(simulator.fetch, listsNone("/v2/call-caps"))
    const report = await judge(simulator, { ...options, only: ["extensions/call-caps"], fetch })
    await simulator.close()
    expect(report.outcome).toBe("nothing-ran")
  })
})

describe("a run that does not ask for extensions", () => {
  it("says nothing of them", async () => {
    const simulator = await Simulator.start({ clock: "manual" })
    const asked: Array<string> = []
    const fetch: Fetch = (request) => {
      asked.push(new URL(request.url).pathname)
      return simulator.fetch(request)
    }
    const only = ["identity/user-me", "extensions"]
    const report = await judge(simulator, { controlUrl: "http://simulator.test", only, fetch })
    await simulator.close()
    expect(JSON.stringify(report)).not.toContain("xtension")
    expect(summary(report, false)).not.toContain("xtension")
    expect(asked.filter((path) => /suppressions|callee-hours|call-caps/.test(path))).toEqual([])
  })
})
