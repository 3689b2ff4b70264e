import type { Change } from "../engine/Commit.ts"
import { figure, type Tally } from "./Tally.ts"

/**
 * The tally of a subject as a commit leaves it that was decided on this one. What answers a request is taken from here: a read after the commit
 * could fail, and nobody may be told that nothing was done when it was.
 */
export const tallyAfter = (tally: Tally, subject: string, changes: ReadonlyArray<Change> = []): Tally => {
  const after: { [figure: string]: number } = { ...tally }
  for (const change of changes) {
    if (change.put !== "tally" || change.subject !== subject) continue
    for (const [name, added] of Object.entries(change.add)) after[name] = figure(after, name) + added
  }
  return after
}
