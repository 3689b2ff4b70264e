/** So many lines in so long: of one organization, and of all together. */
interface LinesBound {
  readonly organization: number
  readonly process: number
}

/** The lines in the log that name an organization, or what is its own: so many in so long, and of one organization fewer. */
export class SharedLines {
  readonly #bound: LinesBound
  readonly #everyMs: number
  #since = -Infinity
  #all = 0
  readonly #own = new Map<string, number>()

  constructor(bound: LinesBound, everyMs: number) {
    this.#bound = bound
    this.#everyMs = everyMs
  }

  /** Whether one more may have a line of its own: where it happens to everybody, the cause lies here. */
  may(organizationId: string, now: number): boolean {
    if (now >= this.#since + this.#everyMs) {
      this.#since = now
      this.#all = 0
      this.#own.clear()
    }
    const own = this.#own.get(organizationId) ?? 0
    if (own >= this.#bound.organization || this.#all >= this.#bound.process) return false
    this.#all += 1
    this.#own.set(organizationId, own + 1)
    return true
  }
}
