import { Simulator, type SimulatorOptions } from "@carillon/simulator"
import { describe, expect, it } from "vitest"
import { cases } from "../../src/cases/Cases.ts"
import { drawNonce, isNonce } from "../../src/run/Nonce.ts"
import { holderOf } from "../../src/control/Turn.ts"
import { defaultAtOnce, runConformance } from "../../src/run/Conformance.ts"
import type { Report } from "../../src/run/Report.ts"
import { broken, runLimitMs } from "../engine/Judged.ts"

const inWorld = async <T>(
  world: SimulatorOptions,
  judge: (run: (only: ReadonlyArray<string>, withControl?: boolean, nonce?: string) => Promise<Report>) => Promise<T>,
): Promise<T> => {
  const simulator = await Simulator.start(world)
  const run = (only: ReadonlyArray<string>, withControl = true, nonce?: string) =>
    runConformance({
      baseUrl: "http://simulator.test",
      ...(withControl ? { controlUrl: "http://simulator.test" } : {}),
      ...(nonce === undefined ? {} : { nonce }),
      key: simulator.info.key,
      fetch: simulator.fetch,
      profile: "carillon",
      seed: 7,
      only,
    })
  try {
    return await judge(run)
  } finally {
    await simulator.close()
  }
}

const verdicts = ({ cases }: Report) => broken(cases.filter(({ verdict }) => verdict !== "n/a"))

describe("runs with one seed on one server", () => {
  it(
    "are green ten times in a row",
    () =>
      inWorld({ clock: "manual" }, async (run) => {
        const few = ["idempotency", "numbers", "keys/mint", "webhooks/test"]
        for (let nth = 0; nth < 10; nth++) expect([nth, verdicts(await run(few))]).toEqual([nth, []])
      }),
    runLimitMs,
  )

  it.each([
    ["on a shared clock they take turns", { clock: "manual" }, true],
    ["with one key they share it", { clock: "realtime" }, false],
  ] as const)(
    "are green two at once: %s",
    (_name, world, withControl) =>
      inWorld(world, async (run) => {
        const few = ["idempotency", "numbers", "webhooks/test", "calls/lifecycle/told", "calls/stop"]
        const both = await Promise.all([run(few, withControl), run(few, withControl)])
        expect(both.map(verdicts)).toEqual([[], []])
        expect(both.map(({ outcome }) => outcome)).toEqual(["holds", "holds"])
        expect(new Set(both.map(({ nonce }) => nonce)).size).toBe(2)
      }),
    runLimitMs,
  )

  it(
    "ask for the same names again when the nonce is taken back, each in a world of its own",
    async () => {
      const bodies = () =>
        inWorld({ clock: "manual" }, async (run) => {
          const failing = await run(["numbers/providers"], true, "taken0back")
          return failing.cases.map(({ id, verdict, seed }) => [id, verdict, seed])
        })
      expect(await bodies()).toEqual(await bodies())
    },
    runLimitMs,
  )
})

describe("a run that is ended early", () => {
  it(
    "gives back its turn and the clock",
    async () => {
      const simulator = await Simulator.start({ clock: "scaled:2" })
      const url = "http://simulator.test"
      const ending = new AbortController()
      const waits: Array<string> = []
      const run = (signal?: AbortSignal) =>
        runConformance({
          baseUrl: url,
          controlUrl: url,
          key: simulator.info.key,
          fetch: simulator.fetch,
          only: ["numbers/providers"],
          onWait: (nonce) => waits.push(nonce),
          ...(signal === undefined ? {} : { signal, onCase: () => ending.abort(new Error("ended")) }),
          cases: Array.from({ length: 2 * defaultAtOnce }, () => cases).flat(),
        })
      try {
        await expect(run(ending.signal)).rejects.toThrow("ended")
        const clock = await (await simulator.fetch(new Request(`${url}/_sim/clock`))).json()
        expect(clock).toMatchObject({ mode: "scaled", speed: 2 })
        expect((await run()).outcome).toBe("holds")
        expect(waits).toEqual([])
      } finally {
        await simulator.close()
      }
    },
    runLimitMs,
  )
})

describe("a nonce", () => {
  it("is a name that nobody else has", () => {
    const drawn = Array.from({ length: 1_000 }, drawNonce)
    expect(drawn.every(isNonce)).toBe(true)
    expect(new Set(drawn).size).toBe(1_000)
    expect(["abc", "ABCD", "a-b-c", "", "a".repeat(17)].some(isNonce)).toBe(false)
  })
})

describe("a turn", () => {
  const take = (nonce: string) => ({ nonce, kind: "take" })
  const give = (nonce: string) => ({ nonce, kind: "give" })

  it("belongs to the first ticket that was not given back", () => {
    expect(holderOf([])).toBe(undefined)
    expect(holderOf([take("a"), take("b"), { nonce: "a", kind: "beat" }])).toBe("a")
    expect(holderOf([take("a"), take("b"), give("a")])).toBe("b")
    expect(holderOf([take("a"), give("a")])).toBe(undefined)
  })

  it("passes over a run that is gone", () => {
    expect(holderOf([take("a"), take("b")], new Set(["a"]))).toBe("b")
  })
})
