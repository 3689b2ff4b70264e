import { Cause, Context, Effect, Exit, Fiber } from "effect"
import type { Commit } from "../../engine/Commit.ts"
import { Agents } from "../../agents/Agents.ts"
import { Batches } from "../../batches/Batches.ts"
import { Campaigns } from "../../campaigns/Campaigns.ts"
import { Organizations } from "../../organizations/Organizations.ts"
import { Dialling } from "../../telephony/Dialling.ts"
import { Parking } from "../../engine/Parking.ts"
import type { EngineError } from "../../Errors.ts"
import { limits } from "../../Limits.ts"
import { laws } from "../world/Laws.ts"
import { caller, organizationId, type World } from "../world/World.ts"
import { atCommit, liveness, safety, type Sight, type Violation } from "./Laws.ts"
import type { Operation } from "./Operations.ts"
import { RowsByKind } from "./Rows.ts"
import { type Scene, setScene, type Stage, worldOf } from "./Scenes.ts"

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
const IsFirst = Context.Reference<boolean>("@carillon/core/testing/IsFirst", { defaultValue: () => false })

/** Yields without any use of a port after which an operation waits for another, or is over. */
const quietYields = 6

/** What is looked at once a scene is over is over by then, as far as it ever will be. */
const horizonMs = 2 * 3_600_000

/** Events after which a world that goes on has not come to rest. */
const mostEvents = 2_000

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

/** What an operation may be answered with when it only met another one. */
const answerFault = (
  name: string,
  answer: Exit.Exit<Exit.Exit<unknown, EngineError>> | undefined,
  /** Somebody has held dialling, which is told as a carrier that is away. */
  wasHeld: boolean,
): Violation | null => {
  if (answer === undefined) return { law: "every request is answered", detail: name }
  const exit = Exit.isSuccess(answer) ? answer.value : answer
  if (Exit.isSuccess(exit)) return null
  const defects = exit.cause.reasons.filter(Cause.isDieReason)
  if (defects.length > 0) return { law: "nothing dies", detail: `${name}: ${String(defects[0]?.defect)}` }
  const failures = exit.cause.reasons.filter(Cause.isFailReason)
  const tag = failures[0]?.error._tag
  return (!wasHeld && tag === "DependencyUnavailable") || tag === "DependencyTimeout"
    ? { law: "nobody is refused for a neighbour", detail: `${name}: ${tag}` }
    : null
}

const sightOf = (world: World, rows: RowsByKind): Sight => ({
  rows,
  now: world.now,
  numberOf: (batchId, row) => world.tables.contacts.find(batchId, row)?.entry.to_number ?? null,
  tally: (subject) => world.tables.tallies.read(subject),
  lines: () => [...world.slots.members()],
})

/** The first time something happens that is no housekeeping. */
const nextEvent = (world: World): number =>
  Math.min(
    world.carrier.next() ?? Infinity,
    world.service(Parking).nextDeadline() ?? Infinity,
    world.tables.wakeups.next(false) ?? Infinity,
  )

/** Lets everything happen that is to happen. False where it never ends. */
const comeToRest = (world: World, look: () => void) =>
  Effect.gen(function* () {
    const until = world.now + horizonMs
    for (let events = 0; events < mostEvents; events++) {
      const at = nextEvent(world)
      if (at > until) return true
      world.now = Math.max(world.now, at)
      yield* world.advance(0, look)
    }
    return false
  })

/** The reconciler, and the sweep of contacts that were never shown, get their time. */
const housekeeping = (world: World, look: () => void) =>
  Effect.gen(function* () {
    for (const ms of [limits.reconcileMs, limits.reconcileMs, limits.intakeSweepMs]) {
      world.now += ms
      yield* world.advance(0, look)
    }
  })

