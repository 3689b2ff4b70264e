import { Context, type Effect } from "effect"
import type { DialCommand, DialOutcome } from "../rules/Dial.ts"
import type { Asked } from "../rules/Leg.ts"

/** The port to the carrier. Nothing here fails: each answer says what is known. Reports come in through `Engine.report`. */
export class Telephony extends Context.Service<
  Telephony,
  {
    readonly dial: (command: DialCommand) => Effect.Effect<DialOutcome>
    /** `Sent` also when it cannot be known whether the request arrived: hanging up is best effort. */
    readonly hangup: (executionId: string, callSid: string | null) => Effect.Effect<"Sent" | "Refused">
    readonly find: (executionId: string) => Effect.Effect<Asked>
  }
>()("@carillon/core/telephony/Telephony") {}
