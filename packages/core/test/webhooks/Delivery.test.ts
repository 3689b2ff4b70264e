import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  begun,
  ended,
  givenUp,
  isFinished,
  lostAttempt,
  newDelivery,
  outcomeOf,
} from "../../src/webhooks/rules/Delivery.ts"
import { healthAfter, routesOf, type Subscription, untriedEndpoint } from "../../src/webhooks/rules/Subscription.ts"
import { eventIdOf } from "../../src/webhooks/rules/WebhookEvent.ts"
import { sampleSubscription } from "../../src/testing/Samples.ts"

const fresh = () =>
  newDelivery(
    {
      delivery_id: "dlv_1",
      organization_id: "org_1",
      event_id: "evt_1",
      event_type: "call_completed",
      subscription_id: "sub_1",
      agent_id: "agt_1",
      execution_id: "exec_1",
      body_bytes: 2,
    },
    1_000,
  )

const dispatch = { callback_host: "h", method_type: "POST", signed: true } as const

const outcome = fc.oneof(
  fc.integer({ min: 100, max: 599 }).map((http_status) => outcomeOf({ _tag: "Answered", http_status })),
  fc
    .constantFrom("dns_error" as const, "timeout" as const)
    .map((error_class) => outcomeOf({ _tag: "Failed", error_class })),
  fc.constant(outcomeOf({ _tag: "Refused" })),
  fc.constant(lostAttempt),
)

describe("a delivery", () => {
  it("has attempts 1 to 4 without gaps, each when it is due and after the one before, and ends at the first 2xx", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(outcome, fc.nat(30_000), fc.nat(5_000)), { minLength: 8, maxLength: 8 }),
        (tries) => {
          let delivery = fresh()
          let now = 1_000
          let first: number | null = null
          for (const [result, took, late] of tries) {
            if (delivery.due_at === null) break
            assert.isFalse(isFinished(delivery))
            now = Math.max(now, delivery.due_at) + late
            first ??= now
            const under = begun(delivery, dispatch, now)
            assert.isAbove(under.due_at ?? 0, now + 30_000)
            const end = now + took
            if (under.sending === null) return assert.fail("nothing is under way")
            delivery = ended(under, under.sending, result, end)
            now = end
            const offsets = [0, 5_000, 30_000, 90_000]
            const next = offsets[delivery.attempts.length]
            if (result.error_class === null) assert.strictEqual(delivery.status, "delivered")
            else if (next === undefined) assert.strictEqual(delivery.status, "failed")
            else assert.strictEqual(delivery.due_at, Math.max(end, first + next))
          }
          assert.isTrue(isFinished(delivery))
          assert.isNull(delivery.due_at)
          assert.isAtMost(delivery.attempts.length, 4)
          assert.deepStrictEqual(
            delivery.attempts.map(({ attempt }) => attempt),
            delivery.attempts.map((_, index) => index + 1),
          )
          const successes = delivery.attempts.filter(({ error_class }) => error_class === null)
          assert.isAtMost(successes.length, 1)
          assert.strictEqual(delivery.status === "delivered", successes.length === 1)
        },
      ),
    )
  })

  it("whose every attempt takes its thirty seconds is over in two minutes", () => {
    let delivery = fresh()
    for (let now = 1_000; delivery.due_at !== null;) {
      now = delivery.due_at
      const under = begun(delivery, dispatch, now)
      if (under.sending === null) return assert.fail("nothing is under way")
      delivery = ended(under, under.sending, outcomeOf({ _tag: "Failed", error_class: "timeout" }), now + 30_000)
    }
    const last = delivery.attempts.at(-1)
    assert.strictEqual((last?.started_at ?? 0) + (last?.duration_ms ?? 0) - 1_000, 120_000)
  })

  it("that is given up says why", () => {
    assert.deepInclude(givenUp(fresh(), "The subscription was deleted."), {
      status: "failed",
      error_message: "The subscription was deleted.",
      due_at: null,
    })
  })
})

describe("event ids", () => {
  it("are a function of call, type and sequence, and of nothing else", () => {
    assert.strictEqual(eventIdOf("exec_1", "call_completed", 1), eventIdOf("exec_1", "call_completed", 1))
    assert.match(eventIdOf("exec_1", "call_completed", 1), /^evt_[0-9a-hjkmnp-tv-z]{22}$/)
    const ids = ["exec_1", "exec_2"].flatMap((id) =>
      (["call_completed", "call_started"] as const).flatMap((type) => [1, 2].map((n) => eventIdOf(id, type, n))),
    )
    assert.strictEqual(new Set(ids).size, 8)
  })
})

describe("routes", () => {
  const own = (changes: Partial<Subscription>) => sampleSubscription("org_1", "agt_1", changes)
  const routes = (list: ReadonlyArray<Subscription>, fallback: Subscription | null, url: string | null) =>
    routesOf({ own: list, fallback }, url, "all_processing_completed").map(({ subscription_id }) => subscription_id)

  it("go to every own subscription that lists the event, and fall through only where there is none at all", () => {
    const a = own({ subscription_id: "a" })
    const b = own({ subscription_id: "b" })
    const deaf = own({ subscription_id: "c", event_types: ["call_started"] })
    const off = own({ subscription_id: "d", enabled: false })
    const fallback = sampleSubscription("org_1", null, { subscription_id: "f" })
    const url = "https://hooks.example.com"
    assert.deepStrictEqual(routes([a, deaf, b, off], fallback, url), ["a", "b"])
    assert.deepStrictEqual(routes([deaf], fallback, url), [])
    assert.deepStrictEqual(routes([off], fallback, url), [])
    assert.deepStrictEqual(routes([], fallback, url), ["f"])
    assert.deepStrictEqual(routes([], { ...fallback, enabled: false }, url), [])
    assert.deepStrictEqual(routes([], null, url), [null])
    assert.deepStrictEqual(routes([], null, null), [])
    assert.deepStrictEqual(routesOf({ own: [], fallback: null }, url, "call_completed"), [])
  })
})

describe("the health of an endpoint", () => {
  it("fails since the first failure after the last success", () => {
    const failure = (at: number) => ({ at, http_status: 500, error_class: "http_error" as const })
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 10 }), (successes) => {
        const health = successes.reduce(
          (before, ok, at) => healthAfter(before, { at, failure: ok ? null : failure(at) }),
          untriedEndpoint,
        )
        const since = successes.lastIndexOf(true) + 1
        assert.strictEqual(health.failing_since, since < successes.length ? since : null)
        const last = successes.lastIndexOf(false)
        assert.strictEqual(health.last_failure?.at ?? -1, last)
      }),
    )
  })
})
