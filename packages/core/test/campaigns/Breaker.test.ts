import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { watchedCall, type WatchedCall } from "../../src/calls/rules/WatchedCall.ts"
import { callStatuses } from "../../src/calls/rules/CallStatus.ts"
import { Breakers } from "../../src/campaigns/Breakers.ts"
import { overrunOf, windowOf, writtenBreaker } from "../../src/campaigns/rules/Breaker.ts"
import { type Breaker, breakerRates, type BreakerSetting } from "../../src/campaigns/rules/BreakerSetting.ts"
import { Engine } from "../../src/Engine.ts"
import { sampleBreaker, sampleCall, sampleEpoch } from "../../src/testing/Samples.ts"
import { campaigning, type Campaigning, contactsOf, ending, numberOf } from "../../src/testing/world/Campaigning.ts"
import { caller, organizationId } from "../../src/testing/world/World.ts"

const minute = 60_000

const breaker = (changes: Partial<Breaker> = {}): Breaker => ({ ...sampleBreaker, ...changes })

const call = (changes: Partial<WatchedCall> = {}): WatchedCall => ({
  status: "completed",
  voicemail: false,
  duration_seconds: 60,
  ended_at: sampleEpoch,
  ...changes,
})

const times = (count: number, changes: Partial<WatchedCall>): ReadonlyArray<WatchedCall> =>
  Array.from({ length: count }, () => call(changes))

const calls = fc.array(
  fc.record({
    status: fc.constantFrom("completed" as const, "failed", "busy", "no-answer", "error", "call-disconnected"),
    voicemail: fc.boolean(),
    duration_seconds: fc.option(fc.nat(30)),
    ended_at: fc.integer({ min: sampleEpoch - minute, max: sampleEpoch + 20 * minute }),
  }),
  { maxLength: 30 },
)

const percent = fc.option(fc.nat(99))

const settings = fc.record({
  window_calls: fc.integer({ min: 1, max: 20 }),
  window_minutes: fc.option(fc.integer({ min: 1, max: 10 })),
  minimum_calls: fc.integer({ min: 1, max: 20 }),
  error_percent: percent,
  failed_percent: percent,
  short_call_percent: percent,
  voicemail_percent: percent,
})

