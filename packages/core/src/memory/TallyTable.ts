import type { Tally } from "../tallies/Tally.ts"

/** Everything that is counted, by campaign and batch. */
export class TallyTable {
  readonly #tallies = new Map<string, { [figure: string]: number }>()

  add(subject: string, figures: Tally): void {
    let tally = this.#tallies.get(subject)
    if (tally === undefined) {
      tally = {}
      this.#tallies.set(subject, tally)
    }
    for (const name in figures) tally[name] = (tally[name] ?? 0) + (figures[name] ?? 0)
  }

  /** The figures as they stand; the reader's copy does not change. */
  read(subject: string): Tally {
    return { ...this.#tallies.get(subject) }
  }
}
