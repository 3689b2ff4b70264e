import { Effect } from "effect"
import type { Call } from "../calls/Call.ts"
import type { CommitDraft } from "../engine/Commit.ts"
import { put } from "../engine/Put.ts"
import type { PortError } from "../Errors.ts"
import { Experiments } from "../experiments/Experiments.ts"
import type { Organization } from "../organizations/Organization.ts"
import { Callees } from "./Callees.ts"
import { unknownCallee } from "./Suppression.ts"
import { personOf, suppressedAtEnd } from "./SuppressOn.ts"

/** The part of a commit by which a word of the carrier suppresses the number of its call. */
type Suppressing = (before: Call, after: Call, now: number) => Partial<CommitDraft>

const nobody: Suppressing = () => ({})

/** Looks at whom a call is with, where its organization has rules that may suppress them. What is found is for one commit, which rests on it. */
export const endsThatSuppress: Effect.Effect<
  (call: Call, organization: Organization | null) => Effect.Effect<Suppressing, PortError>,
  never,
  Callees | Experiments
> = Effect.gen(function* () {
  const callees = yield* Callees
  const experiments = yield* Experiments
  return Effect.fnUntraced(function* (call: Call, organization: Organization | null) {
    const rules = organization?.suppress_on ?? []
    const to_number = personOf(call)
    if (rules.length === 0 || to_number === null) return nobody
    const { organization_id } = call
    const found = yield* callees.read({ organization_id, to_number })
    const askedFor = yield* experiments.addressed(call)
    callees.met(organization_id)
    return (before, after, now) => {
      const known = found ?? unknownCallee(organization_id, to_number)
      const callee = suppressedAtEnd(known, rules, { before, after, askedFor }, now)
      return callee === known ? {} : { changes: [put("callee", found, callee)] }
    }
  })
})
