import type { Store } from "@carillon/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { makeCommitter } from "./commit/Committer.ts"

/** The only way to write. */
export const makeStore = (sql: SqlClient.SqlClient): Store["Service"] => {
  const write = makeCommitter(sql)
  return {
    // Where no level is asked for, none refuses.
    commit: (commit) => Effect.catchTag(write(commit, []), "AdmissionRefused", Effect.die),
    admit: write,
  }
}
