import { inboxAddress, inboxOf } from "./Inboxes.ts"

/** What the simulator's resolver answers. */
export interface NameRecords {
  readonly records: Readonly<Record<string, ReadonlyArray<string>>>
  /** A different answer on each look-up, the last one from then on. */
  readonly flip?: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>
}

/** The resolver of the simulated world. Names without a record do not resolve, inboxes apart; no look-up leaves the process. */
export class Names {
  #records: ReadonlyMap<string, ReadonlyArray<string>> = new Map()
  #flips: ReadonlyMap<string, { readonly answers: ReadonlyArray<ReadonlyArray<string>>; asked: number }> = new Map()

  replace({ flip = {}, records }: NameRecords): void {
    this.#records = new Map(Object.entries(records))
    this.#flips = new Map(Object.entries(flip).map(([name, answers]) => [name, { answers, asked: 0 }]))
  }

  resolve(hostname: string): ReadonlyArray<string> {
    const flip = this.#flips.get(hostname)
    if (flip !== undefined) return flip.answers[Math.min(flip.asked++, flip.answers.length - 1)] ?? []
    return this.#records.get(hostname) ?? (inboxOf(hostname) === null ? [] : [inboxAddress])
  }
}
