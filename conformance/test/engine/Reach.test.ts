import { Simulator, type SimulatorOptions } from "@carillon/simulator"
import { describe, expect, it } from "vitest"
import { cases } from "../../src/cases/Cases.ts"
import { levelOf } from "../../src/run/Capabilities.ts"
import type { ConformanceOptions } from "../../src/run/Conformance.ts"
import type { Forecast } from "../../src/run/Forecast.ts"
import { broken, judge, judgeEngine, runLimitMs } from "./Judged.ts"

/** Numbers of a country code and an area code that nobody has, and what is too short or too long to be a number. */
const nobodys = /^\+(999\d+|1555\d+|\d{1,6}|\d{16,})$/

const numbersIn = (text: string): ReadonlyArray<string> => text.match(/\+\d{6,}/g) ?? []

/** A run with nothing but a key: what it named, what it asked for by its own forecast, and what it sent. */
const judgeByKey = async (options: Partial<ConformanceOptions>, clock: SimulatorOptions["clock"] = "realtime") => {
  const simulator = await Simulator.start({ clock })
  const named = new Set<string>()
  let sent = 0
  let forecast: Forecast | undefined
  try {
    const report = await judge(simulator, {
      onForecast: async (told) => void (forecast = told),
      fetch: async (request) => {
        sent += 1
        const { body, headers, method, url } = request
        if (body === null) return simulator.fetch(request)
        const [own, other] = body.tee()
        const [answer, text] = await Promise.all([
          simulator.fetch(new Request(url, { method, headers, body: own, duplex: "half" })),
          new Response(other).text(),
        ])
        for (const number of numbersIn(text)) named.add(number)
        return answer
      },
      ...options,
    })
    return { report, named, sent, forecast }
  } finally {
    await simulator.close()
  }
}

/** An answer that says in whole seconds when things were made, so that those made one after the other are often of one moment. */
const madeInSeconds = async (answer: Response): Promise<Response> => {
  const { headers, status } = answer
  const text = (await answer.text()).replaceAll(/("(?:created|updated)_at":"[^".]*)\.\d+/g, "$1")
  return new Response(text === "" ? null : text, { status, headers })
}

describe.concurrent("plain HTTP with one key", () => {
  it(
    "reaches level 0, counts the rest as not applicable, rings nobody, and takes away what it made",
    async ({ expect }) => {
      const { forecast, named, report, sent } = await judgeByKey({})
      expect([...named].filter((number) => !nobodys.test(number))).toEqual([])
      expect(forecast?.calls).toBe(0)
      expect(report.leftBehind).toEqual([])
      expect(Math.abs((forecast?.requests ?? 0) - sent)).toBeLessThan(sent / 3)
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

  it(
    "reaches level 0 where it is said in whole seconds when things were made",
    async ({ expect }) => {
      const simulator = await Simulator.start({ clock: "realtime" })
      try {
        const fetch = async (request: Request) => madeInSeconds(await simulator.fetch(request))
        const report = await judge(simulator, { fetch })
        expect(broken(report.cases.filter(({ level }) => level === 0))).toEqual([])
        expect(report.reached).toBe(0)
      } finally {
        await simulator.close()
      }
    },
    runLimitMs,
  )
})

describe("a number that the run was given", () => {
  it("is the only one that is rung, and only in the case that says so", async () => {
    const to = "+14155550100"
    const only = ["calls/create/recipient", "calls/stop"]
    const { forecast, named, report } = await judgeByKey({ to: [to], only }, "scaled:60")
    expect(broken(report.cases.filter(({ id }) => id.startsWith("calls/create/recipient")))).toEqual([])
    expect(forecast?.calls).toBe(1)
    expect([...named].filter((number) => !nobodys.test(number))).toEqual([to])
  })
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