/** Takes back whatever holds dialling: what was only set aside must go on from there. False where nothing was held. */
const wakeEverything = (world: World, rows: RowsByKind) =>
  Effect.gen(function* () {
    const before = world.commits.length
    const [campaigns, batches] = [world.service(Campaigns), world.service(Batches)]
    if (rows.isHeld) yield* world.service(Dialling).release
    for (const { organization_id, wallet } of rows.organizations.values()) {
      if (organization_id !== organizationId || wallet.balance > 0) continue
      yield* world.service(Organizations).change(organization_id, { wallet: { ...wallet, balance: 100 } })
    }
    for (const { agent_id, status } of rows.agents.values()) {
      if (status === "INACTIVE") yield* world.service(Agents).deploy(caller, agent_id)
    }
    for (const { campaign_id, status } of rows.campaigns.values()) {
      if (status === "paused") yield* campaigns.resume(caller, campaign_id)
    }
    for (const { batch_id, status } of rows.batches.values()) {
      if (status === "paused") yield* batches.resume(caller, batch_id)
    }
    yield* world.settle()
    return world.commits.length > before
  }).pipe(Effect.orDie)

/** Violations, each law's first. */
class Verdict {
  readonly #found = new Map<string, Violation>()

  add(...violations: ReadonlyArray<Violation>): void {
    for (const violation of violations) if (!this.#found.has(violation.law)) this.#found.set(violation.law, violation)
  }

  /** A law that says so by throwing. */
  readonly attempt = (look: () => void): void => {
    try {
      look()
    } catch (error) {
      this.add({ law: "lines and legs", detail: error instanceof Error ? error.message : String(error) })
    }
  }

  get violations(): ReadonlyArray<Violation> {
    return [...this.#found.values()]
  }
}

/** Keeps the rows of a world, and judges each commit against those from before it. */
const watched = (world: World, verdict: Verdict): RowsByKind => {
  const rows = new RowsByKind()
  const observe = ({ changes }: Commit) => {
    verdict.add(...atCommit(rows, changes))
    for (const change of changes) rows.apply(change)
  }
  for (const commit of world.commits) observe(commit)
  world.tables.onCommit(observe)
  return rows
}

const reopenedIn = (world: World) => (campaignId: string) =>
  world.commits.some(({ audit }) =>
    audit.some(({ action, resource }) => resource.id === campaignId && /^campaign\.(revive|update)$/.test(action)),
  )

const started = (stage: Stage, operation: Operation, isFirst: boolean) =>
  stage.world.admit(Effect.provideService(operation.run(stage), IsFirst, isFirst))

/** Plays one interleaving in a world of its own, and judges it. */
export const explore = Effect.fnUntraced(function* ({ scene, first, others }: Interleaving) {
  const turns = new Turns()
  const verdict = new Verdict()
  const world = worldOf(scene, turns.interpose)
  const rows = watched(world, verdict)
  yield* world.start()
  const stage = yield* setScene(scene, world)
  const most = [...rows.organizations.values()].map(({ concurrency }) => concurrency.organization ?? 0)
  const linesAndLegs = laws(world, Math.max(...most))
  const look = () => {
    verdict.attempt(linesAndLegs)
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
  verdict.add(...safety(sightOf(world, rows)))
  const wasHeld = rows.isHeld
  const rest = Effect.gen(function* () {
    let rests = yield* comeToRest(world, look)
    yield* housekeeping(world, look)
    rests &&= yield* comeToRest(world, look)
    if (!rests) verdict.add({ law: "the world comes to rest", detail: `it goes on after ${mostEvents} events` })
    const sight = sightOf(world, rows)
    verdict.add(...safety(sight), ...liveness(sight, reopenedIn(world)))
  })
  yield* rest
  if (yield* wakeEverything(world, rows)) yield* rest
  for (const [name, fiber] of answers) {
    const fault = answerFault(name, fiber.pollUnsafe(), wasHeld)
    if (fault !== null) verdict.add(fault)
  }
  return { violations: verdict.violations, uses: turns.uses, isWithin: late.length === 0 } satisfies Outcome
}, Effect.scoped)
