import { Pacing } from "@carillon/core/ports"
import { Effect } from "effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { documentOf } from "../../src/Documents.ts"
import { rowsOfTexts } from "../../src/reads/RowText.ts"

const read = async (rows: ReadonlyArray<object>) => {
  let turns = 0
  const pacing = Effect.sync(() => void (turns += 1))
  const found = await Effect.runPromise(
    Effect.provideService(rowsOfTexts<object>(rows.map(documentOf)), Pacing, pacing),
  )
  return { found, turns }
}

it("rows come back from their texts, whatever customers have written", async () => {
  const rows = fc.array(
    fc.dictionary(
      fc.string({ unit: "binary" }),
      fc.json().map((text): unknown => JSON.parse(text)),
    ),
  )
  await fc.assert(
    fc.asyncProperty(rows, async (some) => {
      const { found } = await read(some)
      expect(found).toEqual(some)
    }),
  )
})

it("large pages are read in turns, and small ones at once", async () => {
  const large = Array.from({ length: 20 }, () => ({ text: "x".repeat(250_000) }))
  expect((await read(large)).turns).toBe(20)
  expect((await read(large.map(() => ({ text: "x" })))).turns).toBe(0)
})
