import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  type CountedHit,
  deniedUntil,
  emptyWindow,
  hit,
  peek,
  type RateHit,
  windowMs,
  type WindowState,
} from "../../src/limits/rules/SlidingWindow.ts"

/**
 * The slow judge: it knows nothing of rolling counters, only how many requests each minute admitted, and evaluates the
 * specification's formula as an exact fraction `estimate = numerator / 60`, in seconds with three decimals written as integers.
 */
class Minutes {
  readonly admitted = new Map<number, bigint>()

  static of(state: WindowState): Minutes {
    const minutes = new Minutes()
    minutes.admitted.set(state.window, BigInt(state.current))
    minutes.admitted.set(state.window - 1, BigInt(state.previous))
    return minutes
  }

  /** `previous_count * (60 - seconds_into_current) / 60 + current_count`, times 60000. */
  estimate(nowMs: number): bigint {
    const minute = Math.floor(nowMs / 60_000)
    const msInto = BigInt(nowMs - minute * 60_000)
    const previous = this.admitted.get(minute - 1) ?? 0n
    const current = this.admitted.get(minute) ?? 0n
    return previous * (60_000n - msInto) + current * 60_000n
  }

  passes(limit: number, nowMs: number): boolean {
    return this.estimate(nowMs) < BigInt(limit) * 60_000n
  }

  count(nowMs: number): void {
    const minute = Math.floor(nowMs / 60_000)
    this.admitted.set(minute, (this.admitted.get(minute) ?? 0n) + 1n)
  }

  remaining(limit: number, nowMs: number): number {
    const room = BigInt(limit) * 60_000n - this.estimate(nowMs)
    return room <= 0n ? 0 : Number(room / 60_000n)
  }

  /** Tries every second of a minute in turn. */
  retryAfter(limit: number, nowMs: number): number {
    for (let second = 1; second <= 60; second++) if (this.passes(limit, nowMs + second * 1000)) return second
    return 60
  }
}

const start = 28_000_000 * windowMs

const msIntoWindow = fc.oneof(fc.nat({ max: windowMs - 1 }), fc.constantFrom(0, 1, 999, 1000, 1001, 59_000, 59_999))
const count = fc.oneof(fc.nat({ max: 12 }), fc.nat({ max: 3000 }))
const limitOf = fc.oneof(
  fc.integer({ min: 1, max: 12 }),
  fc.integer({ min: 1, max: 3000 }),
  fc.constantFrom(20, 600, 1000),
)
const moment = fc.record({
  state: fc.record({ window: fc.constant(start / windowMs), current: count, previous: count }),
  now: fc
    .tuple(msIntoWindow, fc.constantFrom(0, 0, 0, 1, 2, 7))
    .map(([ms, windows]) => start + windows * windowMs + ms),
  limit: limitOf,
})
const refusedMoment = moment.filter(({ state, now, limit }) => !Minutes.of(state).passes(limit, now))

const figures = ({ allowed, remaining, resetSeconds, retryAfterSeconds }: RateHit): RateHit => ({
  allowed,
  remaining,
  resetSeconds,
  retryAfterSeconds,
})

