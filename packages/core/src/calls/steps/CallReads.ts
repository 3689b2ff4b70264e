import { glance, list, type Reading, refuse, row } from "../../engine/steps/Reading.ts"
import type { ListDescription } from "../../engine/steps/SetDescription.ts"
import { NotFound } from "../../Errors.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import type { Call } from "../rules/Call.ts"
import { surviving } from "./Surviving.ts"

const noSuchCall = new NotFound({ message: "Call not found." })

/** An id of a call, and whose it must be where that matters. */
interface Named {
  readonly execution_id: string
  readonly organization_id: string | null
}

/** The record that goes on for an id, however often it was folded: that is one question, since a step asks only so many. */
const survivor: ListDescription<Named, Call | null> = {
  members: "the record that goes on for the id of a call",
  read: ({ calls }, { execution_id, organization_id }) =>
    surviving((id) => (organization_id === null ? calls.locate(id) : calls.find(organization_id, id)), execution_id),
}

/** The record that goes on for an id, which is another one after a folding; null where there is none. */
export const survivingCall = (execution_id: string, organization_id: string | null = null) =>
  glance(
    "grows",
    "What was folded stays so, and who changes the record that goes on writes it.",
    list(survivor, { execution_id, organization_id }),
  )

/** A call of an organization, as its record goes on. */
export function* callOf(organizationId: string, executionId: string) {
  return (yield* survivingCall(executionId, organizationId)) ?? (yield* refuse(noSuchCall))
}

/** A dial that this process has committed: its call, as it is known at first; null once it has to be read. */
export interface CommittedDial extends ByEngine {
  readonly execution_id: string
  readonly known: Call | null
}

/** A dial as it is looked at once others have written its call. */
export const readAnew = <Dial extends CommittedDial>(dial: Dial): Dial => ({ ...dial, known: null })

/** The call of a dial. Who has committed it does not read it at first: where another one was faster, its revision is not that any more. */
export function* dialledCall({ execution_id, known, organization_id }: CommittedDial): Reading<Call | null> {
  return known ?? (yield* row("call", execution_id, { of: organization_id }))
}
