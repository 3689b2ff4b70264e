import type { PutRow, RowChange } from "../../engine/rules/Outcome.ts"
import { following } from "../../engine/rules/Put.ts"
import type { RowKind } from "../../Rows.ts"
import { figure, type Tally } from "../rules/Tally.ts"

const follows = <K extends RowKind>({ before, put, row }: PutRow<K>, at: number) =>
  following(put, before, row, at).changes

/**
 * The tally of a subject as the rows that a step writes leave it, which was decided on this one. What answers a request is taken from here: a read
 * after the commit could fail, and nobody may be told that nothing was done when it was.
 */
export const tallyAfter = (tally: Tally, subject: string, changes: ReadonlyArray<RowChange>, at: number): Tally => {
  const after: { [figure: string]: number } = { ...tally }
  for (const change of changes) {
    if (!("row" in change)) continue
    for (const counted of follows(change, at)) {
      if (counted.put !== "tally" || counted.subject !== subject) continue
      for (const [name, added] of Object.entries(counted.add)) after[name] = figure(after, name) + added
    }
  }
  return after
}
