import { calleeId } from "../../callees/rules/Callee.ts"
import { suppressedMessage, suppressionOf } from "../../callees/rules/Suppression.ts"
import { type Outcome, refused, write } from "../../engine/rules/Outcome.ts"
import { all, each, row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { StateConflict } from "../../Errors.ts"
import { keyHeld } from "../../idempotency/steps/KeyHeld.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import type { Call } from "../rules/Call.ts"
import { callChange } from "./CallCommit.ts"
import { created, dialOutcome } from "../rules/DialAudit.ts"

/** A direct call that the wallet does not carry, and the agents that would have made it. */
interface Unpaid extends ByCaller {
  readonly call: Call
  readonly agent_ids: ReadonlyArray<string>
}

/** Keeps a record of a call that is not dialled for want of funds; none for a number that must not be called. Replies whether anything is known of the number. */
export const recordUnpaid = step({
  name: "call.unpaid",
  reads: ({ call, caller }: Unpaid) =>
    all(
      each(call.overrides_suppression === true ? [] : [row("callee", calleeId(call.organization_id, call.to_number))]),
      keyHeld(caller.keyed),
    ),
  decide({ agent_ids, call }, [[callee = null]], { now }): Outcome<boolean, StateConflict> {
    if (suppressionOf(callee, { campaign_id: call.campaign_id, agent_ids }, now) !== null) {
      return refused(new StateConflict({ message: suppressedMessage }))
    }
    const unpaid: Call = { ...call, status: "balance-low", hangup_reason: "balance_low", completed_at: now }
    const { changes, said } = callChange(null, unpaid)
    return write(changes, { ...said, audit: [{ ...created(unpaid), ...dialOutcome(402) }], reply: callee !== null })
  },
})
