import type { Trial } from "../trial/Trial.ts"
import type { Capability } from "./Capabilities.ts"

/** One scenario against the server under test. */
export interface Case {
  /** A path that people can read and globs can select: `calls/stop/still-being-placed`. */
  readonly id: string
  readonly title: string
  /** The clauses that the checks of this case cite; a check may cite only these. */
  readonly clauses: ReadonlyArray<string>
  readonly requires: ReadonlyArray<Capability>
  /**
   * The longest wait of this case in milliseconds, when it can be run without a clock by waiting in real time
   * (`--slow`); absent when it cannot.
   */
  readonly realTimeMs?: number
  readonly run: (trial: Trial) => Promise<void>
}
