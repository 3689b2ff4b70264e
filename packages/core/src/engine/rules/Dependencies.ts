import type { Dependency } from "../../Errors.ts"
import { descriptions } from "../../Rows.ts"
import type { Change, CommitDraft } from "./Commit.ts"
import { dependencyOfGuard } from "./Guards.ts"

/** What keeps what a change is written to. */
export const dependencyOfChange = (change: Change): Dependency => {
  switch (change.put) {
    case "removal":
    case "discard":
      return descriptions[change.kind].dependency
    case "erased_call":
      return descriptions.call.dependency
    case "debit":
    case "balance":
      return descriptions.organization.dependency
    case "endpoint_attempt":
      return descriptions.subscription.dependency
    case "usage":
      return "usage_reporting"
    case "tally":
      return descriptions.batch.dependency
    case "guard":
      return dependencyOfGuard(change.guard)
    default:
      return descriptions[change.put].dependency
  }
}

/** What changes relatively goes with a row, and it is the row that a commit is about. */
const goWithRows: ReadonlySet<Change["put"]> = new Set<Change["put"]>([
  "tally",
  "guard",
  "usage",
  "debit",
  "balance",
  "endpoint_attempt",
])

/** Under whose name a commit fails: that of its first row, but for the account, which many commits touch by the way. */
export const dependencyOf = ({ changes = [] }: CommitDraft): Dependency => {
  const rows = changes.filter((change) => !goWithRows.has(change.put))
  const named = (rows.length > 0 ? rows : changes).map(dependencyOfChange)
  return named.find((dependency) => dependency !== "account_service") ?? "account_service"
}
