import { limits } from "../Limits.ts"

/** How many reports of ids that nobody knows have come since that was last told; a flood of them is one line in the log now and then. */
export class UnknownReports {
  #count = 0
  #toldAt: number | null = null

  /** Counts one more; returns how many to tell of now, or null while it was told too recently. */
  note(now: number): number | null {
    this.#count += 1
    if (this.#toldAt !== null && now - this.#toldAt < limits.unknownReportsMs) return null
    const count = this.#count
    this.#count = 0
    this.#toldAt = now
    return count
  }
}
