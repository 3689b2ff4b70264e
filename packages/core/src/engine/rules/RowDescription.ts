import type { Dependency } from "../../Errors.ts"
import type { FollowingChange } from "../../Changes.ts"
import type { Guard } from "./Guards.ts"
import type { WakeupChange } from "./Wakeup.ts"

/** What every row has: which write of it this is, from 1 (or `first`), and whose it is; one of the installation is nobody's. */
export interface Revised {
  readonly revision: number
  readonly organization_id?: string | null
}

/** Where the dispatcher has to look anew: one lane of an organization, or all of them where `lane_id` is null. */
export interface TouchedLane {
  readonly organization_id: string
  readonly lane_id: string | null
}

/** What follows from a change of a row, in the same commit. */
export interface Follows {
  readonly changes: ReadonlyArray<FollowingChange>
  readonly wakeups: ReadonlyArray<WakeupChange>
}

/**
 * All that is known of a kind of row beside its fields. It stands in the module of its noun; `Rows.ts` collects the kinds, and stores,
 * faults, failures and models know a kind by it alone.
 */
export interface RowDescription<Row extends Revised> {
  readonly id: (row: Row) => string
  /**
   * Of a kind whose rows may go and come back under the same id: the revision at which a new row begins, above each that an earlier row of its id
   * had. Whoever read the earlier one must not take it for the new one. Also of a kind whose revisions other rows name. Of all others it is 1.
   */
  readonly first?: (row: Row) => number
  /**
   * The row at a revision. Of a kind with many fields that is written often: V8 copies rows of one shape at once, and those of all kinds, where they
   * are copied in one place, field by field.
   */
  readonly revised?: (row: Row, revision: number) => Row
  /** Under whose name its reads and its commits fail. */
  readonly dependency: Dependency
  /** What one row of an organization has at most, beside its id: a second one is a conflict. Null while the row has none. */
  readonly unique?: (row: Row) => string | null
  /** The lane that a change of the row concerns; null where there is none. */
  readonly lane?: (row: Row) => TouchedLane | null
  /** Whether the row takes of its lane what others could have. Where this is said, the lane is concerned only when it changes. */
  readonly takes?: (row: Row) => boolean
  /** The sets that a row joins as it is written, null before for a new one: their guards are raised in the same commit. */
  readonly joins?: (before: Row | null, after: Row) => ReadonlyArray<Guard>
  /** What follows from a change at a time: null before is a row that was not there, null after one that is taken back. */
  readonly follows?: (before: Row | null, after: Row | null, at: number) => Follows
}

/** The lane that a change of a row concerns; `took` and `isThere` say whether it took of the lane before, and whether it is there afterwards. */
export const laneTouched = <Row extends Revised>(
  { lane, takes }: RowDescription<Row>,
  row: Row,
  took: boolean,
  isThere: boolean,
): TouchedLane | null => {
  const isSame = takes !== undefined && took === (isThere && takes(row))
  return isSame || lane === undefined ? null : lane(row)
}
