import { limits } from "../../Limits.ts"
import type { Fault } from "./RowFaults.ts"

/** What a verification has found. */
export interface VerificationReport {
  /** Rows that were looked at. */
  readonly rows: {
    readonly campaigns: number
    readonly batches: number
    readonly contacts: number
    readonly calls: number
    readonly deliveries: number
    /** Numbers that are suppressed, or were for a time. */
    readonly callees: number
    readonly audit_records: number
  }
  /** Campaigns and batches whose counts moved meanwhile, so that they could not be held against their rows. Verify again when they are still. */
  readonly moving: number
  /** What breaks a law: the first of them, and how many there are. */
  readonly faults: ReadonlyArray<Fault>
  readonly fault_count: number
}

type Kind = keyof VerificationReport["rows"]

/** What was found so far. */
export class Found {
  readonly #rows = { campaigns: 0, batches: 0, contacts: 0, calls: 0, deliveries: 0, callees: 0, audit_records: 0 }
  readonly #faults: Array<Fault> = []
  #count = 0
  moving = 0

  looked(kind: Kind, rows = 1): void {
    this.#rows[kind] += rows
  }

  add(fault: Fault | null): void {
    if (fault === null) return
    this.#count += 1
    if (this.#faults.length < limits.verificationFaults) this.#faults.push(fault)
  }

  get report(): VerificationReport {
    return { rows: this.#rows, moving: this.moving, faults: this.#faults, fault_count: this.#count }
  }
}
