import { descriptions, type Put, type RowKind, type Rows } from "../../Rows.ts"
import type { Follows, Revised } from "./RowDescription.ts"

/** The revision of what is written over `before`, null for a new row. Revisions are raised here and nowhere else. */
const next = (before: Revised | null): number => (before?.revision ?? 0) + 1

/** A row as it stands once it is written over `before`, null for a new one. */
export const raised = <Row extends Revised>(before: Revised | null, after: Row): Row => ({
  ...after,
  revision: next(before),
})

/** A row with the revision that it has once it is written over the one that was read, and what the store is told of a new one that does not begin at 1. */
export const written = <K extends RowKind>(
  kind: K,
  before: Rows[K] | null,
  after: Rows[K],
): { readonly row: Rows[K]; readonly from?: 0 } => {
  const { first, revised } = descriptions[kind]
  const from = before === null ? first?.(after) : undefined
  if (from !== undefined) return { row: { ...after, revision: from }, from: 0 }
  return { row: revised?.(after, next(before)) ?? raised(before, after) }
}

/** The change that writes a row over the one that was read, null for a new one. */
export const put = <K extends RowKind>(kind: K, before: Rows[K] | null, after: Rows[K]): Put<K> => ({
  put: kind,
  ...written(kind, before, after),
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
