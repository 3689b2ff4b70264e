import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SimulatedWorld } from "../src/SimulatedWorld.ts"
import { Simulator } from "../src/Simulator.ts"

it.effect("a simulator is a service of a program that is written with Effect", () =>
  Effect.gen(function* () {
    const simulator = yield* SimulatedWorld
    const moved = yield* Effect.promise(() => simulator.advance({ by: "PT1H" }))
    assert.deepEqual(moved, { now: "2026-01-05T10:00:00.000Z", events: 0, reached: true })
  }).pipe(Effect.provide(SimulatedWorld.layer({ clock: "manual" }))),
)

it("an advance that is refused throws with the reason", async () => {
  await using simulator = await Simulator.start({ controlToken: "t" })
  const refusal = await simulator.advance({ by_ms: 1 }).then(String, String)
  assert.include(refusal, "Only a clock in manual mode can be advanced.")
})
