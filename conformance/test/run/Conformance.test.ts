import { describe, expect, it } from "vitest"
import type { Case } from "../../src/run/Case.ts"
import { type ConformanceOptions, runConformance } from "../../src/run/Conformance.ts"
import { Unreachable } from "../../src/run/Target.ts"
import { summary } from "../../src/report/Terminal.ts"
import { fakeServer, fixturesOnly, type Routes } from "./FakeServer.ts"

const key = "gat_keykeykeykeykeykeykey"

const scenario = (id: string, run: Case["run"], more: Partial<Case> = {}): Case => ({
  id,
  title: id,
  clauses: ["ME-1", "ME-P1", "ME-G1"],
  requires: ["http"],
  run,
  ...more,
})

const judge = (cases: ReadonlyArray<Case>, routes: Routes = {}, options: Partial<ConformanceOptions> = {}) =>
  runConformance({ baseUrl: "http://server.test", key, fetch: fakeServer(routes), cases, ...options })

const verdictOf = async (each: Case, routes: Routes = {}, options: Partial<ConformanceOptions> = {}) => {
  const report = await judge([each], routes, options)
  const result = report.cases.find(({ id }) => id === each.id)
  return { case: result?.verdict, checks: result?.checks.map(({ id, verdict }) => [id, verdict]), report, result }
}

const asksMe = (clause: string, expected: string) =>
  scenario("me", async ({ check, primary }) => {
    const answer = await primary.get("/v2/user/me")
    check.equal("organization", clause, answer.at("organization_id"), expected, answer)
  })

describe("verdicts", () => {
  it("pass, with the same check id as a failure", async () => {
    expect(await verdictOf(asksMe("ME-1", "org_1"))).toMatchObject({ case: "pass", checks: [["organization", "pass"]] })
    expect(await verdictOf(asksMe("ME-1", "org_9"))).toMatchObject({ case: "fail", checks: [["organization", "fail"]] })
  })

  it("note another reading than ours, and fail only where the run names the profile", async () => {
    const { report, ...seen } = await verdictOf(asksMe("ME-P1", "org_9"))
    expect(seen).toMatchObject({
      case: "note",
      result: { checks: [{ message: expect.stringContaining("another reading") }] },
    })
    expect(report.clauseStates["ME-P1"]).toBe("read-otherwise")
    expect(await verdictOf(asksMe("ME-P1", "org_9"), {}, { profile: "carillon" })).toMatchObject({ case: "fail" })
  })

  it("grade each share of a check by its own level", async () => {
    const mixed = scenario("mixed", async ({ check }) => {
      check.holds("x", ["ME-P1", "ME-G1", "ME-1"], false, "never")
    })
    expect(await verdictOf(mixed)).toMatchObject({
      checks: [
        ["x", "fail"],
        ["x/reading", "note"],
        ["x/open", "note"],
      ],
    })
    expect(await verdictOf(mixed, {}, { profile: "carillon" })).toMatchObject({
      checks: [
        ["x", "fail"],
        ["x/reading", "fail"],
        ["x/open", "note"],
      ],
    })
  })

  it("note what the specification leaves open", async () => {
    expect(await verdictOf(asksMe("ME-G1", "org_9"), {}, { profile: "carillon" })).toMatchObject({ case: "note" })
  })

  it("n/a for what the target does not offer, and the case stays in the sums", async () => {
    const { report, ...seen } = await verdictOf(scenario("x", async () => {}, { requires: ["http", "clock"] }))
    expect(seen).toMatchObject({
      case: "n/a",
      checks: [],
      result: { reason: "the target does not offer clock", level: 2 },
    })
    expect(report.levels[2]).toMatchObject({ level: 2, held: 0, broken: 0 })
    expect(report.outcome).toBe("nothing-ran")
  })

  it("untestable when what is offered does not work", async () => {
    const needsFixtures = scenario("x", async (trial) => void (await trial.organization()), { requires: ["fixtures"] })
    const broken = { ...fixturesOnly, "POST /_sim/organizations": [500, { error: 1500, message: "No." }] } as const
    const seen = await verdictOf(needsFixtures, broken, { controlUrl: "http://server.test" })
    expect(seen).toMatchObject({ case: "untestable", report: { outcome: "fails" } })
  })

  it("error for a fault of the harness, which outweighs a failure", async () => {
    const faulty = scenario("x", async () => {
      throw new TypeError("my own mistake")
    })
    const report = await judge([faulty, asksMe("ME-1", "org_9")])
    expect(report.outcome).toBe("harness-fault")
    expect(report.cases.find(({ id }) => id === "x")?.reason).toContain("my own mistake")
  })

  it("error for a case that checks nothing, or cites what it does not declare", async () => {
    expect(await verdictOf(scenario("x", async () => {}))).toMatchObject({ case: "error" })
    expect(await verdictOf(asksMe("CALL-GET-1", "org_1"))).toMatchObject({ case: "error" })
  })

  it("fail when the server drops a request, and go on with the next case", async () => {
    const routes: Routes = {
      "GET /v2/calls": () => {
        throw new TypeError("fetch failed")
      },
    }
    const dropped = scenario("x", async ({ primary }) => void (await primary.get("/v2/calls")))
    const report = await judge([dropped, asksMe("ME-1", "org_1")], routes)
    expect(report.cases.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["ambient", "pass"],
      ["x", "fail"],
      ["me", "pass"],
    ])
    expect(report.cases[1]?.checks[0]).toMatchObject({ id: "answered", exchange: { status: null } })
    expect(summary(report, false)).toContain("GET http://server.test/v2/calls got no answer: fetch failed")
  })

  it("replay an answer that broke an ambient rule by the case that it came in", async () => {
    const wrong = asksMe("ME-1", "org_1")
    const { report } = await verdictOf(wrong, { "GET /v2/user/me": [200, { organization_id: 7 }] })
    const replayed = summary(report, false).match(/replay: .*/g) ?? []
    expect(replayed.length).toBeGreaterThan(0)
    for (const line of replayed) expect(line).toContain("carillon-conformance replay me ")
  })

  it("fail under the id setup when the way to the case is broken", async () => {
    const unprepared = scenario("x", async (trial) => {
      trial.made(await trial.primary.post("/v2/agents", {}), 201)
      trial.check.holds("later", "ME-1", true, "never reached")
    })
    expect(await verdictOf(unprepared)).toMatchObject({ case: "fail", checks: [["setup", "fail"]] })
  })
})

