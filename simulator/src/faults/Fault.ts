/** How a dependency fails. */
export const faultModes = ["unreachable", "timeout", "error"] as const

export type FaultMode = (typeof faultModes)[number]

/** The dependencies that can be broken here, in the order in which they are published. */
export const breakable = [
  "key_store",
  "rate_limit_store",
  "slot_store",
  "call_store",
  "telephony",
  "agent_store",
  "translation",
  "scheduler",
  "account",
  "webhook_store",
  "webhook_network",
  "usage",
  "knowledge_index",
] as const

export type Breakable = (typeof breakable)[number]

/** A fault: lets `skip` uses through, then fails `times` of them (all where it is left out), each with chance `rate`, for `for_ms` of virtual time. */
export interface Fault {
  readonly mode: FaultMode
  readonly rate?: number
  readonly skip?: number
  readonly times?: number
  readonly for_ms?: number
}

interface InForce {
  readonly fault: Fault
  readonly until: number
  uses: number
  failures: number
}

/** The faults in force. */
export class Faults {
  readonly #now: () => number
  readonly #draw: (purpose: string, ...key: ReadonlyArray<string | number>) => number
  readonly #inForce = new Map<Breakable, InForce>()
  readonly #lastStruck = new Map<Breakable, number>()

  constructor(now: () => number, draw: (purpose: string, ...key: ReadonlyArray<string | number>) => number) {
    this.#now = now
    this.#draw = draw
  }

  /** Sets the named ones and clears those that are null. */
  set(faults: { readonly [dependency in Breakable]?: Fault | null }): void {
    for (const dependency of breakable) {
      const fault = faults[dependency]
      if (fault === undefined) continue
      if (fault === null) this.#inForce.delete(dependency)
      else {
        const until = fault.for_ms === undefined ? Infinity : this.#now() + fault.for_ms
        this.#inForce.set(dependency, { fault, until, uses: 0, failures: 0 })
      }
    }
  }

  clear(): void {
    this.#inForce.clear()
  }

  get current(): { readonly [dependency in Breakable]?: Fault } {
    const faults: { [dependency in Breakable]?: Fault } = {}
    for (const dependency of breakable) {
      const found = this.#live(dependency)
      if (found !== undefined) faults[dependency] = found.fault
    }
    return faults
  }

  /** Whether every use works. */
  get areNone(): boolean {
    return this.#inForce.size === 0
  }

  /** Uses a dependency once: how it fails, or null where it works. */
  strike(dependency: Breakable): FaultMode | null {
    const found = this.#live(dependency)
    if (found === undefined) return null
    const { mode, rate = 1, skip = 0, times = Infinity } = found.fault
    const nth = found.uses++
    if (nth < skip || found.failures >= times) return null
    if (rate < 1 && this.#draw("fault", dependency, nth) >= rate) return null
    found.failures += 1
    this.#lastStruck.set(dependency, this.#now())
    return mode
  }

  /** When a dependency failed last; minus infinity when it never did. */
  lastStruck(dependency: Breakable): number {
    return this.#lastStruck.get(dependency) ?? -Infinity
  }

  #live(dependency: Breakable): InForce | undefined {
    const found = this.#inForce.get(dependency)
    if (found === undefined || this.#now() < found.until) return found
    this.#inForce.delete(dependency)
    return undefined
  }
}
