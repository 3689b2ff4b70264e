import { Effect, type Exit, Fiber } from "effect"
import type { AuditRecord } from "../../audit/AuditChain.ts"
import type { ContactEntry } from "../../contacts/Contact.ts"
import type { Change } from "../../engine/Commit.ts"
import type { EngineError } from "../../Errors.ts"
import type { RowPorts } from "../../Ports.ts"
import type { Interposition } from "../world/Interposed.ts"
import type { World } from "../world/World.ts"
import { started } from "./Explorer.ts"
import { safety, type Violation } from "./Laws.ts"
import type { Pair } from "./Pairs.ts"
import { judgeAtRest, type View } from "./Rest.ts"
import { RowsByKind } from "../RowsByKind.ts"
import { setScene, worldOf } from "./Scenes.ts"
import { answerFault, Verdict } from "./Verdict.ts"

/** Everything that a store holds, as its rows stand. */
export interface Contents {
  readonly changes: ReadonlyArray<Change>
  readonly entries: ReadonlyArray<{ readonly batch_id: string; readonly row: number; readonly entry: ContactEntry }>
  readonly audit: ReadonlyArray<AuditRecord>
}

/** A store that worlds are set up in, one after the other. */
export interface Place {
  readonly ports: RowPorts
  readonly clear: Effect.Effect<void>
  readonly contents: Effect.Effect<Contents>
}

const viewOf = (world: World, { audit, changes, entries }: Contents): View => {
  const rows = new RowsByKind()
  const tallies = new Map<string, { [figure: string]: number }>()
  for (const change of changes) {
    rows.apply(change)
    if (change.put !== "tally") continue
    const figures = tallies.get(change.subject) ?? {}
    for (const name in change.add) figures[name] = (figures[name] ?? 0) + (change.add[name] ?? 0)
    tallies.set(change.subject, figures)
  }
  const numbers = new Map(entries.map(({ batch_id, row, entry }) => [`${batch_id} ${row}`, entry.to_number]))
  return {
    rows,
    now: world.now,
    numberOf: (batchId, row) => numbers.get(`${batchId} ${row}`) ?? null,
    tally: (subject) => tallies.get(subject) ?? {},
    lines: () => [...world.slots.members()],
    reopened: (campaignId) =>
      audit.some(({ action, resource }) => resource.id === campaignId && /^campaign\.(revive|update)$/.test(action)),
  }
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
  const view = Effect.map(contents, (all) => viewOf(world, all))
  const settled = yield* view
  verdict.add(...safety(settled))
  yield* judgeAtRest(world, view, verdict, () => {})
  for (const [name, fiber] of answers) {
    const fault = answerFault(name, fiber.pollUnsafe(), settled.rows.isHeld)
    if (fault !== null) verdict.add(fault)
  }
  return verdict.violations satisfies ReadonlyArray<Violation>
}, Effect.scoped)
