import { knownAgent, noSuchAgent } from "../../agents/steps/AgentReads.ts"
import { put, write } from "../../engine/rules/Outcome.ts"
import { all, each, glance, orRefuse, refuse, row, set } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { NotFound } from "../../Errors.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { recorded } from "../rules/SubscriptionAudit.ts"
import { agentSubscriptions } from "./SubscriptionReads.ts"
import { readEventTypes } from "../rules/SubscriptionSettings.ts"

/** A caller sets the event types of all of an agent's subscriptions. */
export const setEventTypes = step({
  name: "webhook.set_event_types",
  *reads({
    agent_id,
    caller: { organization_id },
    given,
  }: ByCaller & { readonly agent_id: string; readonly given: ReadonlyArray<string> | null }) {
    const event_types = yield* orRefuse(readEventTypes(given))
    const [agent, listeners] = yield* all(
      knownAgent(organization_id, agent_id),
      glance(
        "earlier",
        "A subscription that comes meanwhile says itself what it is told of.",
        set(agentSubscriptions, { organization_id, agent_id }),
      ),
    )
    if (agent === null) return yield* refuse(noSuchAgent)
    const rows = listeners.map(({ subscription_id }) => row("subscription", subscription_id, { of: organization_id }))
    // One that was deleted meanwhile is told of nothing.
    const own = (yield* each(rows)).filter((found) => found !== null)
    if (own.length === 0) return yield* refuse(new NotFound({ message: "This agent has no webhook subscription." }))
    return { event_types, own }
  },
  decide(_, { event_types, own }, { now }) {
    const changes = own.map((before) => put("subscription", before, { ...before, event_types, updated_at: now }))
    const subscriptions = changes.map(({ row }) => row)
    const audit = subscriptions.map((row) => ({ ...recorded(row), action: "webhook.update" }))
    return write(changes, { audit, reply: { event_types, subscriptions } })
  },
})
