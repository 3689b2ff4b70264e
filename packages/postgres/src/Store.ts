import { dependencyOfGuard, guardName, type Store } from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { makeCommitter } from "./commit/Committer.ts"
import { reading } from "./Failures.ts"
import { readGuards } from "./queries/Guards.ts"
import { makeAnyRow } from "./reads/AnyRow.ts"

/** The only way to write. */
export const makeStore = (sql: SqlClient.SqlClient): Store["Service"] => {
  const write = makeCommitter(sql)
  return {
    // Where no level is asked for, none refuses.
    commit: (commit) => Effect.catchTag(write(commit, []), "AdmissionRefused", Effect.die),
    admit: write,
    rows: makeAnyRow(sql),
    versions: (guards) => {
      const [first] = guards
      if (first === undefined) return Effect.succeed([])
      return reading(
        dependencyOfGuard(first),
        Effect.map(readGuards(sql, guards), (standing) => {
          const versions = new Map(standing.map((guard) => [guardName(guard), guard.version]))
          return guards.map((guard) => versions.get(guardName(guard)) ?? 0)
        }),
      )
    },
  }
}
