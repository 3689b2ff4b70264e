import { Effect } from "effect"
import type { AuditRecord } from "../../audit/AuditChain.ts"
import type { ContactEntry } from "../../contacts/Contact.ts"
import type { Change } from "../../engine/Commit.ts"
import type { RowPorts } from "../../Ports.ts"
import type { World } from "../world/World.ts"
import { started } from "./Explorer.ts"
import { safety, type Violation } from "./Laws.ts"
import type { Pair } from "./Pairs.ts"
import { judgeAtRest, type View } from "./Rest.ts"
import { RowsByKind } from "./Rows.ts"
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

/**
 * Starts both operations of a pair at once on a store that answers in its own time, the second so many milliseconds after the first,
 * and judges what came of them. What happens between is the store's: the same race need not go the same way twice.
 */
export const race = Effect.fnUntraced(function* (
  { clear, contents, ports }: Place,
  { first, scene, second }: Pair,
  delayMs: number,
) {
  yield* clear
  const verdict = new Verdict()
  const world = worldOf({ ...scene, options: { ...scene.options, storage: ports } }, (_, use) => use)
  yield* world.start()
  const stage = yield* setScene(scene, world)
  const ahead = yield* started(stage, first, true)
  if (delayMs > 0) yield* Effect.sleep(delayMs)
  const behind = yield* started(stage, second, false)
  yield* world.settle()
  const view = Effect.map(contents, (all) => viewOf(world, all))
  const settled = yield* view
  verdict.add(...safety(settled))
  yield* judgeAtRest(world, view, verdict, () => {})
  for (const [name, fiber] of [[first.name, ahead] as const, [second.name, behind] as const]) {
    const fault = answerFault(name, fiber.pollUnsafe(), settled.rows.isHeld)
    if (fault !== null) verdict.add(fault)
  }
  return verdict.violations satisfies ReadonlyArray<Violation>
}, Effect.scoped)
