import type { EndpointAttempt } from "../../Changes.ts"
import { type Outcome, put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { type AttemptEnd, type AttemptOutcome, type Delivery, ended } from "../rules/Delivery.ts"

/** A delivery as it was written when its attempt began, and how that ended. */
interface AttemptEnded extends ByEngine {
  readonly delivery: Delivery
  readonly outcome: AttemptOutcome
  /** When it ended (epoch milliseconds). */
  readonly at: number
}

/** What an attempt says about its endpoint; null where that is an agent's own. */
const endpointAttempt = ({ delivery, outcome, at }: AttemptEnded): EndpointAttempt | null => {
  const { organization_id, subscription_id } = delivery
  if (subscription_id === null) return null
  const { error_class, http_status } = outcome
  const failure = error_class === null ? null : { at, http_status, error_class }
  return { put: "endpoint_attempt", organization_id, subscription_id, at, failure }
}

/** Writes how an attempt ended, and counts it at its endpoint. Where somebody else was faster theirs stands. */
export const endAttempt = step({
  name: "webhook.end_attempt",
  reads: ({ delivery }: AttemptEnded) => row("delivery", delivery.delivery_id),
  decide(attempt, standing): Outcome<AttemptEnd> {
    const sending = standing?.sending ?? null
    if (standing?.revision !== attempt.delivery.revision || sending === null) return unchanged("overtaken")
    const after = ended(standing, sending, attempt.outcome, attempt.at)
    const counted = endpointAttempt(attempt)
    const changes = [put("delivery", standing, after), ...(counted === null ? [] : [counted])]
    return write(changes, { reply: after.status })
  },
})
