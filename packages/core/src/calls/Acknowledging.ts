import { Effect, Fiber } from "effect"
import { Activity } from "../engine/Activity.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Parking } from "../engine/Parking.ts"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/rules/Catalogue.ts"
import { CurrentMeters } from "../metrics/ports/Meters.ts"
import { carrierPort } from "../telephony/CarrierPort.ts"
import type { DialCommand, DialOutcome } from "../telephony/rules/Dial.ts"
import type { Call } from "./rules/Call.ts"
import { tooLate } from "./rules/DialOutcomes.ts"

/** From so long before the carrier is asked about a call it is not dialled any more. */
const dialMarginMs = limits.questionDelayMs - limits.dialAcknowledgementMs

const commandOf = (call: Call): DialCommand => ({
  execution_id: call.execution_id,
  organization_id: call.organization_id,
  agent_id: call.agent_id,
  campaign_id: call.campaign_id,
  contact_id: call.contact_id,
  retry_count: call.retry_count,
  is_follow_up: call.is_follow_up,
  prompt: call.prompt,
  to_number: call.to_number,
  from_number: call.from_number,
  timeout_seconds: call.timeout_seconds,
  record: call.record,
  variables: call.variables,
})

const originOf = ({ contact_id, scheduled_at }: Call) =>
  contact_id !== null ? "contact" : scheduled_at !== null ? "booked" : "direct"

/** Asks the carrier to dial calls, and waits for its word for at most eight seconds of domain time. `due` is since when a call could have been dialled. */
export const makeAcknowledging = Effect.gen(function* () {
  const telephony = yield* carrierPort
  const parking = yield* Parking
  const activity = yield* Activity
  const clock = yield* DomainClock
  const meters = yield* CurrentMeters

  return Effect.fnUntraced(function* (call: Call, due: number): Effect.fn.Return<DialOutcome | typeof tooLate> {
    // Once the carrier may be asked about the call, it takes it for one that was never placed: too late to ring anybody. A process that
    // was paused, or whose clock is behind, must notice long before another asks.
    if (call.due_at === null || clock.now() >= call.due_at - dialMarginMs) {
      meters?.count(metrics.dialsTooLate, [])
      yield* Effect.logWarning(
        "A call is not dialled: it is so late that the carrier may be asked about it already.",
      ).pipe(Effect.annotateLogs({ execution_id: call.execution_id }))
      return tooLate
    }
    meters?.record(metrics.dialDelay, [originOf(call)], (clock.now() - due) / 1_000)
    const key = `dial:${call.execution_id}`
    const ticket = parking.park(key, clock.now() + limits.dialAcknowledgementMs)
    let outcome: DialOutcome = { _tag: "Unknown" }
    const dialling = yield* activity.begin(
      Effect.map(telephony.dial(commandOf(call)), (answer) => {
        outcome = answer
        parking.wake(key)
      }),
    )
    const answered = yield* ticket.wait
    if (!answered) yield* Fiber.interrupt(dialling)
    return outcome
  })
})