describe("hit", () => {
  it("equals the formula to the integer over any history", () => {
    const gap = fc.oneof(
      { weight: 6, arbitrary: fc.nat({ max: 3000 }) },
      { weight: 2, arbitrary: fc.nat({ max: 70_000 }) },
      { weight: 1, arbitrary: fc.constantFrom(0, 1, 59_999, 60_000, 60_001, 120_000, 600_000) },
    )
    const arrivals = fc.array(fc.record({ gap, limit: fc.constantFrom(1, 2, 3, 5, 8) }), {
      minLength: 1,
      maxLength: 80,
    })
    fc.assert(
      fc.property(fc.constantFrom(0, start), msIntoWindow, arrivals, (first, ms, all) => {
        const judge = new Minutes()
        let state = emptyWindow
        let now = first + ms
        for (const { gap: ahead, limit } of all) {
          now += ahead
          const passes = judge.passes(limit, now)
          const retryAfter = passes ? 0 : judge.retryAfter(limit, now)
          if (passes) judge.count(now)
          const answer: CountedHit = hit(state, limit, now)
          assert.deepEqual(figures(answer), {
            allowed: passes,
            remaining: judge.remaining(limit, now),
            resetSeconds: Math.ceil((60_000 - (now % 60_000)) / 1000),
            retryAfterSeconds: retryAfter,
          })
          state = answer.state
        }
      }),
      { numRuns: 200 },
    )
  })

  it("equals the formula from any counters, also above a ceiling that was lowered", () => {
    fc.assert(
      fc.property(moment, ({ state, now, limit }) => {
        const judge = Minutes.of(state)
        const passes = judge.passes(limit, now)
        const retryAfter = passes ? 0 : judge.retryAfter(limit, now)
        if (passes) judge.count(now)
        const answer = hit(state, limit, now)
        assert.strictEqual(answer.allowed, passes)
        assert.strictEqual(answer.remaining, judge.remaining(limit, now))
        assert.strictEqual(answer.retryAfterSeconds, retryAfter)
        const later = now + 17
        assert.strictEqual(Minutes.of(answer.state).estimate(later), judge.estimate(later))
      }),
      { numRuns: 2000 },
    )
  })

  it("consumes nothing when it refuses", () => {
    fc.assert(
      fc.property(refusedMoment, fc.nat({ max: 200_000 }), ({ state, now, limit }, ahead) => {
        assert.deepEqual(peek(hit(state, limit, now).state, limit, now + ahead), peek(state, limit, now + ahead))
      }),
    )
  })

  it("lets exactly the ceiling through in a fresh window, and then says when the next one passes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 700 }), msIntoWindow, (limit, ms) => {
        let state = emptyWindow
        for (let nth = 1; nth <= limit; nth++) {
          const answer = hit(state, limit, start + ms)
          assert.isTrue(answer.allowed)
          assert.strictEqual(answer.remaining, limit - nth)
          state = answer.state
        }
        assert.isFalse(hit(state, limit, start + ms).allowed)
      }),
      { numRuns: 30 },
    )
  })

  it("admits at most the ceiling per aligned minute, and at most twice that in any minute", () => {
    const burst = fc.record({
      gap: fc.oneof(fc.nat({ max: 2000 }), fc.nat({ max: 30_000 })),
      size: fc.integer({ min: 1, max: 9 }),
    })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        msIntoWindow,
        fc.array(burst, { maxLength: 40 }),
        (limit, ms, bursts) => {
          let state = emptyWindow
          let now = start + ms
          const admitted: Array<number> = []
          for (const { gap, size } of bursts) {
            now += gap
            for (let nth = 0; nth < size; nth++) {
              const answer = hit(state, limit, now)
              state = answer.state
              if (answer.allowed) admitted.push(now)
            }
          }
          for (const first of admitted) {
            const minute = Math.floor(first / windowMs)
            assert.isAtMost(admitted.filter((at) => Math.floor(at / windowMs) === minute).length, limit)
            assert.isAtMost(admitted.filter((at) => at >= first && at < first + windowMs).length, 2 * limit)
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  it("can admit twice the ceiling in a minute that is not aligned: a burst at the end of one, then all that the next gives", () => {
    const limit = 20
    const first = start + windowMs - 1
    let state: WindowState = { window: start / windowMs, current: limit, previous: 0 }
    let second = 0
    for (let now = deniedUntil(state, limit, first); now < first + windowMs; now = deniedUntil(state, limit, now)) {
      state = hit(state, limit, now).state
      second++
    }
    assert.strictEqual(second, limit)
  })

  it("admits the ceiling in every minute under steady demand above it", () => {
    let state = emptyWindow
    const perMinute: Array<number> = []
    for (let minute = 0; minute < 6; minute++) {
      let passed = 0
      for (let ms = 0; ms < windowMs; ms += 500) {
        const answer = hit(state, 20, start + minute * windowMs + ms)
        state = answer.state
        if (answer.allowed) passed++
      }
      perMinute.push(passed)
    }
    assert.strictEqual(perMinute[0], 20)
    for (const passed of perMinute) assert.isAtMost(passed, 20)
    assert.isAtLeast(Math.min(...perMinute), 19)
  })

  it("keeps what it counted when the clock falls back", () => {
    fc.assert(
      fc.property(moment, fc.integer({ min: 1, max: 200_000 }), ({ state, limit }, back) => {
        const early = state.window * windowMs - back
        const atStart = peek(state, limit, state.window * windowMs)
        const answer = hit(state, limit, early)
        assert.strictEqual(answer.allowed, atStart.allowed)
        assert.strictEqual(answer.state.window, state.window)
        assert.strictEqual(answer.state.current, state.current + (answer.allowed ? 1 : 0))
        assert.strictEqual(answer.resetSeconds, 60)
        if (!answer.allowed) assert.isTrue(answer.retryAfterSeconds >= 1 && answer.retryAfterSeconds <= 60)
      }),
    )
  })
})

describe("peek", () => {
  it("is what a hit would find, and counts nothing", () => {
    fc.assert(
      fc.property(moment, ({ state, now, limit }) => {
        const seen = peek(state, limit, now)
        const answer = hit(state, limit, now)
        assert.strictEqual(seen.allowed, answer.allowed)
        assert.strictEqual(seen.resetSeconds, answer.resetSeconds)
        assert.strictEqual(seen.retryAfterSeconds, answer.retryAfterSeconds)
        assert.strictEqual(seen.remaining, Minutes.of(state).remaining(limit, now))
      }),
    )
  })

  it("reports the full ceiling where nothing was counted", () => {
    assert.deepEqual(peek(emptyWindow, 600, start + 15_500), {
      allowed: true,
      remaining: 600,
      resetSeconds: 45,
      retryAfterSeconds: 0,
    })
  })
})

describe("deniedUntil", () => {
  it("is the first millisecond that passes, and a minute's retry-after is its whole seconds", () => {
    fc.assert(
      fc.property(
        refusedMoment,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
        ({ state, now, limit }, samples) => {
          const judge = Minutes.of(state)
          const until = deniedUntil(state, limit, now)
          assert.isTrue(Number.isInteger(until) && until > now)
          assert.isTrue(judge.passes(limit, until))
          assert.isTrue(hit(state, limit, until).allowed)
          assert.isFalse(judge.passes(limit, until - 1))
          for (const share of samples) {
            const between = now + Math.floor((until - 1 - now) * share)
            assert.isFalse(judge.passes(limit, between))
            assert.strictEqual(deniedUntil(state, limit, between), until)
          }
          const seconds = Math.ceil((until - now) / 1000)
          assert.strictEqual(peek(state, limit, now).retryAfterSeconds, Math.min(60, seconds))
        },
      ),
      { numRuns: 1000 },
    )
  })

  it("is found by trying every millisecond", () => {
    const state: WindowState = { window: start / windowMs, current: 7, previous: 11 }
    for (const limit of [3, 7, 8, 11, 12, 18]) {
      const now = start + 20
      const judge = Minutes.of(state)
      let brute = now
      while (!judge.passes(limit, brute)) brute++
      assert.strictEqual(deniedUntil(state, limit, now), brute)
    }
  })

  it("is now while there is room", () => {
    fc.assert(
      fc.property(moment, ({ state, now, limit }) => {
        fc.pre(Minutes.of(state).passes(limit, now))
        assert.strictEqual(deniedUntil(state, limit, now), now)
      }),
    )
  })

  it("never comes under a ceiling of zero", () => {
    assert.strictEqual(deniedUntil(emptyWindow, 0, start), Number.POSITIVE_INFINITY)
    const refused = { allowed: false, remaining: 0, resetSeconds: 60, retryAfterSeconds: 60 }
    assert.deepEqual(figures(hit(emptyWindow, 0, start)), refused)
  })
})

describe("the figures that the documents name", () => {
  it("asks for a minute where no second within it would do", () => {
    const full: WindowState = { window: start / windowMs, current: 600, previous: 0 }
    assert.strictEqual(deniedUntil(full, 600, start), start + windowMs + 1)
    assert.strictEqual(hit(full, 600, start).retryAfterSeconds, 60)
    assert.strictEqual(hit(full, 600, start + 1).retryAfterSeconds, 60)
    assert.strictEqual(hit(full, 600, start + 59_999).retryAfterSeconds, 1)
  })

  it("passes at the smallest fraction below the ceiling, and not at the ceiling", () => {
    // 7 × 42857 / 60000 is 1 / 60000 short of 5.
    const state: WindowState = { window: start / windowMs, current: 0, previous: 7 }
    for (const decide of [hit, peek]) {
      assert.isFalse(decide(state, 5, start + 17_142).allowed)
      assert.isTrue(decide(state, 5, start + 17_143).allowed)
    }
    // 6 × 50000 / 60000 is 5.
    const even: WindowState = { window: start / windowMs, current: 0, previous: 6 }
    for (const decide of [hit, peek]) {
      assert.isFalse(decide(even, 5, start + 10_000).allowed)
      assert.isTrue(decide(even, 5, start + 10_001).allowed)
    }
  })

  it("weights the previous minute by its remaining overlap", () => {
    // 600 × (60 − 15) / 60 + 100 = 550
    const state: WindowState = { window: start / windowMs, current: 100, previous: 600 }
    assert.strictEqual(peek(state, 600, start + 15_000).remaining, 50)
    assert.strictEqual(hit(state, 600, start + 15_000).remaining, 49)
  })
})
