import { DependencyTimeout } from "@carillon/core"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { limits } from "../../src/Limits.ts"
import * as MemorySlots from "../../src/memory/MemorySlots.ts"
import { World } from "../../src/testing/world/World.ts"

it.effect("a dial that is taken back leaves no line, also where nobody heard how its line was counted", () =>
  Effect.gen(function* () {
    const slots = new MemorySlots.SlotTable()
    let isAsked = false
    let unheard = 0
    const world = new World({
      organization: { concurrency: { organization: 1, per_agent: null, enforced: true } },
      slots,
      interpose: (operation, effect) =>
        Effect.suspend(() => {
          if (operation === "slots.hold" && !isAsked) {
            isAsked = true
            return Effect.andThen(effect, Effect.fail(new DependencyTimeout({ dependency: "slot_store" })))
          }
          // The commit that counts the line is applied, and so is each time it is sent again; no answer comes.
          if (operation === "store.commit" && isAsked && unheard <= limits.commitResends) {
            unheard += 1
            return Effect.andThen(effect, Effect.fail(new DependencyTimeout({ dependency: "call_storage" })))
          }
          return effect
        }),
    })
    yield* world.start()
    yield* world.place()
    yield* world.advance(0)
    assert.deepStrictEqual([unheard, world.calls().length], [limits.commitResends + 1, 0])
    assert.deepStrictEqual([...slots.members()], [])
  }),
)
