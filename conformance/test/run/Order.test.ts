import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { dealt, inOrder } from "../../src/run/Order.ts"

const folder = fc.constantFrom("agents", "calls", "knowledge", "keys")
const listed = fc
  .array(fc.record({ folder, isAlone: fc.boolean() }), { maxLength: 40 })
  .map((all) => all.map(({ folder: name, isAlone }, nth) => ({ id: `${name}/${nth}`, isAlone })))

const folderOf = ({ id }: { readonly id: string }) => id.split("/")[0]

describe("the order in which cases begin", () => {
  it("deals one of each folder after the other, each folder in its own order", () => {
    fc.assert(
      fc.property(listed, (cases) => {
        const order = dealt(cases)
        expect(new Set(order)).toEqual(new Set(cases))
        for (const name of new Set(cases.map(folderOf))) {
          const own = (all: ReadonlyArray<{ readonly id: string }>) => all.filter((each) => folderOf(each) === name)
          expect(own(order)).toEqual(own(cases))
        }
        // No folder has its next turn while another that has cases left is still to have its own.
        const turns = new Map<string | undefined, number>()
        const rounds = order.map((each) => {
          const turn = (turns.get(folderOf(each)) ?? 0) + 1
          turns.set(folderOf(each), turn)
          return turn
        })
        expect(rounds).toEqual(rounds.toSorted((one, other) => one - other))
      }),
    )
  })

  it("has those first that come first, and among each those that go beside others before those that are alone", () => {
    fc.assert(
      fc.property(listed, fc.infiniteStream(fc.boolean()), (cases, isFirst) => {
        const first = cases.filter(() => isFirst.next().value).map(({ id }) => id)
        const order = inOrder(cases, ({ isAlone }) => !isAlone, first)
        expect(new Set(order)).toEqual(new Set(cases))
        const rank = ({ id, isAlone }: (typeof cases)[number]) => (first.includes(id) ? 0 : 2) + (isAlone ? 1 : 0)
        const ranks = order.map(rank)
        expect(ranks).toEqual(ranks.toSorted((one, other) => one - other))
        const alone = cases.filter(({ id, isAlone }) => isAlone && !first.includes(id))
        expect(order.filter(({ id, isAlone }) => isAlone && !first.includes(id))).toEqual(alone)
      }),
    )
  })
})
