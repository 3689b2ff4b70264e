import { Pacing } from "@carillon/core/ports"
import { Effect } from "effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { documentOf } from "../../src/Documents.ts"
import { rowsOfText } from "../../src/reads/RowText.ts"

const read = async (rows: ReadonlyArray<object>) => {
  let turns = 0
  const text = rows.length === 0 ? null : rows.map(documentOf).join("\u001e")
  const pacing = Effect.sync(() => void (turns += 1))
  const found = await Effect.runPromise(Effect.provideService(rowsOfText<object>(text), Pacing, pacing))
  return { found, turns }
}

it("rows come back from their text, whatever customers have written", async () => {
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
