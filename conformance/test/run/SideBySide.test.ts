import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Capability } from "../../src/run/Capabilities.ts"
import type { Case } from "../../src/run/Case.ts"
import { type ConformanceOptions, maxAtOnce, runConformance } from "../../src/run/Conformance.ts"
import { Lanes } from "../../src/run/Lanes.ts"
import { fakeServer, fixturesOnly, type Routes } from "./FakeServer.ts"

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Who is at work, and who has ever been at work beside whom. */
class Watched {
  readonly begun: Array<string> = []
  readonly beside = new Map<string, Set<string>>()
  readonly #now = new Set<string>()
  most = 0

  async during(id: string, work: () => Promise<void>): Promise<void> {
    this.begun.push(id)
    this.#now.add(id)
    this.most = Math.max(this.most, this.#now.size)
    for (const one of this.#now) {
      const others = this.beside.get(one) ?? new Set()
      for (const other of this.#now) if (other !== one) others.add(other)
      this.beside.set(one, others)
    }
    await work().finally(() => this.#now.delete(id))
  }

  companyOf(id: string): ReadonlyArray<string> {
    return [...(this.beside.get(id) ?? [])]
  }
}

describe("lanes", () => {
  const works = fc.array(fc.record({ alone: fc.boolean(), turns: fc.nat(3), fails: fc.boolean() }), { maxLength: 20 })

  it("hold no more than they are, keep what is alone alone, and begin in order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), works, async (wide, asked) => {
        const lanes = new Lanes(wide)
        const watched = new Watched()
        const ended = await Promise.allSettled(
          asked.map((each, nth) => {
            const work = () =>
              watched.during(String(nth), async () => {
                await turns(each.turns)
                if (each.fails) throw new Error("fails")
              })
            return each.alone ? lanes.alone(work) : lanes.beside(work)
          }),
        )
        expect(watched.begun).toEqual(asked.map((_each, nth) => String(nth)))
        expect(watched.most).toBeLessThanOrEqual(wide)
        expect(ended.map(({ status }) => status === "rejected")).toEqual(asked.map(({ fails }) => fails))
        for (const [nth, { alone }] of asked.entries()) if (alone) expect(watched.companyOf(String(nth))).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  it("let one through that has to be alone before all that wait", async () => {
    const lanes = new Lanes(2)
    const watched = new Watched()
    const work = (id: string) => () => watched.during(id, () => turns(2))
    const all = [lanes.beside(work("a")), lanes.beside(work("b")), lanes.beside(work("c")), lanes.aloneNext(work("d"))]
    await Promise.all(all)
    expect(watched.begun).toEqual(["a", "b", "d", "c"])
    expect(watched.companyOf("d")).toEqual([])
  })
})

const key = "gat_keykeykeykeykeykeykey"

const everything: Routes = {
  ...fixturesOnly,
  "GET /_sim/capabilities": [
    200,
    {
      contract: 1,
      organizations: true,
      clock: true,
      telephony: true,
      inbox: true,
      dns: true,
      platform: true,
      faults: { scheduler: ["down"] },
    },
  ],
  "GET /_sim/clock": [200, { now: "2026-01-05T09:00:00Z", mode: "manual", next_due: null, waiting: [] }],
  "PUT /_sim/clock": [200, {}],
  "POST /_sim/clock/advance": [200, {}],
}

const scenario = (id: string, requires: ReadonlyArray<Capability>, run: Case["run"]): Case => ({
  id,
  title: id,
  clauses: ["ME-1"],
  requires,
  run,
})

const judge = (cases: ReadonlyArray<Case>, options: Partial<ConformanceOptions> = {}, routes: Routes = everything) =>
  runConformance({
    baseUrl: "http://server.test",
    controlUrl: "http://server.test",
    key,
    fetch: fakeServer(routes),
    cases,
    ...options,
  })

const holds: Case["run"] = async ({ check }) => {
  await turns(3)
  check.holds("x", "ME-1", true, "x")
}

const idsOf = (results: ReadonlyArray<{ readonly id: string }>) =>
  results.map(({ id }) => id).filter((id) => id !== "ambient")

const ten = (requires: ReadonlyArray<Capability>, watched: Watched): ReadonlyArray<Case> =>
  Array.from({ length: 10 }, (_, nth) =>
    scenario(`c/${nth}`, requires, (trial) => watched.during(`c/${nth}`, () => holds(trial))),
  )

describe("cases of one run", () => {
  const shared: ReadonlyArray<Capability> = ["clock", "telephony", "inbox", "dns", "platform", "faults:scheduler"]
  const needs = fc.subarray<Capability>(["http", "fixtures", ...shared])
  const listed = fc.array(needs, { maxLength: 12 })

  it("go on side by side only where each asks for nothing but requests and organizations; those begin first, and the report keeps the order of the list", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), listed, async (atOnce, lists) => {
        const watched = new Watched()
        const cases = lists.map((requires, nth) =>
          scenario(`c/${nth}`, requires, (trial) => watched.during(`c/${nth}`, () => holds(trial))),
        )
        const ids = cases.map(({ id }) => id)
        const report = await judge(cases, { atOnce })
        expect(idsOf(report.cases)).toEqual(ids)
        const isShared = ({ requires }: Case) => requires.some((each) => shared.includes(each))
        const inTurn = [...cases.filter((each) => !isShared(each)), ...cases.filter(isShared)]
        expect(watched.begun).toEqual(inTurn.map(({ id }) => id))
        expect(watched.most).toBeLessThanOrEqual(atOnce)
        for (const { id } of cases.filter(isShared)) expect([id, watched.companyOf(id)]).toEqual([id, []])
      }),
      { numRuns: 25 },
    )
  })

  it("really go on side by side, as many as may", async () => {
    const mostOf = async (atOnce?: number) => {
      const watched = new Watched()
      await judge(ten(["fixtures"], watched), atOnce === undefined ? {} : { atOnce })
      return watched.most
    }
    expect([await mostOf(), await mostOf(1), await mostOf(3), await mostOf(0)]).toEqual([4, 1, 3, 1])
    expect(await mostOf(maxAtOnce + 1)).toBe(10)
  })

  it("are alone where the server has nothing but a key: they share its organization", async () => {
    const watched = new Watched()
    const { baseUrl, fetch } = { baseUrl: "http://server.test", fetch: fakeServer() }
    await runConformance({ baseUrl, fetch, key, cases: ten(["http"], watched), atOnce: 4 })
    expect([watched.begun.length, watched.most]).toEqual([10, 1])
  })

  it("keep each its own exchanges", async () => {
    const asks = (name: string) =>
      scenario(name, ["http"], async ({ anonymous, check }) => {
        for (let nth = 0; nth < 3; nth++) await anonymous.get(`/v2/${name}/${nth}`)
        check.holds("x", "ME-1", false, "never")
      })
    const report = await judge(["a", "b", "c"].map(asks))
    for (const name of ["a", "b", "c"]) {
      const trace = report.cases.find(({ id }) => id === name)?.trace
      expect(trace?.map(({ url }) => new URL(url).pathname)).toEqual([0, 1, 2].map((nth) => `/v2/${name}/${nth}`))
    }
  })

  it("begin no more once one has failed, when the run ends with the first", async () => {
    const watched = new Watched()
    const fails = scenario("fails", ["http"], async ({ check }) => void check.holds("x", "ME-1", false, "never"))
    const report = await judge([fails, ...ten(["http"], watched)], { failFast: true, atOnce: 3 })
    expect(idsOf(report.cases)).toEqual(["fails", "c/0", "c/1"])
  })

  it("begin with those that failed the last time, shared things or not", async () => {
    const watched = new Watched()
    const alone = scenario("alone", ["clock"], (trial) => watched.during("alone", () => holds(trial)))
    const report = await judge([...ten(["http"], watched), alone], { first: ["c/7", "alone"] })
    expect(watched.begun.slice(0, 3)).toEqual(["c/7", "alone", "c/0"])
    expect(idsOf(report.cases).slice(0, 3)).toEqual(["c/7", "alone", "c/0"])
  })

  it("are alone when they are tried once more: what holds then is flaky, and has failed", async () => {
    const watched = new Watched()
    let tried = 0
    const crowded = scenario("crowded", ["http"], (trial) =>
      watched.during(`crowded/${(tried += 1)}`, async () => {
        await turns(3)
        trial.check.holds("x", "ME-1", tried > 1, "alone")
      }),
    )
    const report = await judge([crowded, ...ten(["http"], watched)])
    expect(watched.companyOf("crowded/1")).not.toEqual([])
    expect(watched.companyOf("crowded/2")).toEqual([])
    expect(report.cases.find(({ id }) => id === "crowded")).toMatchObject({ verdict: "fail", flaky: true })
  })

  it("begin anew and alone when they come to what all share: time that a request waits for", async () => {
    const watched = new Watched()
    let tried = 0
    const waits = scenario("waits", ["http"], (trial) =>
      watched.during(`waits/${(tried += 1)}`, async () => {
        await trial.clock.advance(1_000)
        trial.check.holds("x", "ME-1", true, "x")
      }),
    )
    let advanced = 0
    const routes: Routes = {
      ...everything,
      "POST /_sim/clock/advance": () => {
        advanced += 1
        return [200, {}]
      },
    }
    const report = await judge([waits, ...ten(["http"], watched)], {}, routes)
    expect(report.cases.find(({ id }) => id === "waits")).toMatchObject({ verdict: "pass" })
    expect([tried, advanced, watched.companyOf("waits/2")]).toEqual([2, 1, []])
  })

  it.each(["/_sim/organizations", "/v2/agents"])("begin anew and alone when a connection broke at %s", async (path) => {
    const server = fakeServer(everything)
    const asks = scenario("asks", ["http"], async (trial) => {
      const { client } = await trial.organization()
      trial.check.status("x", "ME-1", await client.post("/v2/agents", {}), 404)
    })
    const resultOf = async (breaks: number) => {
      let asked = 0
      const fetch = async (request: Request) => {
        const isAsked = new URL(request.url).pathname === path
        if (isAsked && ++asked <= breaks) {
          throw new TypeError("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) })
        }
        return server(request)
      }
      const report = await judge([asks], { fetch })
      return report.cases.find(({ id }) => id === "asks")?.verdict
    }
    expect(await resultOf(1)).toBe("pass")
    expect(await resultOf(Infinity)).toBe(path.startsWith("/_sim") ? "untestable" : "fail")
  })

  it("come to their end when the run is ended early", async () => {
    const ending = new AbortController()
    const watched = new Watched()
    const ended: Array<string> = []
    const slow = ten(["http"], watched).map((each) => ({
      ...each,
      run: async (trial: Parameters<Case["run"]>[0]) => {
        await each.run(trial).finally(() => ended.push(each.id))
        if (each.id === "c/0") ending.abort(new Error("ended"))
      },
    }))
    await expect(judge(slow, { signal: ending.signal })).rejects.toThrow("ended")
    expect(ended).toEqual(watched.begun)
    expect(ended.length).toBeLessThan(10)
  })
})