describe("the rule of breakers", () => {
  const of = (setting: Partial<Breaker>, seen: ReadonlyArray<WatchedCall>) => overrunOf(breaker(setting), seen)?.rate

  it("pauses where more than so many of a hundred went like that, and not where just so many did", () => {
    const good = times(5, {})
    assert.isUndefined(of({ failed_percent: 50 }, [...good, ...times(5, { status: "busy" })]))
    assert.deepStrictEqual(
      overrunOf(breaker({ failed_percent: 50 }), [...good, ...times(6, { status: "no-answer" })]),
      {
        rate: "failed",
        calls: 11,
        counted: 6,
        percent: 50,
      },
    )
    assert.strictEqual(of({ failed_percent: 0 }, [...good, call({ status: "call-disconnected" })]), "failed")
  })

  it("knows errors from calls that nobody took, and short calls from voicemail", () => {
    const only = (rate: string) => ({ ...breaker(), failed_percent: null, [rate]: 10 })
    for (const status of ["error", "failed"] as const) {
      assert.strictEqual(of(only("error_percent"), times(5, { status })), "error")
    }
    for (const status of ["busy", "no-answer", "call-disconnected"] as const) {
      assert.isUndefined(of(only("error_percent"), times(5, { status })))
    }
    assert.strictEqual(of(only("short_call_percent"), times(5, { duration_seconds: 9 })), "short_call")
    assert.isUndefined(of(only("short_call_percent"), times(5, { duration_seconds: 10 })))
    assert.isUndefined(of(only("short_call_percent"), times(5, { duration_seconds: null })))
    assert.isUndefined(of(only("short_call_percent"), times(5, { duration_seconds: 1, voicemail: true })))
    assert.isUndefined(of(only("short_call_percent"), times(5, { duration_seconds: 0, status: "busy" })))
    assert.strictEqual(of(only("voicemail_percent"), times(5, { voicemail: true })), "voicemail")
  })

  it("decides by the last calls of its window alone, and by none before it has enough", () => {
    fc.assert(
      fc.property(settings, calls, (setting, seen) => {
        const asked = breaker(setting)
        const window = windowOf(asked, seen)
        const overrun = overrunOf(asked, seen)
        assert.deepStrictEqual(overrun, overrunOf(asked, window))
        const last = Math.max(...seen.map(({ ended_at }) => ended_at))
        for (const { ended_at } of window) {
          assert.isAtLeast(ended_at, asked.since)
          if (setting.window_minutes !== null) assert.isAtLeast(ended_at, last - setting.window_minutes * minute)
        }
        const oldest = Math.min(...window.map(({ ended_at }) => ended_at))
        const left = seen.filter((each) => !window.includes(each) && each.ended_at > oldest)
        assert.deepStrictEqual(left, [])
        assert.isAtMost(window.length, setting.window_calls)
        if (window.length < setting.minimum_calls) assert.isNull(overrun)
      }),
    )
  })

  it("never pauses more where a threshold is higher", () => {
    fc.assert(
      fc.property(settings, calls, fc.constantFrom(...breakerRates), fc.nat(99), (setting, seen, rate, more) => {
        const lower = breaker(setting)
        const name = `${rate}_percent` as const
        const before = lower[name]
        const higher = before === null ? null : Math.min(99, before + more)
        if (overrunOf({ ...lower, [name]: higher }, seen) !== null) assert.isNotNull(overrunOf(lower, seen))
      }),
    )
  })

  it("counts what was dialled and came to an end by itself", () => {
    const counted = callStatuses.filter(
      (status) => watchedCall(sampleCall("org_a", { status, watched: true, completed_at: 1 })) !== null,
    )
    assert.deepStrictEqual(counted, ["completed", "failed", "busy", "no-answer", "error", "call-disconnected"])
    assert.isNull(watchedCall(sampleCall("org_a", { status: "completed", completed_at: 1 })))
  })

  it("refuses a setting without a threshold, and one that waits for more calls than it looks at", () => {
    const refusal = (changes: Partial<Breaker>) => Result.getFailure(writtenBreaker(breaker(changes)))
    assert.deepNestedInclude(refusal({ failed_percent: null }), { "value._tag": "Malformed" })
    assert.deepNestedInclude(refusal({ minimum_calls: 21 }), {
      "value._tag": "InvalidField",
      "value.field": "minimum_calls",
    })
    assert.isTrue(Result.isSuccess(writtenBreaker(breaker({ minimum_calls: 20 }))))
  })
})

const setting: BreakerSetting = {
  window_calls: 10,
  window_minutes: null,
  minimum_calls: 4,
  failed_percent: 50,
  error_percent: null,
  short_call_percent: null,
  short_call_seconds: 10,
  voicemail_percent: null,
  resume_after_minutes: null,
}

const withBreakers = <A, E>(test: Campaigning, use: (breakers: Breakers["Service"]) => Effect.Effect<A, E>) =>
  test.world.run(Effect.flatMap(Breakers, use))

const set = (test: Campaigning, id: string, changes: Partial<BreakerSetting> = {}) =>
  withBreakers(test, (breakers) => breakers.set(caller, id, { ...setting, ...changes }))

const found = (test: Campaigning, id: string) => withBreakers(test, (breakers) => breakers.find(organizationId, id))

const steer = (test: Campaigning, id: string, verb: "pause" | "resume" | "cancel" | "revive") =>
  test.campaigns((campaigns) => campaigns[verb](caller, id))

const logOf = (test: Campaigning, id: string) =>
  Effect.map(
    test.campaigns((campaigns) => campaigns.log(organizationId, id, { page: 1, page_size: 100 })),
    ({ items }) => items.toReversed(),
  )

