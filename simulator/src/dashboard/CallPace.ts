import type { Call } from "@carillon/core"
import type { Commit } from "@carillon/core/ports"

/** The stretch over which calls are counted, and how finely. */
const windowMs = 60_000
const stepMs = 1_000

/** Lanes that are counted; the one that has been still for longest gives way. */
const maxLanes = 256

/** Calls that began in one second. */
interface Second {
  readonly at: number
  count: number
}

/** How many calls each campaign, and each batch for itself, began in the last minute of virtual time. */
export class CallPace {
  readonly #lanes = new Map<string, Array<Second>>()

  /** Counts the calls that a commit makes, less those whose dial was taken back as if it had never been. */
  observe(commit: Commit, now: number): void {
    for (const change of commit.changes) {
      if (change.put === "call" && change.row.revision === 1) this.#note(change.row, now, 1)
      else if (change.put === "erased_call") this.#note(change.call, now, -1)
    }
  }

  lastMinute(laneId: string, now: number): number {
    const seconds = this.#lanes.get(laneId) ?? []
    return Math.max(
      0,
      seconds.reduce((sum, { at, count }) => (at > now - windowMs ? sum + count : sum), 0),
    )
  }

  #note({ batch_id, campaign_id }: Pick<Call, "batch_id" | "campaign_id">, now: number, by: 1 | -1): void {
    const laneId = campaign_id ?? batch_id
    if (laneId === null) return
    const at = now - (now % stepMs)
    const seconds = (this.#lanes.get(laneId) ?? []).filter((second) => second.at > now - windowMs)
    const newest = seconds.at(-1)
    if (newest?.at === at) newest.count += by
    else seconds.push({ at, count: by })
    // Entered anew each time, so that the first one is the one that has been still for longest.
    this.#lanes.delete(laneId)
    this.#lanes.set(laneId, seconds)
    if (this.#lanes.size <= maxLanes) return
    const [stillest] = this.#lanes.keys()
    if (stillest !== undefined) this.#lanes.delete(stillest)
  }
}
