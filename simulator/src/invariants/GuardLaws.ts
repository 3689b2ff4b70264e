import { type Agent, type Call, limits } from "@carillon/core"
import { CallingWindow } from "@carillon/core/domain"
import type { Commit } from "@carillon/core/ports"
import { Result } from "effect"
import { isWithin } from "./Hours.ts"
import type { Invariants } from "./Invariants.ts"

/** Whose windows bind a call, as the rows have it by now. */
interface Binding {
  readonly agentOf: (agentId: string) => Agent | undefined
  /** The agent whose experiment this is. */
  readonly controlOf: (organizationId: string, versionId: string) => string | undefined
}

/** The law of calling windows: folded over every call that begins or comes due. Returns the observer of commits. */
export const guardLaws = (invariants: Invariants, { agentOf, controlOf }: Binding): ((commit: Commit) => void) => {
  const s9 = invariants.open({
    name: "S9c",
    description: "No call is taken in, booked for, or dialled at a time outside the calling windows that bind it.",
  })

  const allows = (agentId: string, at: number, since: number): boolean => {
    const agent = agentOf(agentId)
    const guard = agent?.calling_guard ?? null
    if (agent === undefined || guard?.enabled !== true) return true
    const window = CallingWindow.fromCallingGuard(guard)
    if (Result.isFailure(window)) return false
    return agent.updated_at > since || isWithin(window.success, at) || isWithin(window.success, since)
  }

  /** Judges a call at a moment; it was looked at `waitMs` earlier at most, when its agent may have been another. */
  const judge = ({ ab_version_id, agent_id, execution_id, organization_id }: Call, at: number, waitMs: number) => {
    const control = ab_version_id === null ? undefined : controlOf(organization_id, ab_version_id)
    const agents = control === undefined ? [agent_id] : [agent_id, control]
    const isAllowed = agents.every((agentId) => allows(agentId, at, at - waitMs))
    s9(isAllowed, () => `${execution_id} was let in for ${new Date(at).toISOString()}`)
  }

  return ({ changes }) => {
    for (const change of changes) {
      if (change.put !== "call") continue
      const { contact_id, created_at, dial, direction, due_at, revision, scheduled_at } = change.row
      if (contact_id !== null || direction !== "outbound") continue
      if (revision === 1) judge(change.row, scheduled_at ?? created_at, 0)
      else if (dial === "intended" && due_at !== null) {
        judge(change.row, due_at - limits.questionDelayMs, limits.lineWaitedMs)
      }
    }
  }
}
