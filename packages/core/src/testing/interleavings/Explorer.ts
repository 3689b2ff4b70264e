import { Context, Effect, Exit, Fiber } from "effect"
import type { Commit } from "../../engine/rules/Commit.ts"
import type { EngineError } from "../../Errors.ts"
import { laws } from "../world/Laws.ts"
import type { World } from "../world/World.ts"
import { atCommit, closedDials, forgotten, rungClosed, safety, type Violation, wallets } from "./Laws.ts"
import { atBreaker } from "./BreakerLaw.ts"
import { atLog } from "./LogLaw.ts"
import type { Operation } from "./Operations.ts"
import { judgeAtRest, type View } from "./Rest.ts"
import { RowsByKind } from "../RowsByKind.ts"
import { type Scene, setScene, type Stage, worldOf } from "./Scenes.ts"
import { atSets } from "./Sets.ts"
import { answerFault, Verdict } from "./Verdict.ts"

/** One operation and others that get in before some of its uses of a port, counted from 0. */
export interface Interleaving {
  readonly scene: Scene
  readonly first: Operation
  readonly others: ReadonlyArray<{ readonly operation: Operation; readonly at: number }>
}

/** What came of an interleaving. */
export interface Outcome {
  readonly violations: ReadonlyArray<Violation>
  /** The uses of ports that the first operation made, by name. */
  readonly uses: ReadonlyArray<string>
  /** Whether all others got in before the first was over. */
  readonly isWithin: boolean
}

/** Who uses a port: the first operation, or somebody else. */
export const IsFirst = Context.Reference<boolean>("@carillon/core/testing/IsFirst", { defaultValue: () => false })

/** Yields without any use of a port after which an operation waits for another, or is over. */
const quietYields = 6

/** Lets others in before the uses of ports that the first operation makes. */
class Turns {
  readonly uses: Array<string> = []
  #waiting: Array<{ readonly at: number; readonly enter: Effect.Effect<void> }> = []
  #isOpen = false
  #othersUse = 0

  open(waiting: ReadonlyArray<{ readonly at: number; readonly enter: Effect.Effect<void> }>): void {
    this.#waiting = [...waiting]
    this.#isOpen = true
  }

  /** Nobody gets in any more; returns who did not. */
  close(): ReadonlyArray<Effect.Effect<void>> {
    this.#isOpen = false
    return this.#waiting.splice(0).map(({ enter }) => enter)
  }

  readonly interpose = (operation: string, use: Effect.Effect<unknown, unknown>): Effect.Effect<unknown, unknown> =>
    Effect.flatMap(IsFirst, (isFirst) => {
      if (!isFirst || !this.#isOpen) {
        this.#othersUse += 1
        return use
      }
      const nth = this.uses.length
      this.uses.push(operation)
      const entering: Array<Effect.Effect<void>> = []
      while (this.#waiting[0] !== undefined && this.#waiting[0].at <= nth) {
        const next = this.#waiting.shift()
        if (next !== undefined) entering.push(next.enter)
      }
      return entering.length === 0 ? use : Effect.andThen(Effect.all(entering), use)
    })

  /** Lets whoever got in come as far as it comes without the first. */
  readonly quiet: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    let seen = -1
    for (let yields = 0; yields < quietYields; yields++) {
      if (seen !== this.#othersUse) yields = 0
      seen = this.#othersUse
      yield* Effect.yieldNow
    }
  })
}

/** Keeps the rows of a world, and has each commit judged against those from before it. */
const watched = (world: World, judge: (rows: RowsByKind, commit: Commit) => void): RowsByKind => {
  const rows = new RowsByKind()
  const observe = (commit: Commit) => {
    judge(rows, commit)
    for (const change of commit.changes) rows.apply(change)
  }
  for (const commit of world.commits) observe(commit)
  world.tables.onCommit(observe)
  return rows
}

const viewOf = (world: World, rows: RowsByKind): View => ({
  rows,
  now: world.now,
  numberOf: (batchId, row) => world.tables.contacts.find(batchId, row)?.entry.to_number ?? null,
  tally: (subject) => world.tables.tallies.read(subject),
  lines: () => [...world.slots.members()],
  reopened: (campaignId) =>
    world.commits.some(({ audit }) =>
      audit.some(({ action, resource }) => resource.id === campaignId && /^campaign\.(revive|update)$/.test(action)),
    ),
})

export const started = (stage: Stage, operation: Operation, isFirst: boolean) =>
  stage.world.admit(Effect.provideService(operation.run(stage), IsFirst, isFirst))

/** Plays one interleaving in a world of its own, and judges it. */
export const explore = Effect.fnUntraced(function* ({ scene, first, others }: Interleaving) {
  const turns = new Turns()
  const verdict = new Verdict()
  const world = worldOf(scene, turns.interpose)
  let isJudged = scene.isWrong !== true
  // What a scene is made of is written straight into the store.
  let isSet = false
  const closed = new Set<string>()
  const rows = watched(world, (before, commit) => {
    for (const executionId of closedDials(before, commit, world.now)) closed.add(executionId)
    if (isJudged) verdict.add(...atCommit(before, commit, viewOf(world, before)))
    if (isSet) verdict.add(...atSets(before, commit), ...atLog(before, commit.changes))
    if (isSet) verdict.add(...atBreaker(before, commit.changes, world.now))
  })
  yield* world.start()
  const stage = yield* setScene(scene, world)
  isJudged = true
  isSet = true
  const most = [...rows.of("organization").values()].map(({ concurrency }) => concurrency.organization ?? 0)
  const linesAndLegs = laws(world, Math.max(...most))
  const view = Effect.sync(() => viewOf(world, rows))
  const look = () => {
    verdict.attempt(linesAndLegs)
    verdict.add(...forgotten(viewOf(world, rows)))
  }
  const answers: Array<readonly [string, Fiber.Fiber<Exit.Exit<unknown, EngineError>>]> = []
  turns.open(
    others.map(({ at, operation }) => ({
      at,
      enter: Effect.gen(function* () {
        answers.push([operation.name, yield* started(stage, operation, false)])
        yield* turns.quiet
      }),
    })),
  )
  answers.push([first.name, yield* started(stage, first, true)])
  yield* world.settle()
  const late = turns.close()
  for (const enter of late) {
    yield* enter
    yield* world.settle()
  }
  look()
  if (scene.isWrong !== true) verdict.add(...safety(yield* view))
  const wasHeld = rows.isHeld
  yield* judgeAtRest(world, view, verdict, look)
  verdict.add(...rungClosed(closed, world.dials), ...wallets(rows, world.tables.organizations))
  for (const [name, fiber] of answers) {
    const fault = answerFault(name, fiber.pollUnsafe(), wasHeld)
    if (fault !== null) verdict.add(fault)
  }
  return { violations: verdict.violations, uses: turns.uses, isWithin: late.length === 0 } satisfies Outcome
}, Effect.scoped)
