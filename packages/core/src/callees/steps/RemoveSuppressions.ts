import { type Outcome, put, type PutRow, unchanged, write } from "../../engine/rules/Outcome.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import type { SuppressionScope } from "../rules/Callee.ts"
import { knownCallees } from "./CalleeReads.ts"
import { released } from "../rules/Suppression.ts"
import { SuppressionLoad } from "../rules/SuppressionLoad.ts"

interface Removal extends ByCaller {
  readonly to_numbers: ReadonlyArray<string>
  readonly scope: SuppressionScope
}

/**
 * A caller takes the suppressions of a scope from the first of the numbers, as many as one commit may have. Replies how many numbers it took, and how
 * many of them had one.
 */
export const removeSuppressions = step({
  name: "suppression.delete",
  reads: ({ caller: { organization_id }, to_numbers }: Removal) => knownCallees(organization_id, to_numbers),
  decide({ scope, to_numbers }, known, { now }): Outcome<{ readonly counts: number; readonly taken: number }> {
    const changes: Array<PutRow<"callee">> = []
    const load = new SuppressionLoad()
    let taken = 0
    for (const toNumber of to_numbers) {
      const before = known.get(toNumber)
      const after = before === undefined ? undefined : released(before, scope, now)
      const isWritten = before !== undefined && after !== undefined && after !== before
      if (isWritten && !load.takes(after)) break
      taken += 1
      if (isWritten) changes.push(put("callee", before, after))
    }
    const removed = { counts: changes.length, taken }
    if (changes.length === 0) return unchanged(removed)
    const { agent_id, campaign_id } = scope
    const resource = { type: "suppression", id: null }
    const details = { numbers: changes.length, agent_id, campaign_id }
    return write(changes, { audit: [{ resource, details }], reply: removed })
  },
})
