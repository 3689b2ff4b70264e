import { type Call, limits } from "@carillon/core"
import { bindingOf, isCallable, suppressionOf } from "@carillon/core/domain"
import { type Commit, placeOf } from "@carillon/core/ports"
import type { MemoryTables } from "@carillon/core/memory"
import { capLaw } from "./CapLaw.ts"
import type { Invariants } from "./Invariants.ts"

export interface DialLaws {
  readonly observe: (commit: Pick<Commit, "changes">) => void
  /** Takes in calls that were there before: those that are being dialled have been judged. */
  readonly restore: (commit: Pick<Commit, "changes">) => void
}

/** When a dial is committed: its row has the time at which the carrier is asked about it. */
const dialledAt = ({ due_at, updated_at }: Call): number =>
  due_at === null ? updated_at : due_at - limits.questionDelayMs

/** The tables by which a dial is judged. */
type Judged = Pick<MemoryTables, "agents" | "calleeHours" | "callees" | "contacts" | "experiments" | "phoneNumbers">

/** The laws of who dials, from which number, and whom: folded over every commit, judged by the rows as a dial is committed. */
export const dialLaws = (invariants: Invariants, tables: Judged): DialLaws => {
  const s19 = invariants.open({
    name: "S19",
    description: "Only an ACTIVE agent dials, and from no number that is not the organization's.",
  })
  const s23 = invariants.open({
    name: "S23",
    description: "Nobody is called whose number is suppressed, unless somebody asked for it all the same.",
  })
  const s24 = invariants.open({
    name: "S24",
    description: "Nobody is called outside the hours of their number, unless somebody asked for it all the same.",
  })
  const caps = capLaw(invariants, tables)
  /** Calls that the carrier was asked for, or will be, and whose answer is not known yet. */
  const intended = new Set<string>()

  /** Whether a call may be made as far as suppressions go: for who makes it, and for whom its experiment was asked. */
  const isWanted = (call: Call): boolean => {
    if (call.overrides_suppression === true) return true
    const { ab_version_id, agent_id, campaign_id, organization_id, to_number } = call
    const asked = ab_version_id === null ? null : tables.experiments.find(organization_id, ab_version_id)
    const agent_ids = [agent_id, asked?.main_agent_id ?? agent_id]
    return (
      suppressionOf(tables.callees.find(organization_id, to_number), { campaign_id, agent_ids }, dialledAt(call)) ===
      null
    )
  }

  /** Whether the hours of whom it calls are open as it is dialled, or were when it began to wait for its line. */
  const isInHours = (call: Call): boolean => {
    if (call.overrides_callee_hours === true) return true
    const { ab_version_id, agent_id, campaign_id, contact_id, organization_id, to_number, variables } = call
    const asked = ab_version_id === null ? null : tables.experiments.find(organization_id, ab_version_id)
    const place = contact_id === null ? null : placeOf(contact_id)
    const contact = place === null ? undefined : tables.contacts.find(place.batch_id, place.row)
    const callee = { to_number, variables: contact?.entry.variables ?? variables }
    const setting = tables.calleeHours.get(organization_id) ?? null
    const binding = bindingOf(setting, { campaign_id, agent_id: asked?.main_agent_id ?? agent_id }, callee)
    const at = dialledAt(call)
    return isCallable(binding, at) || isCallable(binding, at - limits.lineWaitedMs)
  }

  const judge = (call: Call) => {
    const { agent_id, execution_id, from_number, organization_id, to_number } = call
    const status = tables.agents.get(agent_id)?.status
    s19(status === "ACTIVE", () => `${execution_id} is dialled by ${agent_id}, which is ${status ?? "not there"}`)
    const isOwn = from_number === null || tables.phoneNumbers.findByKey(organization_id, from_number) !== null
    s19(isOwn, () => `${execution_id} is dialled from ${from_number}, which was given up`)
    s23(isWanted(call), () => `${execution_id} calls ${to_number}, which is suppressed`)
    s24(isInHours(call), () => `${execution_id} calls ${to_number} out of hours`)
    caps.begun(call, dialledAt(call))
  }

  const fold = ({ changes }: Pick<Commit, "changes">, begun: (call: Call) => void) => {
    for (const change of changes) {
      if (change.put === "erased_call") {
        intended.delete(change.call.execution_id)
        caps.undone(change.call)
      }
      if (change.put !== "call") continue
      const { dial, execution_id } = change.row
      if (dial === "none" && intended.has(execution_id)) caps.undone(change.row)
      if (dial !== "intended") intended.delete(execution_id)
      else if (!intended.has(execution_id)) {
        intended.add(execution_id)
        begun(change.row)
      }
    }
  }

  return { observe: (commit) => fold(commit, judge), restore: (commit) => fold(commit, () => {}) }
}
