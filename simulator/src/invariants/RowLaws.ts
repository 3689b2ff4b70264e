import type { Call, CallStatus } from "@carillon/core"
import { AuditChain, isTerminal } from "@carillon/core/domain"
import type { Change, Commit } from "@carillon/core/ports"
import type { MemoryTables } from "@carillon/core/memory"
import type { Invariants } from "./Invariants.ts"
import { Remembered } from "./Remembered.ts"

export interface RowLaws {
  readonly observe: (commit: Commit) => void
  /** How many calls there are, by status; a folded record is not one, nor is a dial that was taken back. */
  readonly callsByStatus: () => Readonly<Record<string, number>>
}

/** The organization that a changed row belongs to; null where it is nobody's. */
const ownerOf = (change: Change): string | null => {
  switch (change.put) {
    case "platform":
    case "tally":
    case "guard":
      return null
    case "erased_call":
      return change.call.organization_id
    case "debit":
    case "balance":
    case "endpoint_attempt":
    case "discard":
    case "removal":
      return change.organization_id
    case "usage":
      return change.delta.organization_id
    default:
      return change.row.organization_id
  }
}

/** The laws of rows: folded over every commit, in commit order. */
export const rowLaws = (
  invariants: Invariants,
  options: {
    /** The audit trails as they are stored. */
    readonly audit: Pick<MemoryTables["audit"], "after">
    /** How many ended calls are remembered. */
    readonly retention: number
    /** A call is there, or its status has changed; `before` is null for one that is new. */
    readonly moved: (call: Call, before: CallStatus | null) => void
  },
): RowLaws => {
  const s15 = invariants.open({ name: "S15", description: "A terminal status never changes." })
  const s16 = invariants.open({ name: "S16", description: "The audit trail of every organization verifies." })
  const s17 = invariants.open({
    name: "S17",
    description: "No commit of one organization touches a row of another.",
  })

  const live = new Map<string, CallStatus>()
  const over = new Map<string, CallStatus>()
  const ends = new Remembered(options.retention)
  const counts = new Map<CallStatus, number>()
  const trails = new Map<string, AuditChain.ChainVerification>()

  const add = (status: CallStatus, by: number) => counts.set(status, (counts.get(status) ?? 0) + by)

  const call = (row: Call) => {
    const id = row.execution_id
    const ended = over.get(id)
    if (ended !== undefined) s15(ended === row.status, () => `${id} went from ${ended} to ${row.status}`)
    const before = ended ?? live.get(id)
    // An ended call that is forgotten by now has been counted.
    if (before === undefined && row.revision > 1) return
    if (before !== row.status && row.folded_into === null) options.moved(row, before ?? null)
    if (before !== undefined) add(before, -1)
    live.delete(id)
    if (row.folded_into !== null) over.delete(id)
    if (row.folded_into !== null) return
    add(row.status, 1)
    if (!isTerminal(row.status)) live.set(id, row.status)
    else {
      over.set(id, row.status)
      const forgotten = ended === undefined ? ends.add(id) : undefined
      if (forgotten !== undefined) over.delete(forgotten)
    }
  }

  /** A dial that was taken back was never made. */
  const takenBack = (id: string) => {
    const before = live.get(id)
    if (before === undefined) return
    add(before, -1)
    live.delete(id)
  }

  const verify = (organizationId: string) => {
    let state = trails.get(organizationId) ?? AuditChain.beginVerification()
    for (const record of options.audit.after(organizationId, state.head.sequence, Infinity)) {
      if (state.fault !== null) break
      state = AuditChain.verifyNext(state, record)
      s16(state.fault === null, () => `${state.fault?.reason} at ${state.fault?.event_id} of ${organizationId}`)
    }
    trails.set(organizationId, state)
  }

  return {
    observe: (commit) => {
      for (const change of commit.changes) {
        const owner = ownerOf(change)
        s17(
          owner === null || owner === commit.organization_id,
          () => `A commit of ${commit.organization_id} wrote a ${change.put} of ${owner}`,
        )
        if (change.put === "call") call(change.row)
        else if (change.put === "erased_call") takenBack(change.call.execution_id)
      }
      for (const entry of commit.audit) verify(entry.organization_id)
    },
    callsByStatus: () => Object.fromEntries([...counts].filter(([, count]) => count > 0)),
  }
}
