/** A law that the world never breaks, by its name in the architecture. */
export interface Invariant {
  readonly name: string
  readonly description: string
}

export interface Violation {
  readonly name: string
  /** Epoch milliseconds of virtual time. */
  readonly at: number
  readonly detail: string
}

/** Violations kept; a broken law breaks often, and the first breaks tell why. */
const maxViolations = 100

/** The book of invariants: how often each was checked, and where one did not hold. */
export class Invariants {
  readonly #now: () => number
  readonly #broken: (violation: Violation) => void
  readonly #checked = new Map<string, { readonly invariant: Invariant; checks: number }>()
  readonly #violations: Array<Violation> = []

  /** `broken` is told of each violation that is kept. */
  constructor(now: () => number, broken: (violation: Violation) => void = () => {}) {
    this.#now = now
    this.#broken = broken
  }

  /** Opens an invariant; the function checks it once. The detail is only made when it does not hold. */
  open(invariant: Invariant): (holds: boolean, detail: () => string) => void {
    const entry = { invariant, checks: 0 }
    this.#checked.set(invariant.name, entry)
    return (holds, detail) => {
      entry.checks += 1
      if (holds || this.#violations.length >= maxViolations) return
      const violation = { name: invariant.name, at: this.#now(), detail: detail() }
      this.#violations.push(violation)
      this.#broken(violation)
    }
  }

  get checked(): ReadonlyArray<Invariant & { readonly checks: number }> {
    return [...this.#checked.values()].map(({ invariant, checks }) => ({ ...invariant, checks }))
  }

  get violations(): ReadonlyArray<Violation> {
    return this.#violations
  }
}
