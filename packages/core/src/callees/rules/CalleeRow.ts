import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import { type Callee, calleeId } from "./Callee.ts"

/** How long a number keeps one first revision. The column has room for them until 2242. */
const firstEveryMs = 4_000

/** When the last of what is known of a number was written; a row that is new has it from the same commit. */
const lastOf = ({ attempts = [], suppressions }: Callee): number =>
  Math.max(0, ...suppressions.map(({ created_at }) => created_at), ...attempts.map(({ at }) => at))

export const calleeRow: RowDescription<Callee> = {
  id: ({ organization_id, to_number }) => calleeId(organization_id, to_number),
  dependency: "call_storage",
  // A number that is not dialled any more goes, and may come back (decision 88). It was silent for thirty days by then, and its row would have had to
  // be written each four seconds to stand where the next one begins.
  first: (callee) => Math.floor(lastOf(callee) / firstEveryMs) + 1,
}
