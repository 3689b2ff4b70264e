import type { Call } from "@carillon/core"
import type { MemoryTables } from "@carillon/core/memory"
import { Effect } from "effect"
import { sampleCommit } from "../../src/testing/Samples.ts"

/** Puts rows where a carrier reads them that stands on these tables. */
export const keepsRows = (tables: MemoryTables) => (call: Call) =>
  Effect.sync(() => tables.commit(sampleCommit(call.organization_id, { changes: [{ put: "call", row: call }] })))
