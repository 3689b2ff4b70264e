import { type Outcome, write } from "../engine/Outcome.ts"
import { step } from "../engine/Step.ts"
import type { ByCaller } from "../keys/Caller.ts"
import { callerIdNamed, nameCallerIds } from "../numbers/CallerIds.ts"
import type { Call } from "./Call.ts"
import { callChange } from "./CallCommit.ts"
import { created, dialOutcome } from "./DialAudit.ts"

/** Books a call. All but its caller ID is looked at again when it is due. */
export const bookCall = step({
  name: "call.book",
  reads: ({ call, caller }: ByCaller & { readonly call: Call }) =>
    callerIdNamed(caller.organization_id, call.from_number),
  decide({ call }, callerId): Outcome<void> {
    const { changes, said } = callChange(null, call)
    return write([...changes, ...nameCallerIds(callerId)], {
      ...said,
      audit: [{ ...created(call), ...dialOutcome(202) }],
      reply: undefined,
    })
  },
})
