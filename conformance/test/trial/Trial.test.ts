import { describe, expect, it } from "vitest"
import type { Case } from "../../src/run/Case.ts"
import { runConformance } from "../../src/run/Conformance.ts"
import { Numbers } from "../../src/trial/Numbers.ts"
import { keyIdOf, keyPreviewOf } from "../../src/trial/KeyId.ts"
import type { Trial } from "../../src/trial/Trial.ts"
import { fakeServer, fixturesOnly, type Routes } from "../run/FakeServer.ts"

const start = Date.parse("2026-01-05T09:00:00Z")

/** A world in which a dial waits for some virtual time before it is answered. */
const world = (waitMs: number): Routes => {
  let now = start
  const waiting: Array<{ readonly until: number; readonly answer: () => void }> = []
  return {
    ...fixturesOnly,
    "GET /_sim/capabilities": [
      200,
      { contract: 1, clock: true, organizations: true, faults: { slot_store: ["error"] }, telephony: true },
    ],
    "PUT /_sim/clock": [200, {}],
    "GET /_sim/clock": () => {
      const due = waiting.length === 0 ? null : new Date(Math.min(...waiting.map(({ until }) => until))).toISOString()
      return [
        200,
        { now: new Date(now).toISOString(), mode: "manual", next_due: due, waiting: waiting.map(() => ({})) },
      ]
    },
    "POST /_sim/clock/advance": async (request) => {
      const body: unknown = await request.json()
      now += Number(Object(body).by_ms)
      for (const each of waiting.splice(0)) {
        if (each.until <= now) each.answer()
        else waiting.push(each)
      }
      return [200, {}]
    },
    "POST /v2/calls": async () => {
      if (waitMs > 0) await new Promise<void>((answer) => waiting.push({ until: now + waitMs, answer }))
      return [201, { execution_id: "exec_1", waited: now - start }]
    },
  }
}

const inTrial = async (routes: Routes, run: (trial: Trial) => Promise<void>) => {
  const scenario: Case = { id: "x/y", title: "x", clauses: ["ME-1"], requires: ["fixtures", "clock"], run }
  const report = await runConformance({
    baseUrl: "http://server.test",
    controlUrl: "http://server.test",
    key: "gat_keykeykeykeykey",
    fetch: fakeServer(routes),
    cases: [scenario],
  })
  const result = report.cases.find(({ id }) => id === "x/y")
  return {
    verdict: result?.verdict,
    reason: result?.reason,
    checks: result?.checks.map(({ id, verdict }) => [id, verdict]),
  }
}

describe("a request that waits for virtual time", () => {
  it("is let through by as much time as it needs and no more", async () => {
    const seen = await inTrial(world(7_500), async (trial) => {
      const answer = await trial.settle(trial.primary.post("/v2/calls", {}))
      trial.check.equal("waited", "ME-1", answer.at("waited"), 7_500)
    })
    expect(seen).toMatchObject({ verdict: "pass" })
  })

  it("is told from one that is answered", async () => {
    const parkedIn = (waitMs: number) =>
      inTrial(world(waitMs), async (trial) => {
        const pending = trial.primary.post("/v2/calls", {})
        const state = await trial.parked(pending)
        trial.check.equal("state", "ME-1", state, waitMs > 0 ? "parked" : "settled")
        await trial.settle(pending)
      })
    expect(await parkedIn(0)).toMatchObject({ verdict: "pass" })
    expect(await parkedIn(5_000)).toMatchObject({ verdict: "pass" })
  })

  it("fails the case when it never ends", async () => {
    const seen = await inTrial(world(10 * 60_000), async (trial) => {
      await trial.settle(trial.primary.post("/v2/calls", {}))
    })
    expect(seen).toMatchObject({ verdict: "fail", checks: [["settled", "fail"]] })
  })
})

describe("what a case sets up", () => {
  it("is undone when it ends, the last thing first, even when it ends badly", async () => {
    const undone: Array<unknown> = []
    const routes: Routes = {
      ...world(0),
      "PUT /_sim/faults": async (request) => {
        undone.push(await request.json())
        return [200, {}]
      },
      "PUT /_sim/telephony/rules": async (request) => {
        undone.push(await request.json())
        return [200, {}]
      },
    }
    const seen = await inTrial(routes, async (trial) => {
      await trial.rules([{ outcome: { result: "busy" } }])
      await trial.breaks("slot_store", { mode: "error" })
      trial.check.must(trial.check.holds("x", "ME-1", false, "x"))
    })
    expect(seen.verdict).toBe("fail")
    const once = [
      { rules: [{ outcome: { result: "busy" } }] },
      { slot_store: { mode: "error" } },
      { slot_store: null },
      { rules: [] },
    ]
    // A case that fails is tried once more.
    expect(undone).toEqual([...once, ...once])
  })

  it("makes the case untestable when it is declared and does not work", async () => {
    const seen = await inTrial({ ...world(0), "PUT /_sim/faults": [404, {}] }, async (trial) => {
      await trial.breaks("slot_store", { mode: "error" })
    })
    expect(seen).toMatchObject({ verdict: "untestable", reason: "PUT /_sim/faults answered 404" })
  })
})

describe("numbers", () => {
  it("are the contract's own, and no two are alike", () => {
    const numbers = new Numbers(() => 0.999_999_99)
    const some = Array.from({ length: 50 }, () => numbers.magic("legReportedLate", 7))
    for (const number of some) expect(number).toMatch(/^\+9992207\d{8}$/)
    expect(new Set(some).size).toBe(50)
    expect(numbers.plain()).toMatch(/^\+1555[6-9]\d{6}$/)
  })
})

describe("key ids", () => {
  it("are derived as the specification says", async () => {
    // SHA-256 of "abc" begins ba7816bf8f01cfea.
    expect(await keyIdOf("abc")).toBe("key_ba7816bf8f01cfea")
    expect(keyPreviewOf("gat_0123456789abcdef")).toBe("gat_01234567...cdef")
    expect(keyPreviewOf("gat_0123456789ab")).toBe("gat_0123456789ab")
  })
})
