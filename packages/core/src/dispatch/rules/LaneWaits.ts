import type { ContactPlace } from "../../contacts/rules/PlacedContact.ts"
import { limits } from "../../Limits.ts"

/** Why a lane waits, and until when at most. */
export interface Pause {
  readonly until: number
  readonly because: "carrier" | "wallet"
}

/** Why batches wait, and until when at most: their agent is away, or none of their caller IDs is left. */
export interface BatchPause {
  readonly until: number
  readonly because: "agent" | "caller_id"
  readonly agent_id: string
}

/** What the carrier has done since it last took a call of the lane. */
interface Patience {
  /** Some contacts that it refused, up to as many as make the lane wait. One that is always refused says nothing of the others. */
  readonly refused: ReadonlySet<string>
  /** How often the lane has waited. */
  readonly pauses: number
  /** The lane goes on, and somebody who is not held back is tried first. */
  readonly triesUnheld: boolean
}

const noPatience: Patience = { refused: new Set(), pauses: 0, triesUnheld: false }

const nameOf = ({ batch_id, row }: ContactPlace): string => `${batch_id} ${row}`

/** What lanes of a desk wait for that is no line: a hold that ends, or a carrier that refuses. */
export class LaneWaits {
  /** Lanes that wait for a hold to end, and those of their batches that do while others of the lane are dialled. */
  readonly paused = new Map<string, Pause>()
  readonly #pausedBatches = new Map<string, ReadonlyMap<string, BatchPause>>()
  readonly #patience = new Map<string, Patience>()

  /** Why batches of a lane wait for a hold to end, by the names of what they lack. */
  pausedBatches(laneId: string): ReadonlyMap<string, BatchPause> {
    return this.#pausedBatches.get(laneId) ?? new Map()
  }

  /** Says what batches of a lane wait for from now on. */
  pauseBatches(laneId: string, pauses: ReadonlyMap<string, BatchPause>): void {
    if (pauses.size === 0) this.#pausedBatches.delete(laneId)
    else this.#pausedBatches.set(laneId, pauses)
  }

  /** The carrier took a call of the lane. */
  accepted(laneId: string): void {
    this.#patience.delete(laneId)
  }

  /** The carrier refused a contact of the lane; after several of them the lane waits, longer each time, before it tries anybody else. */
  refused(laneId: string, contact: ContactPlace, now: number): void {
    const patience = this.#patience.get(laneId) ?? noPatience
    const { pauses } = patience
    const isPaused = (this.paused.get(laneId)?.until ?? 0) > now
    const refused =
      patience.refused.size < limits.refusalsBeforeLaneWaits
        ? new Set(patience.refused).add(nameOf(contact))
        : patience.refused
    const pauseNow = refused.size >= limits.refusalsBeforeLaneWaits && !isPaused
    this.#patience.set(laneId, { ...patience, refused, pauses: pauses + (pauseNow ? 1 : 0) })
    if (!pauseNow) return
    const until = now + Math.min(limits.holdMs * 2 ** pauses, limits.holdMaxMs)
    this.paused.set(laneId, { until, because: "carrier" })
  }

  /**
   * The lane goes on after a wait. Every other time it tries somebody first who is not held back: those who are may all be refused where
   * others are not, and others may all be refused where those who are held back are not any more.
   */
  goesOn(laneId: string): void {
    const pause = this.paused.get(laneId)
    this.paused.delete(laneId)
    const patience = this.#patience.get(laneId)
    if (pause?.because !== "carrier" || patience === undefined) return
    this.#patience.set(laneId, { ...patience, triesUnheld: patience.pauses % 2 === 1 })
  }

  /** Whether the lane's next call is for somebody who is not held back, if there is one. */
  triesUnheld(laneId: string): boolean {
    return this.#patience.get(laneId)?.triesUnheld === true
  }

  /** A call of the lane was started. */
  tried(laneId: string): void {
    const patience = this.#patience.get(laneId)
    if (patience?.triesUnheld === true) this.#patience.set(laneId, { ...patience, triesUnheld: false })
  }

  /** The carrier is there again: lanes that wait for it wait no longer. Returns them. */
  carrierIsBack(now: number): ReadonlyArray<string> {
    const waiting = [...this.paused].filter(([, { because, until }]) => because === "carrier" && until > now)
    for (const [laneId, pause] of waiting) this.paused.set(laneId, { ...pause, until: now })
    return waiting.map(([laneId]) => laneId)
  }
}
