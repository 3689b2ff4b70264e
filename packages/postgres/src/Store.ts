import { type Store, guardName } from "@carillon/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { makeCommitter } from "./commit/Committer.ts"
import { reading } from "./Failures.ts"
import { readGuards } from "./queries/Guards.ts"

/** The only way to write. */
export const makeStore = (sql: SqlClient.SqlClient): Store["Service"] => {
  const write = makeCommitter(sql)
  return {
    // Where no level is asked for, none refuses.
    commit: (commit) => Effect.catchTag(write(commit, []), "AdmissionRefused", Effect.die),
    admit: write,
    versions: (guards) =>
      reading(
        "scheduling_service",
        Effect.map(readGuards(sql, guards), (standing) => {
          const versions = new Map(standing.map((guard) => [guardName(guard), guard.version]))
          return guards.map((guard) => versions.get(guardName(guard)) ?? 0)
        }),
      ),
  }
}
