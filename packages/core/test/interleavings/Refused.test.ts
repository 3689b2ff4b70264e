import { assert, describe, it } from "@effect/vitest"
import { DependencyUnavailable } from "@carillon/core"
import { Effect, Exit, References } from "effect"
import { IsFirst, started } from "../../src/testing/interleavings/Explorer.ts"
import { type Operation, operations } from "../../src/testing/interleavings/Operations.ts"
import { type Scene, scenes, setScene, worldOf } from "../../src/testing/interleavings/Scenes.ts"

const quiet = Effect.provideService(References.MinimumLogLevel, "None")

/** What nobody waits for: time, and reports, wake-ups and the engine's own looks, which come again by themselves. */
const byThemselves =
  /^(carrier\.|wake-ups|repair|rebuild|reconciler|lines lost|dispatch elsewhere|call arrives|patience ends|the clock strikes|request )/

/**
 * What may have been done though it was refused.
 *
 * - A direct dial and the hang-up of a live call reach out between two commits: no answer takes back what the carrier did.
 * - An agent is allocated and then written; where that fails it is archived.
 * - A knowledge base is marked, taken out of the index and then removed, and a walk over secrets seals one after the other: the same request
 *   again finishes what was begun. So does a purge, which goes in steps.
 * - An export is recorded before anything is read.
 */
const inParts =
  /^(call\.place|call\.stop|idempotent request|agent\.create|knowledge\.remove|secrets\.walk|retention\.purge|organization\.export)/

/** What writes in no scene by itself, because nothing there is to be paused, released, swept or uploaded by then. */
const writesNowhere = [
  "dialling.release",
  "delivery.sweep",
  "knowledge.create",
  "knowledge.add",
  "expired keys are swept",
]

/** Plays an operation alone. From its `failing`th use of a port on the store is away for it, counted from 0. */
const playAlone = Effect.fnUntraced(function* (scene: Scene, operation: Operation, failing: number) {
  const uses: Array<string> = []
  let isOpen = false
  const world = worldOf(scene, (name, use) =>
    Effect.flatMap(IsFirst, (isFirst) => {
      if (!isFirst || !isOpen) return use
      uses.push(name)
      return uses.length > failing ? Effect.fail(new DependencyUnavailable({ dependency: "call_storage" })) : use
    }),
  )
  yield* world.start()
  const stage = yield* setScene(scene, world)
  const before = world.commits.length
  isOpen = true
  const fiber = yield* started(stage, operation, true)
  yield* world.settle()
  isOpen = false
  const exit = fiber.pollUnsafe()
  const isDone = exit !== undefined && Exit.isSuccess(exit) && Exit.isSuccess(exit.value)
  return { uses, commits: world.commits.length - before, isDone }
}, Effect.scoped)

const commitOf = (uses: ReadonlyArray<string>): number => uses.findIndex((use) => /^store\.(commit|admit)$/.test(use))

describe("a request that is refused because the store went away", () => {
  const requests = operations.filter(({ name }) => !byThemselves.test(name) && !inParts.test(name))

  it.live.each(requests)("$name has done nothing", (operation) =>
    Effect.gen(function* () {
      let tried = 0
      for (const scene of scenes) {
        if (scene.isWrong === true || !scene.about.some((thing) => operation.touches.includes(thing))) continue
        const whole = yield* playAlone(scene, operation, Infinity)
        const commit = commitOf(whole.uses)
        if (!whole.isDone || commit === -1) continue
        tried += 1
        for (let failing = commit + 1; failing < whole.uses.length; failing++) {
          const { commits, isDone, uses } = yield* playAlone(scene, operation, failing)
          assert(isDone || commits === 0, `${scene.name}: done, and refused when ${uses[failing]} (${failing}) failed`)
        }
        break
      }
      assert.strictEqual(tried, writesNowhere.includes(operation.name) ? 0 : 1)
    }).pipe(quiet),
  )
})
