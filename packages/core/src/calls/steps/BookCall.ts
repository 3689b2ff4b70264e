import { type Outcome, write } from "../../engine/rules/Outcome.ts"
import { all } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { keyHeld } from "../../idempotency/steps/KeyHeld.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { callerIdNamed, nameCallerIds } from "../../numbers/steps/CallerIds.ts"
import type { Call } from "../rules/Call.ts"
import { callChange } from "./CallCommit.ts"
import { created, dialOutcome } from "../rules/DialAudit.ts"

/** Books a call. All but its caller ID is looked at again when it is due. */
export const bookCall = step({
  name: "call.book",
  reads: ({ call, caller }: ByCaller & { readonly call: Call }) =>
    all(callerIdNamed(caller.organization_id, call.from_number), keyHeld(caller.keyed)),
  decide({ call }, [callerId]): Outcome<void> {
    const { changes, said } = callChange(null, call)
    return write([...changes, ...nameCallerIds(callerId)], {
      ...said,
      audit: [{ ...created(call), ...dialOutcome(202) }],
      reply: undefined,
    })
  },
})
