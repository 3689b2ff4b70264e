import { following } from "../engine/rules/Put.ts"
import type { Rows } from "../Rows.ts"
import { Recount } from "../tallies/rules/Recount.ts"
import type { Tally } from "../tallies/rules/Tally.ts"
import {
  addUsage,
  lessUsage,
  noUsage,
  type UsageDelta,
  type UsageFigures,
  usageMinuteMs,
  type UsagePlace,
} from "../usage/rules/Usage.ts"
import type { UsageCell } from "../usage/ports/UsageStore.ts"
import type { CarriedKind, Line } from "./rules/PortableFile.ts"

const nameOf = ({ agent_id, at, campaign_id }: UsagePlace): string =>
  JSON.stringify([Math.floor(at / usageMinuteMs), agent_id, campaign_id])

/** What is counted once a row is there. */
const countedOf = <K extends CarriedKind>({ kind, row }: { readonly kind: K; readonly row: Rows[K] }, now: number) =>
  following(kind, null, row, now).changes

/** Sums of fractions depend on their order, so of what is all there they may differ by this. */
const slack = 1e-9

const isNothing = ({ calls, connected_calls, cost, duration_seconds, status_counts }: UsageFigures): boolean =>
  calls === 0 &&
  connected_calls === 0 &&
  Math.abs(duration_seconds) < slack &&
  Math.abs(cost) < slack &&
  Object.keys(status_counts).length === 0

/**
 * What is counted of rows that are gone: a figure stays what it was, so it does not follow from the rows of a file any more. It is what is kept
 * beyond all that an import will count of the lines.
 */
export class FiguresOfGone {
  readonly #tallies = new Recount()
  readonly #usage = new Map<string, UsageFigures>()
  readonly #subjects: Array<string> = []
  /** Usage before this moment is of calls that may be gone, in whole minutes. */
  readonly until: number

  constructor(callsBefore: number | null) {
    this.until = Math.ceil((callsBefore ?? 0) / usageMinuteMs) * usageMinuteMs
  }

  /** The campaigns and batches of the lines. */
  get subjects(): ReadonlyArray<string> {
    return this.#subjects
  }

  /** A line that is in the file. */
  add(line: Line, now: number): void {
    if (line.kind === "campaign") this.#subjects.push(line.row.campaign_id)
    if (line.kind === "batch") this.#subjects.push(line.row.batch_id)
    if (line.kind !== "batch" && line.kind !== "call" && line.kind !== "contact") return
    const changes = countedOf(line, now)
    this.#tallies.add(changes)
    for (const change of changes) {
      if (change.put !== "usage" || change.delta.at >= this.until) continue
      const name = nameOf(change.delta)
      this.#usage.set(name, addUsage(this.#usage.get(name) ?? noUsage, change.delta))
    }
  }

  /** What is kept of a subject beyond the lines. */
  tally(subject: string, kept: Tally): Tally {
    return this.#tallies.beyond(subject, kept)
  }

  /** The same of a tally of usage; null where the lines are all of it. */
  usage(organization_id: string, { figures, ...place }: UsageCell): UsageDelta | null {
    const more = lessUsage(figures, this.#usage.get(nameOf(place)) ?? noUsage)
    return isNothing(more) ? null : { organization_id, ...place, ...more }
  }
}
