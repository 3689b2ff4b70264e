import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { compareOrdinals, type Ordinal, OrderedIndex } from "../../src/memory/OrderedIndex.ts"

/** A place from 0 (the front) to 1 (the end), mostly near one of them. */
const place = fc.oneof(
  fc.double({ min: 0, max: 0.02, noNaN: true }),
  fc.double({ min: 0.98, max: 1, noNaN: true }),
  fc.double({ min: 0, max: 1, noNaN: true }),
)

describe("OrderedIndex", () => {
  it("is the sorted list of what was added and not removed", () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 200 }),
        fc.array(
          fc.record({ adds: fc.nat({ max: 6 }), back: fc.nat({ max: 5 }), removes: fc.array(place, { maxLength: 8 }) }),
        ),
        (size, rounds) => {
          const index = new OrderedIndex<Ordinal>()
          let model: Array<Ordinal> = []
          let sequence = 0
          const add = (created_at: number) => {
            const item = { created_at, sequence: sequence++ }
            index.add(item)
            model = [...model, item].toSorted(compareOrdinals)
          }
          for (let nth = 0; nth < size; nth++) add(nth)
          for (const { adds, back, removes } of rounds) {
            for (let nth = 0; nth < adds; nth++) add(sequence - back)
            for (const at of removes) {
              const item = model[Math.floor(at * model.length)]
              if (item === undefined) continue
              index.remove(item)
              index.remove(item)
              model = model.filter((each) => each !== item)
            }
            assert.deepStrictEqual(
              Array.from({ length: index.size }, (_, position) => index.at(position)),
              model,
            )
          }
        },
      ),
    )
  })

  it("keeps its order while the oldest go by the thousand, not quite in order", () => {
    const index = new OrderedIndex<Ordinal>()
    const items = Array.from({ length: 5_000 }, (_, sequence) => ({ created_at: 0, sequence }))
    for (const item of items) index.add(item)
    const gone = items.slice(0, 4_000).toSorted((a, b) => (a.sequence ^ 15) - (b.sequence ^ 15))
    for (const item of gone) index.remove(item)
    assert.deepStrictEqual(
      Array.from({ length: index.size }, (_, position) => index.at(position)),
      items.slice(4_000),
    )
    assert.isUndefined(index.at(1_000))
  })

  it("has pages from either end, of a part of it and of what is wanted", () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 30 }),
        fc.record({ page: fc.integer({ min: 1, max: 5 }), page_size: fc.integer({ min: 1, max: 8 }) }),
        fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 30 })),
        fc.constantFrom("newest first" as const, "oldest first" as const),
        fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
        (size, { page, page_size }, [from, length], order, every) => {
          const index = new OrderedIndex<Ordinal>()
          const items = Array.from({ length: size }, (_, sequence) => ({ created_at: 0, sequence }))
          for (const item of items) index.add(item)
          const within = [Math.min(from, size), Math.min(from + length, size)] as const
          const isWanted = every === undefined ? undefined : ({ sequence }: Ordinal) => sequence % every === 0
          const part = items.slice(...within).filter((item) => isWanted?.(item) ?? true)
          const listed = order === "oldest first" ? part : part.toReversed()
          const skip = (page - 1) * page_size
          assert.deepStrictEqual(index.page({ page, page_size }, { order, within, isWanted }), {
            items: listed.slice(skip, skip + page_size),
            total: part.length,
          })
        },
      ),
    )
  })
})
