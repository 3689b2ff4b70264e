import { Effect, type Exit, Fiber } from "effect"
import type { EngineError } from "../../Errors.ts"
import type { RowPorts } from "../../Ports.ts"
import type { Interposition } from "../world/Interposed.ts"
import { started } from "./Explorer.ts"
import { safety, type Violation } from "./Laws.ts"
import type { Pair } from "./Pairs.ts"
import { judgeAtRest } from "./Rest.ts"
import { setScene, worldOf } from "./Scenes.ts"
import { type Contents, viewOf } from "./Stored.ts"
import { answerFault, Verdict } from "./Verdict.ts"

/** A store that worlds are set up in, one after the other. */
export interface Place {
  readonly ports: RowPorts
  readonly clear: Effect.Effect<void>
  readonly contents: Effect.Effect<Contents>
}

/** Whom the second operation of a pair is behind: so many milliseconds after the first begins, or before the first use of a port that it names. */
type Behind = { readonly delayMs: number } | { readonly before: string }

/** Lets one thing in before a use of a port, once it is there. */
class Gap {
  #thing: { readonly before: string; readonly enter: Effect.Effect<unknown> } | null = null

  open(before: string, enter: Effect.Effect<unknown>): void {
    this.#thing = { before, enter }
  }

  get isOpen(): boolean {
    return this.#thing !== null
  }

  readonly interpose: Interposition = (operation, use) =>
    Effect.suspend(() => {
      if (this.#thing?.before !== operation) return use
      const { enter } = this.#thing
      this.#thing = null
      return Effect.andThen(enter, use)
    })
}

/**
 * Starts both operations of a pair on a store that answers in its own time, the second some milliseconds after the first or before one of
 * its uses of a port, and judges what came of them. With a delay, what happens between is the store's: the same race need not go the same way twice.
 */
export const race = Effect.fnUntraced(function* (
  { clear, contents, ports }: Place,
  { first, scene, second }: Pair,
  behind: Behind,
) {
  yield* clear
  const verdict = new Verdict()
  const gap = new Gap()
  const world = worldOf({ ...scene, options: { ...scene.options, storage: ports } }, gap.interpose)
  yield* world.start()
  const stage = yield* setScene(scene, world)
  const answers: Array<readonly [string, Fiber.Fiber<Exit.Exit<unknown, EngineError>>]> = []
  const enter = Effect.tap(started(stage, second, false), (fiber) =>
    Effect.sync(() => answers.push([second.name, fiber])),
  )
  if ("before" in behind) gap.open(behind.before, Effect.flatMap(enter, Fiber.await))
  answers.push([first.name, yield* started(stage, first, true)])
  if ("delayMs" in behind) {
    if (behind.delayMs > 0) yield* Effect.sleep(behind.delayMs)
    yield* enter
  }
  yield* world.settle()
  if (gap.isOpen) verdict.add({ law: "the second gets in", detail: `${first.name} does not use it` })
  const view = Effect.map(contents, (all) => viewOf(all, { now: world.now, lines: () => [...world.slots.members()] }))
  const settled = yield* view
  verdict.add(...safety(settled))
  yield* judgeAtRest(world, view, verdict, () => {})
  for (const [name, fiber] of answers) {
    const fault = answerFault(name, fiber.pollUnsafe(), settled.rows.isHeld)
    if (fault !== null) verdict.add(fault)
  }
  return verdict.violations satisfies ReadonlyArray<Violation>
}, Effect.scoped)
