import { type Outcome, put, type PutRow, unchanged, write } from "../../engine/rules/Outcome.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import type { SuppressionScope, SuppressionWords } from "../rules/Callee.ts"
import { meetsCallees } from "../rules/CalleeErrand.ts"
import { knownCallees } from "./CalleeReads.ts"
import { type Added, suppressed, unknownCallee } from "../rules/Suppression.ts"
import { SuppressionLoad } from "../rules/SuppressionLoad.ts"

/** What is to be said of numbers that must not be called. */
export interface SuppressionRequest extends SuppressionScope, SuppressionWords {
  readonly expires_at: number | null
}

/** How many numbers became what. */
export type AddedCounts = { readonly [became in Added]: number }

/** Of no numbers. */
export const noneAdded: AddedCounts = { added: 0, replaced: 0, unchanged: 0, full: 0 }

interface Addition extends ByCaller {
  readonly to_numbers: ReadonlyArray<string>
  readonly request: SuppressionRequest
}

/** A caller suppresses the first of the numbers, as many as one commit may have. Replies how many it took, and what became of them. */
export const addSuppressions = step({
  name: "suppression.create",
  reads: ({ caller: { organization_id }, to_numbers }: Addition) => knownCallees(organization_id, to_numbers),
  decide(
    { caller: { organization_id }, request, to_numbers },
    known,
    { now },
  ): Outcome<{ readonly counts: AddedCounts; readonly taken: number }> {
    const suppression = { ...request, created_at: now }
    const counts = { ...noneAdded }
    const changes: Array<PutRow<"callee">> = []
    const load = new SuppressionLoad()
    let taken = 0
    for (const toNumber of to_numbers) {
      const before = known.get(toNumber) ?? null
      const { became, callee } = suppressed(before ?? unknownCallee(organization_id, toNumber), suppression, now)
      const isWritten = became === "added" || became === "replaced"
      if (isWritten && !load.takes(callee)) break
      counts[became] += 1
      taken += 1
      if (isWritten) changes.push(put("callee", before, callee))
    }
    const errands = [meetsCallees(organization_id)]
    if (changes.length === 0) return unchanged({ counts, taken }, errands)
    const { agent_id, campaign_id } = request
    const resource = { type: "suppression", id: null }
    const details = { numbers: changes.length, agent_id, campaign_id }
    return write(changes, { audit: [{ resource, details }], errands, reply: { counts, taken } })
  },
})
