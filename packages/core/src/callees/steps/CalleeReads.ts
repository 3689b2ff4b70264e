import { glance, list, row } from "../../engine/steps/Reading.ts"
import type { ListDescription } from "../../engine/steps/SetDescription.ts"
import { type Callee, calleeId } from "../rules/Callee.ts"

interface Numbers {
  readonly organization_id: string
  readonly to_numbers: ReadonlyArray<string>
}

const calleesOf: ListDescription<Numbers, ReadonlyArray<Callee>> = {
  members: "what is known of some numbers",
  read: ({ callees }, { organization_id, to_numbers }) => callees.several(organization_id, to_numbers),
}

/** What is known of some numbers of an organization, by number; those are left out of which nothing is. */
export function* knownCallees(organization_id: string, to_numbers: ReadonlyArray<string>) {
  const found = yield* glance(
    "earlier",
    "A number that stays as it is stays so as if it had been named a moment earlier; one that changes is written.",
    list(calleesOf, { organization_id, to_numbers }),
  )
  return new Map(found.map((callee) => [callee.to_number, callee]))
}

/** The row of a number that may have counted a dial to it, for whoever takes the dial back. */
export const counterOf = ({ organization_id, to_number }: Pick<Callee, "organization_id" | "to_number">) =>
  glance(
    "grows",
    "Only the commit of a dial counts it, and who takes it away writes the row.",
    row("callee", calleeId(organization_id, to_number)),
  )
