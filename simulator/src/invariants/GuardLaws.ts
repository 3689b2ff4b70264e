import { type Agent, type Call, CallingWindow, type Commit } from "@carillon/core"
import { Result } from "effect"
import { isWithin } from "./Hours.ts"
import type { Invariants } from "./Invariants.ts"

/** The law of calling windows: folded over every call that begins. Returns the observer of commits. */
export const guardLaws = (
  invariants: Invariants,
  agentOf: (agentId: string) => Agent | undefined,
): ((commit: Commit) => void) => {
  const s9 = invariants.open({
    name: "S9c",
    description: "No call is taken in, or booked, for a time outside its agent's calling window.",
  })

  const judge = ({ agent_id, created_at, execution_id, scheduled_at }: Call) => {
    const guard = agentOf(agent_id)?.calling_guard ?? null
    const window = guard?.enabled === true ? CallingWindow.fromCallingGuard(guard) : null
    const at = scheduled_at ?? created_at
    s9(
      window === null || (Result.isSuccess(window) && isWithin(window.success, at)),
      () => `${execution_id} was let in for ${new Date(at).toISOString()}`,
    )
  }

  return (commit) => {
    for (const change of commit.changes) {
      if (change.put !== "call") continue
      const { contact_id, direction, revision } = change.row
      if (revision === 1 && contact_id === null && direction === "outbound") judge(change.row)
    }
  }
}
