import type { EndpointAttempt } from "../../Changes.ts"
import { put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import type { Delivery } from "../rules/Delivery.ts"

/** A delivery as it was read and as it shall be. */
interface DeliveryReplaced extends ByEngine {
  readonly before: Delivery
  readonly after: Delivery
  /** What an attempt that has ended says of its endpoint; null where none has, or the endpoint is an agent's own. */
  readonly attempt: EndpointAttempt | null
}

/** Writes a delivery over the one that was read, unless somebody else was faster: then theirs stands. Replies whether it was written. */
export const replaceDelivery = step({
  name: "webhook.replace",
  reads: ({ before }: DeliveryReplaced) => row("delivery", before.delivery_id),
  decide({ after, attempt, before }, standing) {
    if (standing === null || standing.revision !== before.revision) return unchanged(false)
    return write([put("delivery", standing, after), ...(attempt === null ? [] : [attempt])], { reply: true })
  },
})
