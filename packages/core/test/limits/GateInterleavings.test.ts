import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { assertOver, laws } from "../../src/testing/world/Laws.ts"
import { law } from "../../src/testing/Law.ts"
import { numberOf, type ScriptName, worldOf } from "../../src/testing/world/Plans.ts"
import { epoch } from "../../src/testing/world/World.ts"

type Action =
  | { readonly do: "place"; readonly script: ScriptName; readonly waits: boolean }
  | { readonly do: "stop"; readonly nth: number }
  | { readonly do: "time" }

const actions = fc.array(
  fc.record({
    action: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          do: fc.constant("place" as const),
          script: fc.constantFrom<ScriptName>("ordinary", "busy", "unreachable", "slow", "recovered", "doubled"),
          waits: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("stop" as const), nth: fc.nat(8) }) },
      { weight: 6, arbitrary: fc.record({ do: fc.constant("time" as const) }) },
    ),
    /** How many answers from outside come in before the next action. */
    answers: fc.nat(6),
  }),
  { minLength: 1, maxLength: 25, size: "max" },
)

const horizonMs = 3 * 3_600_000

/** Everything that the gate and the dialler wait for, in whatever order the answers come. */
const interleaved = /^(slots|store|telephony)\./

describe("the gate, whatever overtakes what", () => {
  it.effect("keeps every ceiling at every step, no line without a row, and none at the end", () =>
    law(
      fc.record({ scheduler: fc.scheduler(), script: actions, ceiling: fc.integer({ min: 1, max: 3 }) }),
      Effect.fnUntraced(function* ({ scheduler, script, ceiling }) {
        const turn = (operation: string) => Effect.promise(() => scheduler.schedule(Promise.resolve(), operation))
        const world = worldOf(
          { ceiling, calls: [] },
          {
            // An answer is as long under way as the question.
            interpose: (operation, effect) =>
              interleaved.test(operation)
                ? turn(`${operation} asked`).pipe(
                    Effect.andThen(effect),
                    Effect.tap(() => turn(`${operation} answered`)),
                  )
                : effect,
          },
        )
        yield* world.start()
        const look = laws(world, ceiling)

        /** Lets the fibers run until each of them waits for something outside. */
        const run = Effect.gen(function* () {
          for (let turns = 0; turns < 3; turns++) yield* Effect.yieldNow
          look()
        })

        const answer = Effect.gen(function* () {
          yield* run
          if (scheduler.count() > 0) yield* Effect.promise(() => scheduler.waitNext(1))
          yield* run
        })

        const perform = (action: Action): Effect.Effect<unknown> => {
          switch (action.do) {
            case "place":
              return world.place({
                to_number: numberOf(action.script),
                scheduled_at: action.waits ? world.now + 120_000 : null,
              })
            case "stop": {
              const placed = world.calls()
              const call = placed[action.nth % Math.max(1, placed.length)]
              return call === undefined ? Effect.void : world.stop(call.execution_id)
            }
            case "time":
              return world.next() < Infinity ? world.step() : Effect.void
          }
        }

        for (const { action, answers } of script) {
          yield* perform(action)
          for (let count = 0; count < answers; count++) yield* answer
        }
        for (;;) {
          yield* run
          if (scheduler.count() > 0) yield* answer
          else if (world.next() < epoch + horizonMs) yield* world.step()
          else break
        }
        assertOver(world)
        assert.strictEqual(world.tables.calls.holding("platform", "platform"), 0)
      }, Effect.scoped),
      { numRuns: 60 },
    ),
  )
})
