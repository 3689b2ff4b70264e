import type { AuditRecord } from "../../audit/rules/AuditChain.ts"
import type { ContactEntry } from "../../contacts/rules/Contact.ts"
import type { Change } from "../../engine/rules/Commit.ts"
import { RowsByKind } from "../RowsByKind.ts"
import { liveness, safety, type Sight, type Violation } from "./Laws.ts"
import type { View } from "./Rest.ts"

/** Everything that a store holds, as its rows stand. */
export interface Contents {
  readonly changes: ReadonlyArray<Change>
  readonly entries: ReadonlyArray<{ readonly batch_id: string; readonly row: number; readonly entry: ContactEntry }>
  readonly audit: ReadonlyArray<AuditRecord>
}

/** What the laws look at of what a store holds, at a moment (epoch milliseconds). */
export const viewOf = ({ audit, changes, entries }: Contents, { lines, now }: Pick<Sight, "lines" | "now">): View => {
  const rows = new RowsByKind()
  const tallies = new Map<string, { [figure: string]: number }>()
  for (const change of changes) {
    rows.apply(change)
    if (change.put !== "tally") continue
    const figures = tallies.get(change.subject) ?? {}
    for (const name in change.add) figures[name] = (figures[name] ?? 0) + (change.add[name] ?? 0)
    tallies.set(change.subject, figures)
  }
  const numbers = new Map(entries.map(({ batch_id, row, entry }) => [`${batch_id} ${row}`, entry.to_number]))
  return {
    rows,
    now,
    numberOf: (batchId, row) => numbers.get(`${batchId} ${row}`) ?? null,
    tally: (subject) => tallies.get(subject) ?? {},
    lines,
    reopened: (campaignId) =>
      audit.some(({ action, resource }) => resource.id === campaignId && /^campaign\.(revive|update)$/.test(action)),
  }
}

/** The laws that do not hold of what a store holds, where nothing is to come any more. */
export const lawsAtRest = (contents: Contents, at: Pick<Sight, "lines" | "now">): ReadonlyArray<Violation> => {
  const view = viewOf(contents, at)
  return [...safety(view), ...liveness(view, view.reopened)]
}
