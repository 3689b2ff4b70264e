import type { Tally } from "../tallies/rules/Tally.ts"

interface Entry {
  figures: { [figure: string]: number }
  /** Whether a reader has the figures, so that a change must leave them as they are. */
  isShared: boolean
}

/** Everything that is counted, by campaign and batch. */
export class TallyTable {
  readonly #tallies = new Map<string, Entry>()

  add(subject: string, figures: Tally): void {
    let entry = this.#tallies.get(subject)
    if (entry === undefined) {
      entry = { figures: {}, isShared: false }
      this.#tallies.set(subject, entry)
    }
    if (entry.isShared) {
      entry.figures = { ...entry.figures }
      entry.isShared = false
    }
    const tally = entry.figures
    for (const name in figures) tally[name] = (tally[name] ?? 0) + (figures[name] ?? 0)
  }

  /** The figures as they stand; what a reader has does not change. */
  read(subject: string): Tally {
    const entry = this.#tallies.get(subject)
    if (entry === undefined) return {}
    entry.isShared = true
    return entry.figures
  }

  /** The figures for who looks at them at once and keeps nothing of them: they change with the next commit. */
  glance(subject: string): Tally {
    return this.#tallies.get(subject)?.figures ?? {}
  }

  /** One figure, for those who need no more. */
  figure(subject: string, name: string): number {
    return this.#tallies.get(subject)?.figures[name] ?? 0
  }
}
