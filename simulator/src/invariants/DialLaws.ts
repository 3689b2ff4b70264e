import type { Call, Commit } from "@carillon/core"
import type { MemoryTables } from "@carillon/core/memory"
import type { Invariants } from "./Invariants.ts"

export interface DialLaws {
  readonly observe: (commit: Pick<Commit, "changes">) => void
  /** Takes in calls that were there before: those that are being dialled have been judged. */
  readonly restore: (commit: Pick<Commit, "changes">) => void
}

/** The law of who dials, and from which number: folded over every commit, judged by the rows as a dial is committed. */
export const dialLaws = (invariants: Invariants, tables: Pick<MemoryTables, "agents" | "phoneNumbers">): DialLaws => {
  const s19 = invariants.open({
    name: "S19",
    description: "Only an ACTIVE agent dials, and from no number that is not the organization's.",
  })
  /** Calls that the carrier was asked for, or will be, and whose answer is not known yet. */
  const intended = new Set<string>()

  const judge = ({ agent_id, execution_id, from_number, organization_id }: Call) => {
    const status = tables.agents.get(agent_id)?.status
    s19(status === "ACTIVE", () => `${execution_id} is dialled by ${agent_id}, which is ${status ?? "not there"}`)
    const isOwn = from_number === null || tables.phoneNumbers.findByKey(organization_id, from_number) !== null
    s19(isOwn, () => `${execution_id} is dialled from ${from_number}, which was given up`)
  }

  const fold = ({ changes }: Pick<Commit, "changes">, begun: (call: Call) => void) => {
    for (const change of changes) {
      if (change.put === "erased_call") intended.delete(change.call.execution_id)
      if (change.put !== "call") continue
      const { dial, execution_id } = change.row
      if (dial !== "intended") intended.delete(execution_id)
      else if (!intended.has(execution_id)) {
        intended.add(execution_id)
        begun(change.row)
      }
    }
  }

  return { observe: (commit) => fold(commit, judge), restore: (commit) => fold(commit, () => {}) }
}
