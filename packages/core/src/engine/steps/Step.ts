import type { By, ByRow } from "../rules/By.ts"
import type { RowKind } from "../../Rows.ts"
import type { Moment } from "./Moment.ts"
import type { Outcome } from "../rules/Outcome.ts"
import type { Reading, Round } from "./Reading.ts"

/**
 * A step as a value: what it reads, and what is decided from it. Both are plain functions of what they are given, so a step is tested without an
 * engine. `Steps` takes it: it reads, decides, writes, and decides anew where a neighbour has written first.
 */
export interface Step<In, View, Reply, ReadRefusal = never, Refusal = never> {
  /** `noun.verb`: what the audit trail calls it, unless it says otherwise. */
  readonly name: string
  /** Why it may read more rows than `limits.stepRows`: what is decided together, and bounded by nothing. */
  readonly whole?: string
  /**
   * The row that decides, where whoever writes it is often just ahead: nothing is read while a commit of this process is on its way that replaces
   * it and has not been for long.
   */
  readonly awaits?: (input: In) => { readonly kind: RowKind; readonly id: string }
  readonly reads: (input: In) => Reading<View, ReadRefusal>
  readonly decide: (input: In, view: View, at: Moment) => Outcome<Reply, Refusal>
}

/** The errors with which a step may be refused. */
export type Refusals<ReadRefusal, Refusal> = Exclude<ReadRefusal, Round> | Refusal

/** A step. Its types follow from what it reads and decides; its input says on whose behalf it is taken. */
export const step = <In extends By | ByRow, View, Reply, ReadRefusal = never, Refusal = never>(
  value: Step<In, View, Reply, ReadRefusal, Refusal>,
): Step<In, View, Reply, ReadRefusal, Refusal> => value
