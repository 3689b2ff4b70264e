import { Effect, Layer } from "effect"
import { Telephony } from "./ports/Telephony.ts"
import type { Asked } from "./rules/Leg.ts"
import type { DialCommand, DialOutcome } from "./rules/Dial.ts"

/** The `AbortSignal` of the host's platform: core itself is compiled without one. */
type AbortSignal = Parameters<Parameters<typeof Effect.promise>[0]>[0]

/**
 * A carrier in promises. Each method answers what is known, as the port asks (`Telephony`); one that throws or rejects has made a mistake, which
 * is logged as an error: a dial then counts as `Unknown`, a hang-up as `Sent`, a question as `NoAnswer`. `signal` aborts when the answer is not
 * waited for any more: `limits.dialAcknowledgementMs` after a dial, `limits.carrierAnswerMs` after the others.
 */
export interface PromiseCarrier {
  readonly dial: (command: DialCommand, signal: AbortSignal) => Promise<DialOutcome>
  readonly hangup: (executionId: string, callSid: string | null, signal: AbortSignal) => Promise<"Sent" | "Refused">
  readonly find: (executionId: string, signal: AbortSignal) => Promise<Asked>
}

/** The port to a carrier that is written in promises, for hosts that do not write Effect. Throws a `TypeError` where one of the three is missing. */
export const promiseCarrier = (carrier: PromiseCarrier): Layer.Layer<Telephony> => {
  for (const name of ["dial", "hangup", "find"] as const) {
    if (typeof carrier[name] !== "function") throw new TypeError(`The carrier's \`${name}\` is not a function.`)
  }
  return Layer.succeed(Telephony, {
    dial: (command) => Effect.promise((signal) => carrier.dial(command, signal)),
    hangup: (executionId, callSid) => Effect.promise((signal) => carrier.hangup(executionId, callSid, signal)),
    find: (executionId) => Effect.promise((signal) => carrier.find(executionId, signal)),
  })
}
