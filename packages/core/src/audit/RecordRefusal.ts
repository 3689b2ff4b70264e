import { write } from "../engine/Outcome.ts"
import { each } from "../engine/Reading.ts"
import { step } from "../engine/Step.ts"
import type { ByCaller } from "../keys/Caller.ts"
import type { Recorded } from "../engine/AuditEntry.ts"

/** Records that a request was refused: nothing else comes of it. */
export const recordRefusal = step({
  name: "request.refuse",
  reads: () => each([]),
  decide: ({ refusal }: ByCaller & { readonly refusal: Recorded }) => write([], { audit: [refusal], reply: undefined }),
})
