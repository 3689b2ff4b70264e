import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Turns } from "../../../src/telephony/carriers/Turns.ts"

const numbers = ["+14155550100", "+14155550101", null] as const

const asking = fc.array(fc.record({ after: fc.integer({ min: 0, max: 700 }), from: fc.constantFrom(...numbers) }), {
  minLength: 1,
  maxLength: 200,
})

interface Began {
  readonly at: number
  readonly from: string | null
}

const beginnings = (
  asked: ReadonlyArray<{ readonly after: number; readonly from: string | null }>,
  pace: ConstructorParameters<typeof Turns>[0],
  patienceMs: number,
): { began: ReadonlyArray<Began>; refused: number } => {
  const turns = new Turns(pace)
  const began: Array<Began> = []
  let refused = 0
  let now = 1_000_000
  for (const { after, from } of asked) {
    now += after
    const turn = turns.take(from, now, patienceMs)
    if (turn._tag === "Taken") began.push({ at: now + turn.waitMs, from })
    else refused += 1
  }
  return { began, refused }
}

const closest = (times: ReadonlyArray<number>): number =>
  Math.min(Infinity, ...times.slice(1).map((at, nth) => at - (times[nth] ?? 0)))

describe("the turns of a carrier", () => {
  it("are never closer than its pace and that of the caller ID, and in the order in which they were taken", () => {
    fc.assert(
      fc.property(asking, fc.constantFrom(1, 2, 5), fc.constantFrom(1, 3), (asked, callsPerSecond, ofNumber) => {
        for (const defaultNumber of [numbers[0], undefined]) {
          const pace = { callsPerSecond, callsPerSecondOfNumber: ofNumber }
          const { began } = beginnings(asked, defaultNumber === undefined ? pace : { ...pace, defaultNumber }, 4_000)
          expect(closest(began.map(({ at }) => at))).toBeGreaterThanOrEqual(1000 / callsPerSecond - 1e-6)
          // A call that names no number has one nevertheless: the carrier's own.
          for (const number of numbers) {
            const own = began.filter(({ from }) => (from ?? defaultNumber ?? null) === number).map(({ at }) => at)
            expect(closest(own)).toBeGreaterThanOrEqual(1000 / ofNumber - 1e-6)
          }
        }
      }),
    )
  })

  it("are all used while somebody asks: nobody who is refused costs one", () => {
    const everyTenMs = Array.from({ length: 1_000 }, () => ({ after: 10, from: null }))
    const { began, refused } = beginnings(everyTenMs, { callsPerSecond: 1 }, 4_000)
    const first = began[0]?.at ?? 0
    expect(refused).toBeGreaterThan(900)
    expect(began.map(({ at }) => at - first)).toEqual(began.map((_each, nth) => nth * 1_000))
    // Ten seconds of asking, and those who were let wait for the four that follow.
    expect(began.length).toBeGreaterThanOrEqual(14)
  })

  it("are as many as come where no pace is set", () => {
    const { began, refused } = beginnings(
      Array.from({ length: 50 }, () => ({ after: 0, from: null })),
      {},
      0,
    )
    expect(refused).toBe(0)
    expect(new Set(began.map(({ at }) => at)).size).toBe(1)
  })
})
