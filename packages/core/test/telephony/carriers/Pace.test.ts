import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Calling, Turns } from "../../../src/telephony/carriers/Turns.ts"

const numbers = ["+14155550100", "+14155550101", null] as const
const poolNames = ["east", "west", null] as const

interface Asked extends Calling {
  readonly after: number
}

const asking = fc.array(
  fc.record({
    after: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 700 })),
    from_number: fc.constantFrom(...numbers),
    pool: fc.constantFrom(...poolNames),
  }),
  { minLength: 1, maxLength: 200 },
)

interface Began extends Calling {
  readonly asked: number
  readonly at: number
}

const patienceMs = 4_000

const beginnings = (
  asked: ReadonlyArray<Asked>,
  pace: ConstructorParameters<typeof Turns>[0],
  eachMax?: number,
): { began: ReadonlyArray<Began>; refused: number } => {
  const turns = new Turns(pace, eachMax)
  const began: Array<Began> = []
  let refused = 0
  let now = 1_000_000
  for (const { after, ...calling } of asked) {
    now += after
    const turn = turns.take(calling, now, patienceMs)
    if (turn._tag === "Taken") began.push({ ...calling, asked: now, at: now + turn.waitMs })
    else refused += 1
  }
  return { began, refused }
}

const timesOf = (began: ReadonlyArray<Began>): ReadonlyArray<number> =>
  began.map(({ at }) => at).toSorted((one, other) => one - other)

const closest = (times: ReadonlyArray<number>): number =>
  Math.min(Infinity, ...times.slice(1).map((at, nth) => at - (times[nth] ?? 0)))

/** The most that begin in any second. */
const mostInASecond = (times: ReadonlyArray<number>): number =>
  Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + 1000 - 1e-6).length))

const inOrder = (began: ReadonlyArray<Began>): boolean =>
  began.every(({ at }, nth) => nth === 0 || at >= (began[nth - 1]?.at ?? 0))

const calling: Calling = { from_number: null, pool: null }

describe("the turns of a carrier", () => {
  it("are never closer than its pace, that of the caller ID and that of the pool; nobody waits beyond their patience", () => {
    const rates = fc.record({
      callsPerSecond: fc.constantFrom(1, 2, 5, undefined),
      ofNumber: fc.constantFrom(1, 3, 0.5, undefined),
      ofPool: fc.constantFrom(1, 2, 4, undefined),
      defaultNumber: fc.constantFrom(numbers[0], undefined),
    })
    fc.assert(
      fc.property(asking, rates, (asked, { callsPerSecond, defaultNumber, ofNumber, ofPool }) => {
        const { began } = beginnings(asked, {
          ...(callsPerSecond === undefined ? {} : { callsPerSecond }),
          ...(ofNumber === undefined ? {} : { callsPerSecondOfNumber: ofNumber }),
          ...(defaultNumber === undefined ? {} : { defaultNumber }),
          ...(ofPool === undefined ? {} : { pools: { callsPerSecond: ofPool, of: () => null } }),
        })
        const kept = (own: ReadonlyArray<Began>, perSecond: number | undefined) => {
          if (perSecond === undefined) return
          expect(closest(timesOf(own))).toBeGreaterThanOrEqual(1000 / perSecond - 1e-6)
          expect(mostInASecond(timesOf(own))).toBeLessThanOrEqual(Math.ceil(perSecond))
        }
        kept(began, callsPerSecond)
        // A call that names no number has one nevertheless: the carrier's own.
        const numberOf = ({ from_number }: Calling) => from_number ?? defaultNumber ?? null
        for (const own of Map.groupBy(began, numberOf).values()) kept(own, ofNumber)
        for (const [pool, own] of Map.groupBy(began, (one) => one.pool)) if (pool !== null) kept(own, ofPool)
        for (const own of Map.groupBy(began, (one) => `${numberOf(one)} ${one.pool}`).values()) {
          expect(inOrder(own), "whoever came first has the first turn").toBe(true)
        }
        for (const { asked: then, at } of began) {
          expect(at).toBeGreaterThanOrEqual(then)
          expect(at).toBeLessThanOrEqual(then + patienceMs)
        }
      }),
    )
  })

  it("are all used while somebody asks: nobody who is refused costs one", () => {
    const everyTenMs = Array.from({ length: 1_000 }, () => ({ ...calling, after: 10 }))
    const { began, refused } = beginnings(everyTenMs, { callsPerSecond: 1 })
    const first = began[0]?.at ?? 0
    expect(refused).toBeGreaterThan(900)
    expect(began.map(({ at }) => at - first)).toEqual(began.map((_each, nth) => nth * 1_000))
    // Ten seconds of asking, and those who were let wait for the four that follow.
    expect(began.length).toBeGreaterThanOrEqual(14)
  })

  it("are left to others by whoever has to wait for their number or their pool", () => {
    const asked = [
      ...Array.from({ length: 5 }, () => ({ after: 0, from_number: "+14155550100", pool: "east" })),
      ...Array.from({ length: 5 }, (_each, nth) => ({ after: 0, from_number: `+1415555020${nth}`, pool: null })),
    ]
    for (const pace of [
      { callsPerSecond: 10, callsPerSecondOfNumber: 1 },
      { callsPerSecond: 10, pools: { callsPerSecond: 1, of: () => null } },
    ]) {
      const { began } = beginnings(asked, pace)
      expect(began.map(({ at }) => at - 1_000_000)).toEqual([0, 1_000, 2_000, 3_000, 4_000, 100, 200, 300, 400, 500])
    }
  })

  it("are as many as come where no pace is set", () => {
    const { began, refused } = beginnings(
      Array.from({ length: 50 }, () => ({ ...calling, after: 0 })),
      {},
    )
    expect(refused).toBe(0)
    expect(new Set(began.map(({ at }) => at)).size).toBe(1)
  })

  it("are remembered of so many numbers at once; one more waits until the first of them is forgotten", () => {
    const many = fc.array(fc.record({ after: fc.integer({ min: 0, max: 400 }), nth: fc.nat({ max: 9 }) }), {
      minLength: 1,
      maxLength: 100,
    })
    fc.assert(
      fc.property(many, fc.constantFrom(1, 2), (asked, callsPerSecondOfNumber) => {
        const { began } = beginnings(
          asked.map(({ after, nth }) => ({ after, from_number: `+1415555010${nth}`, pool: null })),
          { callsPerSecondOfNumber },
          3,
        )
        expect(began.length).toBeGreaterThan(0)
        for (const own of Map.groupBy(began, ({ from_number }) => from_number).values()) {
          expect(closest(timesOf(own))).toBeGreaterThanOrEqual(1000 / callsPerSecondOfNumber - 1e-6)
        }
      }),
    )
  })
})
