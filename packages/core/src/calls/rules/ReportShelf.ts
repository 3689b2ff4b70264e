import { limits } from "../../Limits.ts"
import type { CarrierReport } from "../../telephony/rules/Leg.ts"

/** How much may be kept. */
interface Most {
  readonly reports: number
  readonly characters: number
}

/** A report that is kept, with how much of the shelf it takes. */
interface KeptReport {
  readonly report: CarrierReport
  readonly text: string
}

/**
 * Reports that could not be stored, of each call in the order in which they came, in bounded number and size. One that comes again word for word is
 * kept once. Where there are too many the oldest go.
 */
export class ReportShelf {
  readonly #calls = new Map<string, Array<KeptReport>>()
  readonly #most: Most
  #size = 0
  #characters = 0

  constructor(most: Most = { reports: limits.keptReports, characters: limits.keptReportCharacters }) {
    this.#most = most
  }

  size(): number {
    return this.#size
  }

  /** The calls of which something is kept, the one that has waited longest first. */
  calls(): ReadonlyArray<string> {
    return [...this.#calls.keys()]
  }

  of(executionId: string): ReadonlyArray<CarrierReport> {
    return (this.#calls.get(executionId) ?? []).map(({ report }) => report)
  }

  /** Keeps a report; returns how many were given up for it. */
  keep(report: CarrierReport): number {
    const text = JSON.stringify(report)
    const kept = this.#calls.get(report.execution_id) ?? []
    if (kept.some((one) => one.text === text)) return 0
    kept.push({ report, text })
    this.#calls.set(report.execution_id, kept)
    this.#size += 1
    this.#characters += text.length
    let given = 0
    for (; this.#size > this.#most.reports || this.#characters > this.#most.characters; given += 1) this.#dropOldest()
    return given
  }

  /** It is stored, or nobody will ever take it. */
  drop(report: CarrierReport): void {
    const kept = this.#calls.get(report.execution_id)
    const at = kept?.findIndex((one) => one.report === report) ?? -1
    if (kept !== undefined && at >= 0) this.#remove(report.execution_id, kept, at)
  }

  /** Whoever could not be helped now lets the others go first. */
  putBack(executionId: string): void {
    const kept = this.#calls.get(executionId)
    if (kept === undefined) return
    this.#calls.delete(executionId)
    this.#calls.set(executionId, kept)
  }

  /** Forgets all; returns how many they were. */
  clear(): number {
    const size = this.#size
    this.#calls.clear()
    this.#size = 0
    this.#characters = 0
    return size
  }

  #dropOldest(): void {
    const [oldest] = this.#calls
    if (oldest !== undefined) this.#remove(oldest[0], oldest[1], 0)
  }

  #remove(executionId: string, kept: Array<KeptReport>, at: number): void {
    const [gone] = kept.splice(at, 1)
    if (gone === undefined) return
    this.#size -= 1
    this.#characters -= gone.text.length
    if (kept.length === 0) this.#calls.delete(executionId)
  }
}