describe("ambient rules", () => {
  it("are one case of the report, with the case in which an answer broke them", async () => {
    const routes: Routes = { "GET /v2/scopes": [502, { error: 1501, message: "No." }] }
    const asks = scenario("asks", async ({ check, primary }) => {
      const answer = await primary.get("/v2/scopes")
      check.holds("asked", "ME-1", answer.status > 0, "an answer")
    })
    const report = await judge([asks], routes)
    const ambient = report.cases.find(({ id }) => id === "ambient")
    expect(ambient?.verdict).toBe("fail")
    const rule = ambient?.checks.find(({ id }) => id === "transport/never-502")
    expect(rule).toMatchObject({
      verdict: "fail",
      clauses: ["ERROR-STATUS-7"],
      message: "1 of 1 answers, first in asks",
    })
    expect(report.breaches["transport/never-502"]?.[0]).toMatchObject({ caseId: "asks" })
    expect(report.clauses["ERROR-STATUS-7"]?.quote).toBe("502 is never returned.")
  })

  it("do not look at the control surface", async () => {
    const asks = scenario(
      "asks",
      async (trial) => {
        const tenant = await trial.organization({})
        trial.check.equal("made", "ME-1", tenant.organizationId, "org_2")
      },
      { requires: ["fixtures"] },
    )
    const report = await judge([asks], fixturesOnly, { controlUrl: "http://server.test/_sim" })
    expect(report.cases.map(({ verdict }) => verdict)).toEqual(["n/a", "pass"])
  })
})

