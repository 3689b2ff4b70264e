import { type Commit, Pacing } from "@carillon/core/ports"
import { sampleBatch, sampleCall } from "@carillon/core/testing"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { documentOf } from "../../src/Documents.ts"
import { rowDocument, writtenOut } from "../../src/rows/WrittenOut.ts"

const commitOf = (changes: Commit["changes"]): Commit => ({
  ...{ id: "cmt_one", organization_id: "org_one", expect: [], wakeups: [], events: [], audit: [] },
  changes,
})

const turnsOf = async (commit: Commit) => {
  let turns = 0
  const pacing = Effect.sync(() => void (turns += 1))
  await Effect.runPromise(Effect.provideService(writtenOut(commit), Pacing, pacing))
  return turns
}

it("a megabyte of batches that move together is written out in several turns", async () => {
  const rows = Array.from({ length: 20 }, () => sampleBatch("org_one", { metadata: { said: "x".repeat(60_000) } }))
  const commit = commitOf(rows.map((row) => ({ put: "batch", row })))
  expect(await turnsOf(commit)).toBeGreaterThan(5)
  for (const row of rows) {
    expect(rowDocument(row)).toBe(rowDocument(row))
    expect(rowDocument(row)).toBe(documentOf(row))
  }
})

it("the commit of a call takes no turn", async () => {
  const row = sampleCall("org_one", { variables: { said: "x".repeat(200_000) } })
  expect(await turnsOf(commitOf([{ put: "call", row }]))).toBe(0)
})
