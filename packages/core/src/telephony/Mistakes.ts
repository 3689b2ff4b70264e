import { Cause, Effect } from "effect"
import { metrics } from "../metrics/rules/Catalogue.ts"
import type { Meters } from "../metrics/ports/Meters.ts"
import type { Telephony } from "./ports/Telephony.ts"

/** What a carrier is asked. */
export type CarrierOperation = "dial" | "hangup" | "find"

/** Counts what one of several carriers throws, under its own name; it is thrown on to whoever tells of it. */
export const countingThrows = (
  meters: Meters | null,
  carrier: string,
  port: Telephony["Service"],
): Telephony["Service"] => {
  const counting = <A>(operation: CarrierOperation, ask: () => Effect.Effect<A>): Effect.Effect<A> =>
    Effect.tapCause(Effect.suspend(ask), (cause) =>
      Effect.sync(() => {
        if (!Cause.hasInterruptsOnly(cause)) meters?.count(metrics.carrierMistakes, [carrier, operation])
      }),
    )
  return {
    dial: (command) => counting("dial", () => port.dial(command)),
    hangup: (executionId, callSid) => counting("hangup", () => port.hangup(executionId, callSid)),
    find: (executionId) => counting("find", () => port.find(executionId)),
  }
}
