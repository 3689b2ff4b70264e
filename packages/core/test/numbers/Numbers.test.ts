import { assert, describe, it } from "@effect/vitest"
import { Agents, type Caller, Experiments, NumberOwnership, Numbers } from "@carillon/core"
import { Effect, Result } from "effect"
import { campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { agentId, caller, World } from "../../src/testing/world/World.ts"

const phone_number = "+15555550177"

describe("a number that a campaign names", () => {
  it.effect("is given up only once the campaign does not run any more", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const numbers = test.world.service(Numbers)
      const { number } = yield* numbers.register(caller, phone_number, {})
      const { campaign_id } = yield* test.create(contactsOf(30), { phone_numbers: [phone_number] })
      yield* test.world.advance(2_000)
      const release = numbers.release(caller, number.phone_number_id)
      const refused = yield* Effect.result(release)
      assert(Result.isFailure(refused))
      assert.strictEqual(refused.failure._tag, "StateConflict")
      yield* test.campaigns((campaigns) => campaigns.cancel(caller, campaign_id))
      yield* release
    }),
  )
})

const other: Caller = { ...caller, organization_id: "org_other" }

const started = Effect.gen(function* () {
  const world = new World()
  yield* world.start()
  return world.service(Numbers)
})

const outcomeOf = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
  Effect.match(effect, { onSuccess: () => "registered", onFailure: ({ _tag }) => _tag })

describe("a number of one organization", () => {
  it.effect("is nobody else's until it is given up", () =>
    Effect.gen(function* () {
      const numbers = yield* started
      const { number } = yield* numbers.register(caller, phone_number, {})
      assert.strictEqual(yield* outcomeOf(numbers.register(other, phone_number, {})), "StateConflict")
      assert.strictEqual(yield* outcomeOf(numbers.register(caller, phone_number, {})), "StateConflict")
      yield* numbers.release(caller, number.phone_number_id)
      assert.strictEqual(yield* outcomeOf(numbers.register(other, phone_number, {})), "registered")
    }),
  )

  it.effect("is had by one of those who register it at the same moment", () =>
    Effect.gen(function* () {
      const callers = Array.from({ length: 5 }, (_, nth): Caller => ({ ...caller, organization_id: `org_${nth}` }))
      // The host takes its time to answer, so that all have seen that nobody has the number.
      const slow = { mayRegister: () => Effect.as(Effect.yieldNow, true) }
      const asked = {
        mayRegister: (claim: { readonly holders: ReadonlyArray<string> }) =>
          Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => claim.holders.length === 0),
          ),
      }
      for (const [ownership, expected] of [
        [asked, 1],
        [slow, callers.length],
      ] as const) {
        const world = new World()
        yield* Effect.provideService(world.start(), NumberOwnership, ownership)
        const numbers = world.service(Numbers)
        const outcomes = yield* Effect.forEach(callers, (each) => outcomeOf(numbers.register(each, phone_number, {})), {
          concurrency: "unbounded",
        })
        assert.strictEqual(outcomes.filter((outcome) => outcome === "registered").length, expected)
        assert.isTrue(outcomes.every((outcome) => outcome === "registered" || outcome === "StateConflict"))
      }
    }),
  )
})

describe("an experiment of a campaign's agent", () => {
  it.effect("routes contacts, each with all its attempts to one side", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("busy"))
      const { agent } = yield* test.world
        .service(Agents)
        .create(caller, { display_name: "Challenger", status: "ACTIVE" })
      const { version_id } = yield* test.world.service(Experiments).create(caller, agentId, {
        version_name: "V",
        variant_agent_id: agent.agent_id,
        variant_traffic_pct: 50,
        status: "active",
      })
      yield* test.create(contactsOf(40), { retry_policy: { max_retries: 1, base_delay_minutes: 1 } })
      yield* test.world.advance(3_600_000)
      const sides = new Map<string, Set<string>>()
      for (const call of test.calls()) {
        assert.strictEqual(call.ab_version_id, version_id)
        assert.strictEqual(call.ab_is_variant, call.agent_id === agent.agent_id)
        const known = sides.get(call.contact_id ?? "") ?? new Set()
        sides.set(call.contact_id ?? "", known.add(call.agent_id))
      }
      assert.strictEqual(test.calls().length, 80)
      assert.isTrue([...sides.values()].every(({ size }) => size === 1))
      assert.strictEqual(new Set([...sides.values()].flatMap((side) => [...side])).size, 2)
    }),
  )
})
