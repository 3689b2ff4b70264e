import { assert, describe, it } from "@effect/vitest"
import { Subscriptions, WebhookExplainer } from "@carillon/core"
import { Effect, Exit } from "effect"
import * as fc from "fast-check"
import { attemptsOf } from "../../src/webhooks/rules/EndpointStanding.ts"
import { type Delivery, newDelivery } from "../../src/webhooks/rules/Delivery.ts"
import { agent, agentId, caller, epoch, organizationId, World } from "../../src/testing/world/World.ts"

const minute = 60_000
const url = "https://hooks.inbox.test/path-of-a-customer?token=secret-of-a-customer"
const secret = "whsec_of-a-customer"

const explain = (world: World, page: Parameters<WebhookExplainer["Service"]["explain"]>[1] = {}) =>
  world.run(Effect.flatMap(WebhookExplainer, (webhooks) => webhooks.explain(organizationId, page)))

const subscribe = (world: World, callback_url: string) =>
  world.run(
    Effect.flatMap(Subscriptions, (subscriptions) =>
      subscriptions.create(caller, {
        callback_url,
        agent_id: agentId,
        event_types: ["call_ringing"],
        headers: { Authorization: secret },
      }),
    ),
  )

const started = Effect.fnUntraced(function* (options: ConstructorParameters<typeof World>[0] = {}) {
  const world = new World(options)
  yield* world.start()
  return world
})

describe("webhooks, explained", () => {
  it.effect("say of each endpoint what was delivered, what the last attempt met and when the next one is due", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const good = yield* subscribe(world, url)
      const bad = yield* subscribe(world, "https://away.inbox.test/hook")
      world.endpoints.react = ({ destination }) =>
        destination.host === "away.inbox.test"
          ? { answer: { _tag: "Answered", http_status: 503 } }
          : { answer: { _tag: "Answered", http_status: 204 }, afterMs: 250 }
      yield* world.place({ to_number: "+15555550101" })
      yield* world.advance(20_000)
      const waiting = yield* explain(world)
      const of = ({ subscription_id }: { readonly subscription_id: string }) => {
        const found = waiting.subscriptions.find((each) => each.subscription_id === subscription_id)
        if (found === undefined) throw new Error("It is not there.")
        return found
      }
      const [well, failing] = [of(good), of(bad)]
      assert.deepInclude(well, { agent_id: agentId, host: "hooks.inbox.test", enabled: true })
      assert.deepStrictEqual(well.counts, { pending: 0, retrying: 0, delivered: 1, failed: 0 })
      assert.deepStrictEqual(well.newest.times_ms, { p50: 250, p90: 250, p99: 250, max: 250 })
      assert.deepInclude(well.newest, { deliveries: 1, attempts: 1, failures: 0, next_attempt_at: null })
      assert.deepInclude(well.newest.last_attempt, { http_status: 204, error_class: null, error_message: null })
      assert.deepStrictEqual(failing.counts, { pending: 0, retrying: 1, delivered: 0, failed: 0 })
      assert.isNotNull(failing.health.failing_since)
      assert.deepInclude(failing.newest.last_attempt, {
        http_status: 503,
        error_class: "http_error",
        error_message: "The endpoint answered 503.",
      })
      assert.strictEqual(failing.newest.attempts, failing.newest.failures)
      assert.isAbove(failing.newest.next_attempt_at ?? 0, world.now)
      assert.notInclude(JSON.stringify(waiting), "of-a-customer")
      yield* world.advance(5 * minute)
      const over = (yield* explain(world)).subscriptions.find(({ host }) => host === "away.inbox.test")
      assert.deepStrictEqual(over?.counts, { pending: 0, retrying: 0, delivered: 0, failed: 1 })
      assert.deepInclude(over?.newest, { attempts: 4, failures: 4, next_attempt_at: null })
    }).pipe(Effect.scoped),
  )

  it.effect("say so of the URL on an agent itself", () =>
    Effect.gen(function* () {
      const world = yield* started({ agent: { integrations: { ...agent.integrations, webhook: { url } } } })
      yield* world.place({ to_number: "+15555550101" })
      yield* world.advance(5 * minute)
      const { agent_urls, next, subscriptions } = yield* explain(world)
      assert.deepStrictEqual([subscriptions, next], [[], null])
      assert.lengthOf(agent_urls, 1)
      assert.deepInclude(agent_urls[0], { agent_id: agentId, host: "hooks.inbox.test" })
      assert.deepInclude(agent_urls[0]?.counts, { delivered: 1, failed: 0 })
    }).pipe(Effect.scoped),
  )

  it.effect("come in pages, each subscription once, and fail for an organization that is not there", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const made = new Set<string>()
      for (let nth = 0; nth < 5; nth += 1) {
        made.add((yield* subscribe(world, `https://hooks-${nth}.inbox.test/`)).subscription_id)
      }
      const seen: Array<string> = []
      for (let after: string | null = null; ;) {
        const page: Effect.Success<ReturnType<typeof explain>> = yield* explain(world, { after, limit: 2 })
        assert.isAtMost(page.subscriptions.length, 2)
        seen.push(...page.subscriptions.map(({ subscription_id }) => subscription_id))
        after = page.next
        if (after === null) break
      }
      assert.deepStrictEqual(seen, [...made].sort())
      const nobody = world.run(Effect.flatMap(WebhookExplainer, (webhooks) => webhooks.explain("org_none")))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(nobody)))
    }).pipe(Effect.scoped),
  )
})

const deliveryOf = (durations: ReadonlyArray<number>): Delivery => ({
  ...newDelivery(
    {
      delivery_id: "dlv_1",
      organization_id: organizationId,
      event_id: "evt_1",
      event_type: "call_ringing",
      subscription_id: "sub_1",
      agent_id: agentId,
      execution_id: "exec_1",
      body_bytes: 1,
    },
    epoch,
  ),
  attempts: durations.map((duration_ms, nth) => ({
    attempt: nth + 1,
    started_at: epoch + nth,
    duration_ms,
    http_status: 200,
    error_class: null,
  })),
})

describe("how long attempts took", () => {
  it("is for each percentile the least that so many of a hundred were not longer than", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(30_000), { maxLength: 4 }), { maxLength: 60 }), (all) => {
        const durations = all.flat()
        const { attempts, times_ms } = attemptsOf(all.map(deliveryOf))
        assert.strictEqual(attempts, durations.length)
        if (times_ms === null) return assert.lengthOf(durations, 0)
        const share = (most: number) => durations.filter((each) => each <= most).length / durations.length
        for (const [name, of] of [
          ["p50", 0.5],
          ["p90", 0.9],
          ["p99", 0.99],
        ] as const) {
          assert.include(durations, times_ms[name])
          assert.isAtLeast(share(times_ms[name]), of)
          for (const less of durations) if (less < times_ms[name]) assert.isBelow(share(less), of)
        }
        assert.strictEqual(times_ms.max, Math.max(...durations))
      }),
    )
  })
})
