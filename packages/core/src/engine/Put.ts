import type { Put, RowKind, Rows } from "../Rows.ts"
import type { Revised } from "./RowDescription.ts"

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
