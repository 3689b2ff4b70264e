/** A log of changed lanes is rewritten once it holds more than this many entries for each lane, and at least so many. */
const entriesPerLane = 4
const shortestLog = 64

/** Which lanes of an organization changed, in order: an append-only log that is compacted, so that reading the news costs only the news. */
class Lanes {
  readonly #last = new Map<string, number>()
  #log: Array<{ readonly lane: string; readonly sequence: number }> = []
  #sequence = 0

  touch(lane: string): void {
    this.#sequence += 1
    this.#last.set(lane, this.#sequence)
    this.#log.push({ lane, sequence: this.#sequence })
    if (this.#log.length > Math.max(shortestLog, entriesPerLane * this.#last.size)) {
      this.#log = this.#log.filter(({ lane: id, sequence }) => this.#last.get(id) === sequence)
    }
  }

  touchAll(): void {
    for (const lane of this.#last.keys()) this.touch(lane)
  }

  get all(): Iterable<string> {
    return this.#last.keys()
  }

  changed(since: number): { readonly sequence: number; readonly lanes: ReadonlyArray<string> } {
    const lanes = new Set<string>()
    for (let index = this.#log.length - 1; index >= 0; index--) {
      const entry = this.#log[index]
      if (entry === undefined || entry.sequence <= since) break
      lanes.add(entry.lane)
    }
    return { sequence: this.#sequence, lanes: [...lanes].reverse() }
  }
}

const nothing = { sequence: 0, lanes: [] }

/** The lanes of the world by organization. */
export class LaneTable {
  readonly #lanes = new Map<string, Lanes>()

  touch(organizationId: string, lane: string): void {
    let lanes = this.#lanes.get(organizationId)
    if (lanes === undefined) {
      lanes = new Lanes()
      this.#lanes.set(organizationId, lanes)
    }
    lanes.touch(lane)
  }

  /** Something that concerns every lane of the organization has changed. */
  touchAll(organizationId: string): void {
    this.#lanes.get(organizationId)?.touchAll()
  }

  changed(organizationId: string, since: number): { readonly sequence: number; readonly lanes: ReadonlyArray<string> } {
    return this.#lanes.get(organizationId)?.changed(since) ?? nothing
  }

  /** Every lane that an organization ever had. */
  of(organizationId: string): Iterable<string> {
    return this.#lanes.get(organizationId)?.all ?? nothing.lanes
  }

  any(organizationId: string): boolean {
    return this.#lanes.has(organizationId)
  }

  organizations(): Iterable<string> {
    return this.#lanes.keys()
  }
}
