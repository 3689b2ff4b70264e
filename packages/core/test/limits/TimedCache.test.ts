import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { TimedCache } from "../../src/limits/rules/TimedCache.ts"

const keys = ["a", "b", "c", "d", "e"]

describe("TimedCache", () => {
  it("serves what is fresh enough, and forgets whatever was set longest ago when it is full", () => {
    const command = fc.record({
      do: fc.constantFrom("set", "set", "get", "delete"),
      key: fc.constantFrom(...keys),
      advance: fc.nat(6),
      within: fc.option(fc.nat(30), { nil: undefined }),
    })
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (script, capacity) => {
        const cache = new TimedCache<number>(capacity, 10)
        let held: Array<{ readonly key: string; readonly value: number; readonly at: number }> = []
        let now = 0
        for (const [value, command] of script.entries()) {
          now += command.advance
          const { key, within } = command
          if (command.do === "set") {
            cache.set(key, value, now)
            held = [...held.filter((entry) => entry.key !== key), { key, value, at: now }].slice(-capacity)
          } else if (command.do === "delete") {
            cache.delete(key)
            held = held.filter((entry) => entry.key !== key)
          }
          for (const each of keys) {
            const entry = held.find((one) => one.key === each)
            const expected = entry !== undefined && now - entry.at < (within ?? 10) ? entry.value : undefined
            expect(within === undefined ? cache.get(each, now) : cache.get(each, now, within)).toBe(expected)
          }
        }
      }),
    )
  })
})
