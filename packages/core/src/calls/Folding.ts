import { type CommitDraft, joined } from "../engine/Commit.ts"
import { change } from "../engine/Put.ts"
import type { Call } from "./Call.ts"
import { isTerminal } from "./CallStatus.ts"

/**
 * Folds a dispatch record into the record under which telephony goes on after losing its state (specification,
 * "GET /v2/calls/{execution_id}"). The survivor takes over everything that is known, the line included, which stays registered under
 * the original id; the original is not listed any more and its id answers with the survivor.
 */
export const fold = (
  original: Call,
  survivingId: string,
  now: number,
): { survivor: Call; commit: CommitDraft } | null => {
  if (isTerminal(original.status) || original.execution_id === survivingId) return null
  const survivor: Call = {
    ...original,
    execution_id: survivingId,
    folded_from: original.execution_id,
    updated_at: now,
  }
  // What is still to be recorded of the dial goes on with the survivor.
  const { unaudited: _, ...rest } = original
  const folded: Call = {
    ...rest,
    folded_into: survivingId,
    due_at: null,
    dial: "none",
    updated_at: now,
  }
  return {
    survivor,
    // What the original counted, the survivor counts from now on.
    commit: joined(
      { organization_id: original.organization_id },
      change("call", original, folded, now),
      change("call", null, survivor, now),
    ),
  }
}
