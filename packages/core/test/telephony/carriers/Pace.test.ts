import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Calling, Turns, type Waiting } from "../../../src/telephony/carriers/rules/Turns.ts"

const numbers = ["+14155550100", "+14155550101", null] as const
const poolNames = ["east", "west", null] as const
const organizations = ["org_a", "org_b", "org_c"] as const

interface Asked extends Calling {
  readonly after: number
}

const asking = fc.array(
  fc.record({
    after: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 700 })),
    organization_id: fc.constantFrom(...organizations),
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

/** Some of those who asked wait for their turn, as time goes on. */
class Waits {
  readonly began: Array<Began> = []
  gaveUp = 0
  now = 1_000_000
  readonly #turns: Turns
  readonly #waiting = new Map<Waiting, Calling>()

  constructor(...pace: ConstructorParameters<typeof Turns>) {
    this.#turns = new Turns(...pace)
  }

  /** Says whether somebody may wait for a turn, which may be at once. */
  ask(calling: Calling): boolean {
    const place = this.#turns.ask(calling, this.now, patienceMs)
    if (place._tag === "TooLong") expect(place.waitMs).toBeGreaterThan(0)
    else this.#waiting.set(place.waiting, calling)
    return place._tag === "Waits"
  }

  /** Lets turns begin, each at its time, and those give up who have waited for long enough. */
  until(then: number): void {
    for (let next = this.#begin(); next !== null && next <= then; next = this.#begin()) {
      this.now = Math.max(next, this.now)
      for (const waiting of this.#waiting.keys()) if (waiting.since + patienceMs < this.now) this.#giveUp(waiting)
    }
    this.now = then
  }

  #begin(): number | null {
    const next = this.#turns.begin(this.now)
    for (const [waiting, calling] of this.#waiting) {
      if (!waiting.hasTurn) continue
      this.#waiting.delete(waiting)
      this.began.push({ ...calling, asked: waiting.since, at: this.now })
    }
    return next
  }

  #giveUp(waiting: Waiting): void {
    this.#waiting.delete(waiting)
    this.#turns.leave(waiting)
    this.gaveUp += 1
  }
}

