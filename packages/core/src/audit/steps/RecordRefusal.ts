import { write } from "../../engine/rules/Outcome.ts"
import { each } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import type { Recorded } from "../../engine/rules/AuditEntry.ts"

/** Records that a request was refused: nothing else comes of it. */
export const recordRefusal = step({
  name: "request.refuse",
  reads: () => each([]),
  decide: ({ refusal }: ByCaller & { readonly refusal: Recorded }) => write([], { audit: [refusal], reply: undefined }),
})
