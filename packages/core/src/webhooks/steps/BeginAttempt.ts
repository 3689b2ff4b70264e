import { asks, type Outcome, put, unchanged } from "../../engine/rules/Outcome.ts"
import { row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { type AttemptEnd, begun, type Delivery, type Dispatch } from "../rules/Delivery.ts"
import { sendsDelivery } from "../rules/DeliveryErrand.ts"
import type { OpenTarget } from "../rules/Sending.ts"

/** A delivery as it was read, and what its attempt is made with. */
interface Attempted extends ByEngine {
  readonly delivery: Delivery
  readonly dispatch: Dispatch
  readonly target: OpenTarget | null
  readonly body: string
}

/** Writes that an attempt has begun, and has it made. Where somebody else was faster theirs stands, and nothing is sent. */
export const beginAttempt = step({
  name: "webhook.begin_attempt",
  reads: ({ delivery }: Attempted) => row("delivery", delivery.delivery_id),
  decide({ body, delivery, dispatch, target }, standing, { now }): Outcome<AttemptEnd> {
    if (standing?.revision !== delivery.revision) return unchanged("overtaken")
    const change = put("delivery", standing, begun(standing, dispatch, now))
    return asks(sendsDelivery(change.row, target, body), [change])
  },
})
