import { descriptions, type Put, type RowKind, type Rows } from "../Rows.ts"
import type { Follows, Revised } from "./RowDescription.ts"

/** A row as it stands once it is written over `before`, null for a new one. Revisions are raised here and nowhere else. */
export const raised = <Row extends Revised>(before: Revised | null, after: Row): Row => ({
  ...after,
  revision: (before?.revision ?? 0) + 1,
})

/** The change that writes a row over the one that was read, null for a new one. */
export const put = <K extends RowKind>(kind: K, before: Rows[K] | null, after: Rows[K]): Put<K> => ({
  put: kind,
  row: raised(before, after),
})

const nothing: Follows = { changes: [], wakeups: [] }

/** What follows from a change of a row at a time: null before is a row that was not there, null after one that is taken back. */
export const following = <K extends RowKind>(
  kind: K,
  before: Rows[K] | null,
  after: Rows[K] | null,
  at: number,
): Follows => descriptions[kind].follows?.(before, after, at) ?? nothing

/** The part of a commit that writes a row over the one that was read, null for a new one, with all that follows from it. */
export const change = <K extends RowKind>(kind: K, before: Rows[K] | null, after: Rows[K], at: number) => {
  const { changes, wakeups } = following(kind, before, after, at)
  return { changes: [put(kind, before, after), ...changes], wakeups }
}
