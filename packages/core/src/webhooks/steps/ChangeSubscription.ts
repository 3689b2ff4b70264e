import { put, write } from "../../engine/rules/Outcome.ts"
import { orRefuse, refuse } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { Malformed } from "../../Errors.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { recorded } from "../rules/SubscriptionAudit.ts"
import { sealedSettings, subscriptionOf } from "./SubscriptionReads.ts"
import { readSettings, type SubscriptionBody } from "../rules/SubscriptionSettings.ts"

interface Change extends ByCaller {
  readonly subscription_id: string
  readonly body: SubscriptionBody
  /** Destinations that may be reached although they would be refused. */
  readonly allowed: ReadonlyArray<string>
}

/** A caller changes a subscription. */
export const changeSubscription = step({
  name: "webhook.update",
  *reads({ allowed, body, caller, subscription_id }: Change) {
    if (Object.keys(body).length === 0) {
      return yield* refuse(new Malformed({ message: "The request body has no field to change." }))
    }
    const before = yield* subscriptionOf(caller.organization_id, subscription_id)
    const settings = yield* orRefuse(readSettings(body, allowed, before))
    return { before, settings: yield* sealedSettings(before, body, settings) }
  },
  decide(_, { before, settings }, { now }) {
    const change = put("subscription", before, {
      ...before,
      ...settings,
      ...(before.enabled && !settings.enabled ? { disabled_after: before.revision } : {}),
      callback_url: settings.callback_url ?? before.callback_url,
      updated_at: now,
    })
    return write([change], { audit: [recorded(change.row)], reply: change.row })
  },
})
