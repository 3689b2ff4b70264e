import { bounds } from "./Bounds.ts"

/** Worker's reports that were taken, by their ids, in bounded number; the oldest go first. */
export class SeenReports {
  readonly #ids = new Set<string>()

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  add(id: string): void {
    this.#ids.add(id)
    const [oldest] = this.#ids
    if (this.#ids.size > bounds.reportsRemembered && oldest !== undefined) this.#ids.delete(oldest)
  }
}
