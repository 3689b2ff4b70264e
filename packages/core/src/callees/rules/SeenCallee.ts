import type { Expectation } from "../../engine/rules/Commit.ts"
import { type Callee } from "./Callee.ts"
import type { HoursSetting } from "./HoursRow.ts"

/** A callee as a dial takes it to stand, and what its commit expects. */
export interface SeenCallee {
  readonly callee: Callee | null
  readonly expect: ReadonlyArray<Expectation>
}

/** The hours of an organization's callees as a dial takes them to stand, and what its commit expects. */
export interface SeenHours {
  readonly setting: HoursSetting | null
  readonly expect: ReadonlyArray<Expectation>
}
