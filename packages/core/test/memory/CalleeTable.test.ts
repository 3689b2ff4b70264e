import * as fc from "fast-check"
import { expect, it } from "vitest"
import { expectLinear } from "../../../../scripts/Linear.ts"
import { type Callee, calleeId } from "../../src/callees/rules/Callee.ts"
import { CalleeTable } from "../../src/memory/CalleeTable.ts"
import { sampleSuppression } from "../../src/testing/Samples.ts"

const numbers = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 6, max: 14 }), fc.integer({ min: 0, max: 12 }))
  .map(([first, more, rest]) => `+${first}${String(rest).padStart(more, "0")}`)

const rows = fc
  .tuple(fc.constantFrom("org 1", "org 2"), numbers, fc.constantFrom(null, "a list", "another list"))
  .map(([organization_id, to_number, source]) => ({ organization_id, to_number, source }))

const ends = [1_800_000_000_000, null]

it("holds what a map holds, whatever is written over it", () => {
  fc.assert(
    fc.property(fc.array(rows, { maxLength: 200 }), numbers, (written, other) => {
      const table = new CalleeTable()
      const model = new Map<string, Callee>()
      for (const { organization_id, source, to_number } of written) {
        const id = calleeId(organization_id, to_number)
        const revision = (model.get(id)?.revision ?? 0) + 1
        const suppressions =
          source === null
            ? []
            : [sampleSuppression({ source, created_at: revision, expires_at: ends[revision % 2] ?? null })]
        const row = { organization_id, to_number, revision, suppressions }
        model.set(id, row)
        table.put(row)
      }
      for (const [id, row] of model) expect(table.get(id)).toEqual(row)
      expect(table.get(calleeId("org 1", other))).toEqual(model.get(calleeId("org 1", other)))
      for (const own of ["org 1", "org 2"]) {
        const listed = [...model.values()].filter(
          ({ organization_id, suppressions }) => organization_id === own && suppressions.length > 0,
        )
        const page = { page: 2, page_size: 3 }
        expect(table.suppressed(own, page)).toEqual({ items: listed.toReversed().slice(3, 6), total: listed.length })
      }
    }),
  )
})

it("knows no callee by what is no number, and takes none", () => {
  const table = new CalleeTable()
  for (const to_number of ["erased", "+0155555501", "15555550100", "+155555"]) {
    expect(table.find("org", to_number)).toBeNull()
    expect(() => table.put({ organization_id: "org", to_number, revision: 1, suppressions: [] })).toThrow(TypeError)
  }
})

it("finds numbers quickly whoever has chosen them", () => {
  const meeting = 0x12345678
  // The two halves of each make the same bits where they are only put together.
  const chosen = (size: number) =>
    Array.from({ length: size }, (_, nth) => `+${(nth + 1) * 2 ** 32 + ((meeting ^ (nth + 1)) >>> 0)}`)
  expectLinear(2_500, (size) => {
    const numbers = chosen(size)
    return () => {
      const table = new CalleeTable()
      for (const to_number of numbers) table.put({ organization_id: "org", to_number, revision: 1, suppressions: [] })
    }
  })
})
