import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { OrderedPages } from "../../src/memory/OrderedPages.ts"

const id = fc.string({ minLength: 1, maxLength: 2 })

describe("OrderedPages", () => {
  it("gives every row that stays exactly once, in order of id, and none that has gone", () => {
    fc.assert(
      fc.property(fc.uniqueArray(id), fc.uniqueArray(id), fc.integer({ min: 1, max: 5 }), (ids, gone, limit) => {
        const rows = new Map(ids.map((each) => [each, each]))
        const pages = new OrderedPages(rows)
        const leaving = [...gone]
        const seen: Array<string> = []
        for (let after: string | null = null; ;) {
          const page = pages.page(after, limit)
          for (const [each, row] of page) {
            assert.strictEqual(row, each)
            assert.isTrue(rows.has(each))
            seen.push(each)
          }
          if (page.length < limit) break
          after = page.at(-1)?.[0] ?? null
          const left = leaving.pop()
          if (left !== undefined) rows.delete(left)
        }
        assert.deepStrictEqual(seen, seen.toSorted())
        assert.strictEqual(new Set(seen).size, seen.length)
        for (const each of rows.keys()) assert.include(seen, each)
      }),
    )
  })

  it("answers readers who take turns, and who begin in the middle", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(id),
        fc.array(fc.tuple(fc.option(id), fc.integer({ min: 1, max: 5 }))),
        (ids, asked) => {
          const pages = new OrderedPages(new Map(ids.map((each) => [each, each])))
          for (const [after, limit] of asked) {
            const expected = ids.filter((each) => after === null || each > after).toSorted()
            assert.deepStrictEqual(
              pages.page(after, limit).map(([each]) => each),
              expected.slice(0, limit),
            )
          }
        },
      ),
    )
  })
})
