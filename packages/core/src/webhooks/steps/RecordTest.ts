import { write } from "../../engine/rules/Outcome.ts"
import { each } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import type { EventType } from "../rules/EventType.ts"

/** Records that a caller has had a webhook tried, and whether it was delivered. */
export const recordTest = step({
  name: "webhook.test",
  reads: () => each([]),
  decide({
    delivered,
    event_type,
    subscription_id: id,
  }: ByCaller & {
    readonly subscription_id: string | null
    readonly event_type: EventType
    readonly delivered: boolean
  }) {
    const resource = { type: "webhook_subscription", id }
    return write([], { audit: [{ resource, details: { event_type, delivered } }], reply: undefined })
  },
})