describe("known lists", () => {
  const failing = asksMe("ME-1", "org_9")

  it("turn a failure into xfail and keep executing it", async () => {
    for (const line of ["me", "me:organization", "*:org*", "m*  # issue 12"]) {
      const seen = await verdictOf(failing, {}, { knownFailing: [line] })
      expect(seen).toMatchObject({ case: "xfail", report: { outcome: "holds" } })
    }
  })

  it("fail the run when a listed check holds after all", async () => {
    const seen = await verdictOf(asksMe("ME-1", "org_1"), {}, { knownFailing: ["me:organization"] })
    expect(seen).toMatchObject({ case: "xpass", checks: [["organization", "xpass"]], report: { outcome: "fails" } })
  })

  it("let a listed case hold in part", async () => {
    const mixed = scenario("mixed", async ({ check }) => {
      check.holds("a", "ME-1", true, "a")
      check.holds("b", "ME-1", false, "b")
    })
    const seen = await verdictOf(mixed, {}, { knownFailing: ["mixed"] })
    expect(seen).toMatchObject({
      case: "xfail",
      checks: [
        ["a", "pass"],
        ["b", "xfail"],
      ],
    })
  })

  it("call a flaky check flaky whichever way it went", async () => {
    for (const each of [failing, asksMe("ME-1", "org_1")]) {
      const seen = await verdictOf(each, {}, { knownFlaky: ["me:organization"] })
      expect(seen).toMatchObject({ case: "flaky", report: { outcome: "holds" } })
    }
  })

  it("name the entries that nothing was executed for", async () => {
    const { report } = await verdictOf(failing, {}, { knownFailing: ["me", "gone/for-ever"], knownFlaky: ["me:gone"] })
    expect(report.unusedExpectations).toEqual(["gone/for-ever", "me:gone"])
  })

  it("cover the ambient rules too", async () => {
    const routes: Routes = { "GET /v2/user/me": [200, { organization_id: "org_1" }] }
    const seen = await verdictOf(asksMe("ME-1", "org_1"), routes, { knownFailing: ["ambient:identity/*"] })
    expect(seen.report.outcome).toBe("holds")
  })
})

