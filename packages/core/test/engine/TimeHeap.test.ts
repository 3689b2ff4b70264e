import { TimeHeap } from "@carillon/core/domain"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

type Command =
  | { readonly do: "set"; readonly key: string; readonly at: number }
  | { readonly do: "delete"; readonly key: string }
  | { readonly do: "pop"; readonly now: number }

const key = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h")

const commands = fc.array(
  fc.oneof<fc.Arbitrary<Command>[]>(
    fc.record({ do: fc.constant("set" as const), key, at: fc.nat(12) }),
    fc.record({ do: fc.constant("delete" as const), key }),
    fc.record({ do: fc.constant("pop" as const), now: fc.nat(12) }),
  ),
  { maxLength: 120, size: "max" },
)

describe("TimeHeap", () => {
  it("behaves like a list sorted by time, and by the order of setting within a moment", () => {
    fc.assert(
      fc.property(commands, (script) => {
        const heap = new TimeHeap<number>()
        let sorted: Array<{ readonly key: string; readonly at: number; readonly value: number }> = []
        for (const [value, command] of script.entries()) {
          switch (command.do) {
            case "set": {
              heap.set(command.key, command.at, value)
              sorted = sorted.filter((entry) => entry.key !== command.key)
              const place = sorted.findIndex((entry) => entry.at > command.at)
              sorted.splice(place < 0 ? sorted.length : place, 0, { key: command.key, at: command.at, value })
              break
            }
            case "delete":
              expect(heap.delete(command.key)).toBe(sorted.some((entry) => entry.key === command.key))
              sorted = sorted.filter((entry) => entry.key !== command.key)
              break
            case "pop": {
              const [first] = sorted
              const isDue = first !== undefined && first.at <= command.now
              const popped = heap.popDue(command.now)
              if (!isDue) expect(popped).toBeUndefined()
              else {
                expect(popped).toMatchObject(first)
                sorted = sorted.slice(1)
              }
            }
          }
          expect(heap.size).toBe(sorted.length)
          if (sorted[0] === undefined) expect(heap.peek()).toBeUndefined()
          else expect(heap.peek()).toMatchObject(sorted[0])
          const isOdd = (each: number) => each % 2 === 1
          expect(heap.last()).toBe(sorted.at(-1)?.at ?? null)
          expect(heap.first(isOdd)?.value).toBe(sorted.find((entry) => isOdd(entry.value))?.value)
          for (const entry of sorted) expect(heap.get(entry.key)).toMatchObject({ at: entry.at, value: entry.value })
        }
        const values = new Set([...heap.values()].map((entry) => entry.value))
        expect(values).toEqual(new Set(sorted.map((entry) => entry.value)))
        for (const entry of sorted) expect(heap.popDue(Infinity)).toMatchObject(entry)
        expect(heap.popDue(Infinity)).toBeUndefined()
      }),
      { numRuns: 300 },
    )
  })
})
