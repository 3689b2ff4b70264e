import { unchanged, write } from "../../engine/rules/Outcome.ts"
import { row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByRow } from "../../engine/rules/By.ts"
import { callChange } from "./CallCommit.ts"
import { onlyRecorded } from "../rules/DialAudit.ts"

/** Records the dial of a call of which all is known but what was answered to whoever placed it. */
export const recordDial = step({
  name: "call.record",
  reads: ({ execution_id }: ByRow & { readonly execution_id: string }) => row("call", execution_id),
  decide(_, call, { now }) {
    if (call === null || call.final_report_at === null || call.due_at === null) return unchanged(undefined)
    const { changes, said } = callChange(call, onlyRecorded(call, now))
    return write(changes, { ...said, by: call, reply: undefined })
  },
})
