import { describe, expect, it } from "vitest"
import { cases } from "../../src/cases/Cases.ts"
import { levelOf } from "../../src/run/Capabilities.ts"
import { broken, judgeEngine, runLimitMs } from "./Judged.ts"

describe("plain HTTP with one key", () => {
  it(
    "reaches level 0, and counts the rest as not applicable",
    async () => {
      const { report } = await judgeEngine({}, { clock: "realtime" })
      const levels = new Map(report.levels.map((each) => [each.level, each]))
      expect(broken(report.cases.filter(({ level }) => level === 0))).toEqual([])
      expect(report.reached).toBe(0)
      for (const level of [1, 2, 3] as const) {
        const here = report.cases.filter((each) => each.level === level)
        expect(here.every(({ verdict }) => verdict === "n/a")).toBe(true)
        expect(here.length).toBe(cases.filter(({ requires }) => levelOf(requires) === level).length)
        expect(levels.get(level)).toMatchObject({ broken: 0 })
        expect(levels.get(level)?.notJudged).toBeGreaterThan(0)
      }
    },
    runLimitMs,
  )
})

describe("calling windows", () => {
  it.each(["2026-03-10T12:00:00Z", "2026-10-10T12:00:00Z"])(
    "follow daylight saving time seen from %s",
    async (epoch) => {
      const { report } = await judgeEngine(
        { only: ["calls/create/guard"], controlUrl: "http://simulator.test" },
        { epoch },
      )
      expect(broken(report.cases)).toEqual([])
      const daylight = report.cases.find(({ id }) => id === "calls/create/guard/daylight-saving")
      expect(daylight?.checks.length).toBeGreaterThan(2)
      expect(daylight?.verdict).toBe("pass")
    },
  )
})
