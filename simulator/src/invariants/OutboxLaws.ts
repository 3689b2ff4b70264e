import { isTerminal } from "@carillon/core/domain"
import type { Commit } from "@carillon/core/ports"
import type { MemoryTables } from "@carillon/core/memory"
import type { Invariants } from "./Invariants.ts"

/** Subscriptions are cached this long: after a change it is not known by which of them an event is routed. */
const cacheMs = 60_000

/** Starts of the attempts of one delivery, from the first (decisions.md, "Webhooks"). */
const attemptStartsMs = [0, 5_000, 30_000, 90_000] as const

/** The law of what customers are told: folded over every commit. Returns the observer of commits. */
export const outboxLaws = (
  invariants: Invariants,
  { now, tables }: { readonly tables: MemoryTables; readonly now: () => number },
): ((commit: Commit) => void) => {
  const s13 = invariants.open({
    name: "S13b",
    description:
      "The end of a call is an event, an event lies in the outbox with what made it true, goes to everyone who listens, and no attempt is made too soon.",
  })
  const changedAt = new Map<string, number>()
  const live = new Set<string>()

  const isSettled = (organizationId: string): boolean => now() - (changedAt.get(organizationId) ?? -Infinity) > cacheMs

  /** The subscriptions that an event of an agent goes to: the agent's own if it has any, else the organization's default. */
  const subscriptionsFor = (organizationId: string, agentId: string, type: string): ReadonlyArray<string> => {
    const { fallback, own } = tables.subscriptions.listeners(organizationId, agentId)
    const asked = own.length > 0 || fallback === null ? own : [fallback]
    return asked
      .filter(({ enabled, event_types }) => enabled && event_types.some((listed) => listed === type))
      .map(({ subscription_id }) => subscription_id)
  }

  const ends = ({ changes, events }: Commit) => {
    for (const change of changes) {
      if (change.put === "erased_call") live.delete(change.call.execution_id)
      if (change.put !== "call") continue
      const { execution_id, folded_into, status } = change.row
      if (folded_into !== null) live.delete(execution_id)
      else if (!isTerminal(status)) live.add(execution_id)
      else if (live.delete(execution_id) && status !== "canceled") {
        s13(
          events.some((event) => event.execution_id === execution_id && event.type === "call_completed"),
          () => `${execution_id} became ${status} without an event`,
        )
      }
    }
  }

  const isKept = ({ changes, events, organization_id }: Commit) => {
    for (const { execution_id, type } of events) {
      const agentId = tables.calls.get(execution_id)?.agent_id
      if (agentId === undefined || subscriptionsFor(organization_id, agentId, type).length === 0) continue
      s13(
        changes.some(
          (change) =>
            change.put === "event" && change.row.event_type === type && change.row.execution_id === execution_id,
        ),
        () => `${type} of ${execution_id} is not in the outbox`,
      )
    }
  }

  const routed = ({ changes, organization_id }: Commit) => {
    for (const change of changes) {
      if (change.put !== "event" || change.row.routed_at === null) continue
      const { agent_id, event_id, event_type } = change.row
      const expected = subscriptionsFor(organization_id, agent_id, event_type)
      const written = changes.flatMap((other) =>
        other.put === "delivery" && other.row.event_id === event_id && other.row.subscription_id !== null
          ? [other.row.subscription_id]
          : [],
      )
      s13(
        written.length === expected.length && expected.every((id) => written.includes(id)),
        () => `${event_id} went to ${written.join(", ")} and not to ${expected.join(", ")}`,
      )
    }
  }

  return (commit) => {
    for (const change of commit.changes) {
      const isSubscription =
        change.put === "subscription" || (change.put === "discard" && change.kind === "subscription")
      if (isSubscription) changedAt.set(commit.organization_id, now())
      if (change.put !== "delivery" || change.row.sending === null) continue
      const { attempts, delivery_id, first_attempt_at, sending } = change.row
      const after = sending.started_at - (first_attempt_at ?? sending.started_at)
      s13(
        after >= (attemptStartsMs[attempts.length] ?? Infinity),
        () => `Attempt ${attempts.length + 1} of ${delivery_id} began ${after} ms after the first`,
      )
    }
    ends(commit)
    if (!isSettled(commit.organization_id)) return
    isKept(commit)
    routed(commit)
  }
}