describe("a run", () => {
  it("rejects with Unreachable when nobody answers, or the key is unknown", async () => {
    const fetch = () => Promise.reject(new TypeError("fetch failed"))
    await expect(judge([], {}, { fetch })).rejects.toThrow(Unreachable)
    await expect(judge([], {}, { fetch, controlUrl: "http://server.test" })).rejects.toThrow(Unreachable)
    const refuses: Routes = { "GET /v2/user/me": [401, { error: 1100, message: "Invalid API key." }] }
    await expect(judge([], refuses)).rejects.toThrow(Unreachable)
    const stranger: Routes = { "GET /_sim/capabilities": [200, { contract: 2 }] }
    await expect(judge([], stranger, { controlUrl: "http://server.test" })).rejects.toThrow(Unreachable)
  })

  it("runs only what is selected, by id or by clause", async () => {
    const a = scenario("calls/stop/a", async ({ check }) => void check.holds("x", "ME-1", true, "x"))
    const b = { ...a, id: "calls/get/b", clauses: ["ME-1", "CALL-GET-1"] }
    const ids = async (only: ReadonlyArray<string>) =>
      (await judge([a, b], {}, { only })).cases.map(({ id }) => id).filter((id) => id !== "ambient")
    expect(await ids([])).toEqual(["calls/stop/a", "calls/get/b"])
    expect(await ids(["calls/stop"])).toEqual(["calls/stop/a"])
    expect(await ids(["calls/*/b"])).toEqual(["calls/get/b"])
    expect(await ids(["CALL-GET"])).toEqual(["calls/get/b"])
    expect(await ids(["CALL-GE"])).toEqual([])
  })

  it("gives a case the same inputs whatever runs beside it", async () => {
    const draws: Array<ReadonlyArray<unknown>> = []
    const drawing = (id: string) =>
      scenario(id, async (trial) => {
        draws.push([id, trial.seed, trial.numbers.magic("busy", 3), trial.fresh()])
        trial.check.holds("x", "ME-1", true, "x")
      })
    const [a, b] = [drawing("a"), drawing("b")]
    await judge([a, b], {}, { seed: 7, nonce: "once" })
    await judge([b], {}, { seed: 7, nonce: "once" })
    await judge([b], {}, { seed: 7, nonce: "twice" })
    await judge([b], {}, { seed: 8, nonce: "once" })
    expect(draws[2]).toEqual(draws[1])
    const [, seed, ...fresh] = draws[1] ?? []
    expect(draws[3]?.[1]).toBe(seed)
    for (const each of fresh) expect(draws[3]).not.toContain(each)
    expect(draws[4]?.slice(2)).toEqual(fresh)
    expect(draws[4]?.[1]).not.toBe(seed)
    expect(draws[0]?.slice(1)).not.toEqual(draws[1]?.slice(1))
  })

  it("keeps keys out of the report", async () => {
    const minted = "gat_mintedmintedmintedminted"
    const routes: Routes = { "POST /v2/api-keys": [201, { key: minted }], "GET /v2/calls": [200, { leak: minted }] }
    const leaking = scenario("x", async (trial) => {
      const mint = await trial.primary.post("/v2/api-keys", { secret: key })
      trial.secret(mint.string("key"))
      const answer = await trial.primary.as(minted).get("/v2/calls", { key: minted })
      trial.check.equal("x", "ME-1", answer.at("leak"), key, answer)
      throw new Error(`lost ${minted}`)
    })
    const text = JSON.stringify(await judge([leaking], routes))
    expect(text).toContain("gat_<redacted>")
    expect(text).not.toContain(minted)
    expect(text).not.toContain(key)
  })

  it("stops when it is told to", async () => {
    const abort = new AbortController()
    const stops = scenario("x", async ({ primary }) => {
      abort.abort(new Error("enough"))
      await primary.get("/v2/user/me")
    })
    await expect(judge([stops], {}, { signal: abort.signal })).rejects.toThrow("enough")
  })

  it("paces itself by the headers where one key is shared", async () => {
    let asked = 0
    const busy = [429, { error: 1300, message: "Rate limit exceeded: wait." }, { "retry-after": "0" }] as const
    const routes: Routes = { "GET /v2/scopes": () => (asked++ === 0 ? busy : [200, {}]) }
    const asks = scenario("x", async ({ check, primary }) => {
      check.status("answered", "ME-1", await primary.get("/v2/scopes"), 200)
    })
    expect(await verdictOf(asks, routes)).toMatchObject({ case: "pass" })
    expect(asked).toBe(2)
  })

  it("takes the clock in hand and gives it back", async () => {
    const modes: Array<unknown> = []
    const routes: Routes = {
      "GET /_sim/capabilities": [200, { contract: 1, clock: true }],
      "GET /_sim/clock": [200, { now: "2026-01-05T09:00:00Z", mode: "scaled", speed: 60, next_due: null, waiting: [] }],
      "PUT /_sim/clock": async (request) => {
        modes.push(await request.json())
        return [200, {}]
      },
    }
    const asks = scenario(
      "x",
      async (trial) => {
        trial.check.equal("now", "ME-1", await trial.clock.now(), Date.parse("2026-01-05T09:00:00Z"))
      },
      { requires: ["clock"] },
    )
    expect(await verdictOf(asks, routes, { controlUrl: "http://server.test" })).toMatchObject({ case: "pass" })
    expect(modes).toEqual([{ mode: "manual" }, { mode: "scaled", speed: 60 }])
  })

  it("waits in real time for a case that can, when asked to be slow", async () => {
    const waits = scenario(
      "x",
      async (trial) => {
        await trial.clock.advance(1)
        trial.check.equal("virtual", "ME-1", trial.clock.virtual, false)
      },
      { requires: ["http", "clock"], realTimeMs: 1 },
    )
    expect(await verdictOf(waits, {}, { slow: true })).toMatchObject({ case: "pass" })
    expect(await verdictOf(waits)).toMatchObject({ case: "n/a" })
  })
})