/** A campaign that calls one after the other, the first of them in vain. */
const failing = (vain: number) => {
  const inVain = new Set(contactsOf(vain).map(({ to_number }) => to_number))
  return campaigning(({ to_number }) => ending(inVain.has(to_number) ? "error" : "completed"))
}

const oneByOne = { max_concurrent_calls: 1, retry_policy: { max_retries: 0 } }

describe("a campaign with a breaker", () => {
  it.effect("pauses itself, says why, and stays so until it is resumed", () =>
    Effect.gen(function* () {
      const test = yield* failing(100)
      const { campaign_id } = yield* test.create(contactsOf(20), oneByOne)
      yield* set(test, campaign_id)
      yield* test.world.advance(60 * minute)
      assert.strictEqual((yield* test.find(campaign_id)).status, "paused")
      assert.lengthOf(test.calls(), 4)
      const { paused_reason, trip } = yield* found(test, campaign_id)
      assert.strictEqual(paused_reason, "breaker")
      assert.deepInclude(trip, { rate: "failed", calls: 4, counted: 4, percent: 50, resume_at: null })
      const entry = (yield* logOf(test, campaign_id)).at(-1)
      assert.deepInclude(entry, {
        event: "paused",
        level: "warning",
        message: "The campaign paused itself: 4 of its last 4 calls failed, and more than 50 % are too many.",
      })
      assert.deepInclude(entry?.details, { was: "active", status: "paused", reason: "breaker", resume_at: null })
      yield* steer(test, campaign_id, "resume")
      assert.deepInclude(yield* found(test, campaign_id), { paused_reason: null, trip: null })
      yield* test.world.advance(60 * minute)
      // What failed before it was resumed counts no more: it takes as many again.
      assert.lengthOf(test.calls(), 8)
      assert.strictEqual((yield* test.find(campaign_id)).status, "paused")
    }),
  )

  it.effect("goes on by itself after its time, and completes", () =>
    Effect.gen(function* () {
      const test = yield* failing(4)
      const { campaign_id } = yield* test.create(contactsOf(8), oneByOne)
      yield* set(test, campaign_id, { resume_after_minutes: 30 })
      yield* test.world.advance(20 * minute)
      const { trip } = yield* found(test, campaign_id)
      assert.strictEqual(trip?.resume_at, (trip?.at ?? 0) + 30 * minute)
      assert.strictEqual((yield* test.find(campaign_id)).status, "paused")
      yield* test.world.advance(15 * minute)
      assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
      const events = (yield* logOf(test, campaign_id)).map(({ details, event }) => [event, details["reason"]])
      assert.deepStrictEqual(events.slice(-3), [
        ["paused", "breaker"],
        ["resumed", "breaker"],
        ["completed", undefined],
      ])
    }),
  )

  it.effect("does not go on by itself once somebody has paused it by hand", () =>
    Effect.gen(function* () {
      const test = yield* failing(100)
      const { campaign_id } = yield* test.create(contactsOf(8), oneByOne)
      yield* set(test, campaign_id, { resume_after_minutes: 30 })
      yield* test.world.advance(20 * minute)
      assert.strictEqual((yield* test.find(campaign_id)).status, "paused")
      yield* steer(test, campaign_id, "pause")
      assert.deepInclude(yield* found(test, campaign_id), { paused_reason: "request", trip: null })
      const entry = (yield* logOf(test, campaign_id)).at(-1)
      assert.deepNestedInclude(entry, { event: "paused", "details.was": "paused" })
      yield* test.world.advance(120 * minute)
      assert.strictEqual((yield* test.find(campaign_id)).status, "paused")
    }),
  )

  it.effect("is left alone where it was paused, cancelled or is done meanwhile", () =>
    Effect.gen(function* () {
      const test = yield* failing(100)
      const { campaign_id } = yield* test.create(contactsOf(4), { ...oneByOne, max_concurrent_calls: 4 })
      yield* set(test, campaign_id, { resume_after_minutes: 30 })
      yield* test.world.advance(10_000)
      yield* steer(test, campaign_id, "pause")
      yield* test.world.advance(60 * minute)
      assert.strictEqual((yield* test.find(campaign_id)).status, "paused")
      assert.strictEqual((yield* found(test, campaign_id)).paused_reason, "request")
      yield* steer(test, campaign_id, "resume")
      yield* test.world.advance(60 * minute)
      assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
      assert.strictEqual((yield* found(test, campaign_id)).paused_reason, null)
    }),
  )

  it.effect("stays paused as its breaker is taken away, and obeys one that is set while calls are live", () =>
    Effect.gen(function* () {
      const test = yield* failing(100)
      const { campaign_id } = yield* test.create(contactsOf(12), { ...oneByOne, max_concurrent_calls: 2 })
      yield* test.world.advance(5_000)
      yield* set(test, campaign_id, { resume_after_minutes: 30 })
      yield* test.world.advance(20 * minute)
      // The two that were live as it was set do not count.
      assert.lengthOf(test.calls(), 6)
      assert.strictEqual((yield* test.find(campaign_id)).status, "paused")
      yield* withBreakers(test, (breakers) => breakers.remove(caller, campaign_id))
      const missing = yield* Effect.flip(withBreakers(test, (breakers) => breakers.remove(caller, campaign_id)))
      assert.strictEqual(missing._tag, "NotFound")
      yield* test.world.advance(120 * minute)
      assert.strictEqual((yield* test.find(campaign_id)).status, "paused")
    }),
  )

  it.effect("goes on at the time that a new setting says, and at once where that is over", () =>
    Effect.gen(function* () {
      const test = yield* failing(4)
      const { campaign_id } = yield* test.create(contactsOf(8), oneByOne)
      yield* set(test, campaign_id)
      yield* test.world.advance(20 * minute)
      assert.strictEqual((yield* test.find(campaign_id)).status, "paused")
      yield* set(test, campaign_id, { resume_after_minutes: 5 })
      yield* test.world.advance(10 * minute)
      assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
    }),
  )

  it.effect("counts retries like other calls, and a call of another campaign not at all", () =>
    Effect.gen(function* () {
      const test = yield* failing(2)
      const { campaign_id } = yield* test.create(contactsOf(2), {
        retry_policy: { max_retries: 5, respect_working_hours: false },
      })
      const other = yield* test.create([{ to_number: numberOf(50), variables: {} }])
      yield* set(test, campaign_id)
      yield* set(test, other.campaign_id)
      yield* test.world.advance(120 * minute)
      assert.strictEqual((yield* test.find(campaign_id)).status, "paused")
      assert.strictEqual((yield* test.find(other.campaign_id)).status, "completed")
      const own = test.calls().filter((each) => each.campaign_id === campaign_id)
      assert.lengthOf(own, 4)
    }),
  )

  it.effect("looks again when all wake-ups were lost", () =>
    Effect.gen(function* () {
      const test = yield* failing(4)
      const { campaign_id } = yield* test.create(contactsOf(8), oneByOne)
      yield* set(test, campaign_id, { resume_after_minutes: 30 })
      yield* test.world.advance(20 * minute)
      assert.strictEqual((yield* test.find(campaign_id)).status, "paused")
      test.world.tables.wakeups.clearAll()
      yield* test.world.run(Effect.flatMap(Engine, (engine) => Effect.orDie(engine.rebuildWakeups)))
      yield* test.world.advance(30 * minute)
      assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
    }),
  )

  it.effect("is not set where the campaign cannot be edited", () =>
    Effect.gen(function* () {
      const test = yield* failing(0)
      const { campaign_id } = yield* test.create(contactsOf(1))
      yield* steer(test, campaign_id, "cancel")
      assert.strictEqual((yield* Effect.flip(set(test, campaign_id)))._tag, "StateConflict")
      assert.strictEqual((yield* Effect.flip(set(test, "cmp_none")))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(found(test, campaign_id)))._tag, "NotFound")
    }),
  )
})
