import type { Batch } from "../../batches/rules/Batch.ts"

/** As which revisions the unfinished batches of lanes were looked after: whether somebody of them is left. */
export class LookedAfter {
  readonly #revisions = new Map<string, ReadonlyMap<string, number>>()

  /** Those of a lane's batches that somebody has written since, or that are new. */
  written(laneId: string, batches: ReadonlyArray<Batch>): ReadonlyArray<Batch> {
    const before = this.#revisions.get(laneId)
    return batches.filter(({ batch_id, revision }) => before?.get(batch_id) !== revision)
  }

  /** The unfinished batches of the lane, as they are, were looked after. */
  areLookedAfter(laneId: string, batches: ReadonlyArray<Batch>): void {
    if (batches.length === 0) this.#revisions.delete(laneId)
    else this.#revisions.set(laneId, new Map(batches.map(({ batch_id, revision }) => [batch_id, revision])))
  }
}
