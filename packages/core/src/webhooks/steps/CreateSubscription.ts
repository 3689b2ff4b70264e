import { knownAgent, noSuchAgent } from "../../agents/steps/AgentReads.ts"
import { put, write } from "../../engine/rules/Outcome.ts"
import { all, byKey, refuse, set } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { StateConflict } from "../../Errors.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { limits } from "../../Limits.ts"
import { untriedEndpoint } from "../rules/Subscription.ts"
import { recorded } from "../rules/SubscriptionAudit.ts"
import { agentSubscriptions, sealedSettings } from "./SubscriptionReads.ts"
import type { SubscriptionBody, SubscriptionSettings } from "../rules/SubscriptionSettings.ts"

/** What a subscription cannot be made without. */
export type NewSubscription = SubscriptionBody & { readonly callback_url: string; readonly agent_id?: string | null }

interface Creation extends ByCaller {
  readonly subscription_id: string
  readonly body: NewSubscription
  /** The body after the rules, open. */
  readonly settings: SubscriptionSettings
}

const full = (message: string) => refuse(new StateConflict({ message }))

/** Whether one more subscription can be had: the default one is alone by its second key, an agent has so many at most. */
function* room(organizationId: string, agentId: string | null) {
  if (agentId === null) {
    const fallback = yield* byKey("subscription", organizationId, "default")
    return fallback === null ? null : yield* full("This organization already has a default webhook subscription.")
  }
  const [agent, own] = yield* all(
    knownAgent(organizationId, agentId),
    set(agentSubscriptions, { organization_id: organizationId, agent_id: agentId }),
  )
  if (agent === null) return yield* refuse(noSuchAgent)
  return own.length < limits.subscriptionsPerAgent
    ? null
    : yield* full(`An agent may have at most ${limits.subscriptionsPerAgent} webhook subscriptions.`)
}

/** A caller subscribes to the events of an agent, or of those that have no subscription of their own. */
export const createSubscription = step({
  name: "webhook.create",
  *reads({ body, caller: { organization_id }, settings, subscription_id }: Creation) {
    yield* room(organization_id, body.agent_id ?? null)
    return yield* sealedSettings({ organization_id, subscription_id }, body, settings)
  },
  decide({ body, caller: { organization_id }, subscription_id }, settings, { now }) {
    const change = put("subscription", null, {
      organization_id,
      subscription_id,
      revision: 1,
      agent_id: body.agent_id ?? null,
      ...settings,
      callback_url: settings.callback_url ?? body.callback_url,
      health: untriedEndpoint,
      created_at: now,
      updated_at: now,
    })
    return write([change], { audit: [recorded(change.row)], reply: change.row })
  },
})