const beginnings = (
  asked: ReadonlyArray<Asked>,
  ...pace: ConstructorParameters<typeof Turns>
): { began: ReadonlyArray<Began>; refused: number; gaveUp: number } => {
  const waits = new Waits(...pace)
  let refused = 0
  for (const { after, ...calling } of asked) {
    waits.until(waits.now + after)
    if (!waits.ask(calling)) refused += 1
  }
  waits.until(waits.now + 2 * patienceMs)
  const { began, gaveUp } = waits
  // In the order in which they asked.
  return { began: began.toSorted((one, other) => one.asked - other.asked), refused, gaveUp }
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

const calling: Calling = { organization_id: "org_a", from_number: null, pool: null }

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
        for (const own of Map.groupBy(began, (one) => `${one.organization_id} ${numberOf(one)} ${one.pool}`).values()) {
          expect(inOrder(own), "of one organization, whoever came first has the first turn").toBe(true)
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
      ...Array.from({ length: 5 }, () => ({ ...calling, after: 0, from_number: "+14155550100", pool: "east" })),
      ...Array.from({ length: 5 }, (_each, nth) => ({ ...calling, after: 0, from_number: `+1415555020${nth}` })),
    ]
    for (const pace of [
      { callsPerSecond: 10, callsPerSecondOfNumber: 1 },
      { callsPerSecond: 10, pools: { callsPerSecond: 1, of: () => null } },
    ]) {
      const { began } = beginnings(asked, pace)
      const of = (first: boolean) =>
        began.filter(({ from_number }) => (from_number === "+14155550100") === first).map(({ at }) => at - 1_000_000)
      expect([...of(true), ...of(false)]).toEqual([0, 1_000, 2_000, 3_000, 4_000, 100, 200, 300, 400, 500])
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
          asked.map(({ after, nth }) => ({ ...calling, after, from_number: `+1415555010${nth}` })),
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

describe("the turns of a carrier that organizations share", () => {
  const callsPerSecond = 10
  const interval = 1000 / callsPerSecond
  const busyOrganizations = Array.from({ length: 8 }, (_each, nth) => `org_busy_${nth}`)

  it("come to one with a single call after one turn of each other organization, whatever these do", () => {
    const others = fc.record({
      after: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 150 })),
      organization_id: fc.constantFrom(...busyOrganizations, "org_small"),
      burst: fc.integer({ min: 1, max: 60 }),
    })
    fc.assert(
      fc.property(fc.array(others, { minLength: 1, maxLength: 80 }), fc.boolean(), (asked, isPool) => {
        const waits = new Waits(isPool ? { pools: { callsPerSecond, of: () => null } } : { callsPerSecond })
        let smallBegan = 0
        let smallAsked = 0
        for (const { after, burst, organization_id } of asked) {
          waits.until(waits.now + after)
          const call = { organization_id, from_number: null, pool: "all" }
          const isSmall = organization_id === "org_small"
          smallBegan = waits.began.filter((one) => one.organization_id === "org_small").length
          if (!isSmall) for (let nth = 0; nth < burst; nth++) waits.ask(call)
          else if (smallBegan === smallAsked) {
            expect(waits.ask(call), "it is never refused").toBe(true)
            smallAsked += 1
          }
        }
        waits.until(waits.now + patienceMs)
        const small = waits.began.filter((one) => one.organization_id === "org_small")
        expect(small.length).toBe(smallAsked)
        for (const { asked: then, at } of small) {
          // The turn that has just begun, and one of each.
          expect(at - then).toBeLessThanOrEqual((busyOrganizations.length + 1) * interval + 1e-6)
        }
      }),
    )
  })

  it("are delayed for nobody by those of another organization that come after it, also where it waits for its number and its pool", () => {
    const pace = { callsPerSecond, callsPerSecondOfNumber: 1, pools: { callsPerSecond: 1, of: () => null } }
    const waits = new Waits(pace)
    const shared = { from_number: null, pool: "all" }
    waits.ask({ ...shared, organization_id: "org_number", pool: null })
    waits.until(waits.now + 500)
    waits.ask({ ...shared, organization_id: "org_pool", from_number: "+14155550100" })
    waits.ask({ ...shared, organization_id: "org_small" })
    // Whenever one of the two is free, others want it.
    for (let nth = 0; nth < 30; nth++) {
      waits.until(waits.now + 100)
      waits.ask({ ...shared, organization_id: "org_number", pool: null })
      waits.ask({ ...shared, organization_id: "org_pool", from_number: `+141555502${nth}` })
    }
    const small = waits.began.find((one) => one.organization_id === "org_small")
    expect((small?.at ?? Infinity) - (small?.asked ?? 0)).toBeLessThanOrEqual(1_000)
  })

  it("are as many as one alone would have, and the same for all who want many", () => {
    const seconds = 30
    for (const greedy of [1, 2, 3]) {
      const waits = new Waits({ callsPerSecond })
      const began = waits.now
      for (let nth = 0; nth < seconds * 100; nth++) {
        waits.until(waits.now + 10)
        // The first asks a hundred times in a second, the others twelve times, which is more than the whole as well.
        waits.ask({ ...calling, organization_id: "org_0" })
        for (let other = 1; other < greedy; other++) {
          if (nth % 8 === 0) waits.ask({ ...calling, organization_id: `org_${other}` })
        }
      }
      const during = waits.began.filter(({ at }) => at < began + seconds * 1_000)
      expect(during.length).toBeGreaterThanOrEqual(seconds * callsPerSecond - 1)
      for (const own of Map.groupBy(during, (one) => one.organization_id).values()) {
        expect(own.length).toBeGreaterThanOrEqual((seconds * callsPerSecond) / greedy - callsPerSecond * 4)
      }
      // Those who are over their share are told so when they ask; only whom newcomers came before may have waited in vain.
      expect(waits.gaveUp).toBeLessThanOrEqual(greedy === 1 ? 0 : callsPerSecond * 4)
    }
  })
})
