import type { Call } from "../../calls/rules/Call.ts"
import { put, type RowChange } from "../../engine/rules/Outcome.ts"
import { limits } from "../../Limits.ts"
import type { Attempt, Callee } from "../rules/Callee.ts"
import { attemptsOf, type CallCaps, longestCapMs } from "../rules/CallCaps.ts"
import { unknownCallee } from "../rules/Suppression.ts"

/** The callee with an attempt, once; those that no cap can count any more go. */
const attempted = (callee: Callee, attempt: Attempt): Callee => {
  const others = attemptsOf(callee).filter(
    ({ at, execution_id }) => execution_id !== attempt.execution_id && at > attempt.at - longestCapMs,
  )
  return { ...callee, attempts: [...others, attempt].slice(-limits.callCapAttemptsKept) }
}

/** Counts a dial as an attempt at its number; nothing where no caps stand. `seen` is the callee that the dial rests on. */
export const countingDial = (
  caps: CallCaps | undefined,
  seen: Callee | null,
  { due_at, execution_id, organization_id, to_number, updated_at }: Call,
): ReadonlyArray<RowChange> => {
  if (caps === undefined) return []
  const at = due_at === null ? updated_at : due_at - limits.questionDelayMs
  const before = seen ?? unknownCallee(organization_id, to_number)
  return [put("callee", seen, attempted(before, { execution_id, at }))]
}

/** Takes the attempt of a dial away which is taken back as if it had never been made; nothing where none was counted. */
export const uncountingDial = (
  callee: Callee | null,
  { execution_id }: Pick<Call, "execution_id">,
): ReadonlyArray<RowChange> => {
  const attempts = attemptsOf(callee).filter((attempt) => attempt.execution_id !== execution_id)
  if (callee === null || attempts.length === attemptsOf(callee).length) return []
  return [put("callee", callee, { ...callee, attempts })]
}
