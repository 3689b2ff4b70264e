import { assert, it } from "@effect/vitest"
import { Subscriptions } from "@carillon/core"
import { Deferred, Effect, Fiber } from "effect"
import { Routing } from "../../src/webhooks/Routing.ts"
import { agentId, caller, organizationId, World } from "../../src/testing/world/World.ts"

it.effect("who listens is not remembered as it was before a change that came while it was read", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const open = yield* Deferred.make<void>()
      let isSlow = false
      const world = new World({
        interpose: (operation, effect) =>
          isSlow && operation === "subscriptions.listeners" ? Effect.tap(effect, () => Deferred.await(open)) : effect,
      })
      yield* world.start()
      const { listeners } = world.service(Routing)
      const created = { callback_url: "https://93.184.216.34/hook", agent_id: agentId }
      const { subscription_id } = yield* world.run(Effect.flatMap(Subscriptions, (all) => all.create(caller, created)))
      isSlow = true
      const reading = yield* Effect.forkChild(world.run(listeners(organizationId, agentId)))
      for (let turn = 0; turn < 10; turn++) yield* Effect.yieldNow
      isSlow = false
      yield* world.run(Effect.flatMap(Subscriptions, (all) => all.patch(caller, subscription_id, { enabled: false })))
      yield* Deferred.succeed(open, undefined)
      const { own: before } = yield* Fiber.join(reading)
      assert.deepStrictEqual(
        before.map(({ enabled }) => enabled),
        [true],
      )
      const { own: after } = yield* world.run(listeners(organizationId, agentId))
      assert.deepStrictEqual(
        after.map(({ enabled }) => enabled),
        [false],
      )
    }),
  ),
)
