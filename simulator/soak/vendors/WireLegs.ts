import type { Course, Wire, WireLeg, WireRefusal } from "../../src/index.ts"

/** The legs of a vendor's stand-in by the ids that it gives them, and how the world's carrier is told of each. */
export class WireLegs {
  readonly #wire: Wire
  readonly #legs = new Map<string, WireLeg>()
  /** One that has no id yet: it gets it as soon as the stand-in has made it. */
  #new: WireLeg | null = null

  constructor(wire: Wire) {
    this.#wire = wire
  }

  dial(executionId: string | null, toNumber: string): WireLeg | WireRefusal {
    const leg = this.#wire.dial(executionId, toNumber)
    this.#new = "refused" in leg ? null : leg
    return leg
  }

  /** How the leg of an id goes. */
  courseOf(id: string): Course | null {
    return this.#legs.get(id)?.course ?? null
  }

  watch(id: string, moment: "made" | "answered" | "hung_up" | "ended"): void {
    if (moment === "made" && this.#new !== null) this.#legs.set(id, this.#new)
    const leg = this.#legs.get(id)
    if (leg === undefined) throw new Error(`Nobody has dialled ${id}.`)
    switch (moment) {
      case "made":
        this.#new = null
        break
      case "answered":
        return leg.answered()
      case "hung_up":
        return leg.hungUp()
      case "ended":
        return leg.ended()
    }
  }
}
