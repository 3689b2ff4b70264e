import { assert, it } from "@effect/vitest"
import { limits, Subscriptions } from "@carillon/core"
import { Deferred, Effect, Fiber } from "effect"
import { agentId, caller, World } from "../../src/testing/world/World.ts"

it.effect("as few requests as an organization has pieces set all subscriptions of an agent at once", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const open = yield* Deferred.make<void>()
      let isHeld = false
      let asked = 0
      const world = new World({
        interpose: (operation, effect) => {
          if (!isHeld || operation !== "subscriptions.listeners") return effect
          asked += 1
          return Effect.andThen(Deferred.await(open), effect)
        },
      })
      yield* world.start()
      const subscriptions = yield* world.run(Subscriptions)
      const created = { callback_url: "https://93.184.216.34/hook", agent_id: agentId }
      for (let nth = 0; nth < 3; nth++) yield* world.run(subscriptions.create(caller, created))
      isHeld = true
      const setting = yield* Effect.forEach(Array.from({ length: 20 }), () =>
        Effect.forkChild(world.run(subscriptions.setEventTypes(caller, agentId, ["call_started"]))),
      )
      for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
      assert.strictEqual(asked, limits.piecesAtOnce)
      yield* Deferred.succeed(open, undefined)
      for (const { subscriptions: set } of yield* Fiber.joinAll(setting)) {
        assert.deepStrictEqual(
          set.map(({ event_types }) => event_types.join()),
          ["call_started", "call_started", "call_started"],
        )
      }
    }),
  ),
)
