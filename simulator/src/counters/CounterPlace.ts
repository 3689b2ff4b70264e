import type { CallStore, CounterPorts } from "@carillon/core/ports"

/** What one world counts with. */
export interface WorldCounters extends CounterPorts {
  /** Forgets everything. */
  readonly close: () => Promise<void>
}

/** Where lines and request rates are counted outside of this process. Each world counts from nothing but its committed calls. */
export interface CounterPlace {
  /** As it may be shown. */
  readonly name: string
  readonly open: (calls: CallStore["Service"]) => Promise<WorldCounters>
}

/** Nobody answers at the address. */
export class CountersAway extends Error {
  override readonly name = "CountersAway"
}
