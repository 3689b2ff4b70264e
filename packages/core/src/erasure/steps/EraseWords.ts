import { calleeId } from "../../callees/rules/Callee.ts"
import { erasedCallee } from "../../callees/rules/Suppression.ts"
import { put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"

/** That the number must not be called stays: it is there for the person. What was said of it goes. */
export const eraseWords = step({
  name: "person.erase_words",
  reads: ({ number, organization_id }: ByEngine & { readonly number: string }) =>
    row("callee", calleeId(organization_id, number)),
  decide(_, callee, { now }) {
    const erased = callee === null ? null : erasedCallee(callee, now)
    if (erased === null || erased === callee) return unchanged(undefined)
    return write([put("callee", callee, erased)], { reply: undefined })
  },
})
