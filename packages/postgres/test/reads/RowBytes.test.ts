import { Pacing } from "@carillon/core/ports"
import { Effect } from "effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { documentOf } from "../../src/Documents.ts"
import { readWhenGiven, rowOfBytes, rowsOfBytes } from "../../src/reads/RowBytes.ts"

const storedAs = (row: object): Uint8Array => Buffer.from(documentOf(row))

const read = async (rows: ReadonlyArray<object>) => {
  let turns = 0
  const pacing = Effect.sync(() => void (turns += 1))
  const found = await Effect.runPromise(Effect.provideService(rowsOfBytes<object>(rows.map(storedAs)), Pacing, pacing))
  return { found, turns }
}

it("rows come back from their bytes, whatever customers have written", async () => {
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

it("a row is read when it is given, and once for all who are given it one after the other", () => {
  const read: Array<string> = []
  const given = readWhenGiven(new Map(["a", "b"].map((name) => [name, storedAs({ name })])), (bytes) => {
    const row = rowOfBytes<{ readonly name: string }>(bytes)
    read.push(row.name)
    return row
  })
  expect(read).toEqual([])
  expect(["a", "a", "b", "b", "c", "b"].map((name) => given(name)?.name ?? null)).toEqual([
    "a",
    "a",
    "b",
    "b",
    null,
    "b",
  ])
  expect(read).toEqual(["a", "b"])
})
