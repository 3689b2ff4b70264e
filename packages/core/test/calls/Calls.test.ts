import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { agentId, World } from "../world/World.ts"

describe("an immediate call", () => {
  it.effect("goes from queued to completed and gives its line back", () =>
    Effect.gen(function* () {
      const world = new World()
      yield* world.start()
      const placing = yield* world.place()
      yield* world.advance(0)
      const placed = yield* Fiber.join(placing)
      assert(Exit.isSuccess(placed))
      assert.strictEqual(placed.value._tag, "Queued")
      const id = placed.value.call.execution_id
      assert.strictEqual(world.call(id).status, "queued")
      yield* world.advance(1_000)
      assert.strictEqual(world.call(id).status, "ringing")
      assert.strictEqual(world.tables.calls.holding("agent", agentId), 1)
      yield* world.advance(20_000)
      assert.strictEqual(world.call(id).status, "completed")
      assert.strictEqual(world.call(id).summary, "Agreed.")
      assert.strictEqual(world.tables.calls.holding("agent", agentId), 0)
      assert.strictEqual(world.call(id).due_at, null)
    }),
  )

  it.effect("waits five seconds for a line and is then refused without a record", () =>
    Effect.gen(function* () {
      const world = new World()
      yield* world.start()
      const placing = yield* Effect.forEach(Array.from({ length: 22 }), (_, n) =>
        world.place({ to_number: `+1555555010${n}` }),
      )
      yield* world.advance(4_999)
      assert.strictEqual(world.dials.length, 20)
      yield* world.advance(1)
      const last = yield* Fiber.join(placing[21]!)
      assert(Exit.isFailure(last))
      assert.include(String(last.cause), "Account concurrency limit reached (20 of 20 lines in use).")
    }),
  )

  it.effect("without an acknowledgement in eight seconds is unconfirmed, asked about and never redialled", () =>
    Effect.gen(function* () {
      const world = new World({ script: () => ({ acknowledgementMs: 3_600_000 }) })
      yield* world.start()
      const placing = yield* world.place()
      yield* world.advance(8_000)
      const placed = yield* Fiber.join(placing)
      assert(Exit.isSuccess(placed))
      assert.strictEqual(placed.value._tag, "Unconfirmed")
      yield* world.advance(30_000)
      assert.strictEqual(world.call(placed.value.call.execution_id).status, "error")
      assert.strictEqual(world.dials.length, 1)
    }),
  )
})
