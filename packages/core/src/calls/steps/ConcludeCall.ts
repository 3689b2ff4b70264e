import { type Outcome, unchanged, write } from "../../engine/rules/Outcome.ts"
import { row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByRow } from "../../engine/rules/By.ts"
import { callChange } from "./CallCommit.ts"
import { overdue } from "../rules/CallEvents.ts"

/** Declares a call processed whose missing facts have been waited for long enough. Replies until when they are, if that is still to come. */
export const concludeCall = step({
  name: "call.conclude",
  reads: ({ execution_id }: ByRow & { readonly execution_id: string }) => row("call", execution_id),
  decide(_, call, { now }): Outcome<number | null> {
    const due = call?.processing.due_at ?? null
    if (call === null || due === null || due > now) return unchanged(due)
    const { changes, said } = callChange(call, overdue(call, now))
    return write(changes, { ...said, by: call, reply: null })
  },
})
