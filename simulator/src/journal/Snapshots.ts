import { conflict, notFound } from "../control/Refusal.ts"
import type { Stage } from "../Stage.ts"
import type { WrittenJournal } from "./Journal.ts"

/** Snapshots that are kept; beyond, the oldest is forgotten. */
const maxSnapshots = 1_000

/**
 * Moments of a world to come back to. A world is a function of its inputs, so a snapshot is its journal: taking one costs nothing, and going
 * back lives it through again.
 */
export class Snapshots {
  readonly #journals = new Map<string, () => WrittenJournal>()
  #taken = 0

  /** Takes one and answers its id. Throws a refusal where a world cannot be brought back as it is. */
  take({ process, world }: Stage): string {
    if (world.clock.mode !== "manual") throw conflict("Only a world whose clock is in manual mode can be kept.")
    if (process.waiting.length > 0) throw conflict("The world cannot be kept while requests wait for virtual time.")
    const { gap } = world.journal
    if (gap !== null) throw conflict(`The world cannot be kept: ${gap}.`)
    const id = `snap_${++this.#taken}`
    this.#journals.set(id, world.journal.cut())
    const [oldest] = this.#journals.keys()
    if (this.#journals.size > maxSnapshots && oldest !== undefined) this.#journals.delete(oldest)
    return id
  }

  find(id: string): () => WrittenJournal {
    const journal = this.#journals.get(id)
    if (journal === undefined) throw notFound("Snapshot not found.")
    return journal
  }

  forget(): void {
    this.#journals.clear()
    this.#taken = 0
  }
}
