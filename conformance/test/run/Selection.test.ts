import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { chosenOf, globOf, matches, selects } from "../../src/run/Selection.ts"

const part = fc.stringMatching(/^[a-z0-9-]{1,8}$/)
const id = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"))

describe("selection", () => {
  it("selects an id by itself and by every folder above it", () => {
    fc.assert(
      fc.property(id, fc.nat(), (path, cut) => {
        const parts = path.split("/")
        const folder = parts.slice(0, 1 + (cut % parts.length)).join("/")
        expect(matches(folder, path)).toBe(true)
        expect(matches(`${folder}/`, path)).toBe(true)
      }),
    )
  })

  it("takes everything but the stars literally", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, other) => {
        fc.pre(!text.includes("*"))
        expect(globOf(text).test(other)).toBe(text === other)
      }),
    )
  })

  it("keeps one star within a part, and two across", () => {
    expect(matches("calls/*/late", "calls/stop/late")).toBe(true)
    expect(matches("calls/*/late", "calls/stop/very/late")).toBe(false)
    expect(matches("calls/**/late", "calls/stop/very/late")).toBe(true)
    expect(matches("call", "calls/stop")).toBe(false)
  })

  it("selects by clause and topic, not by half a word", () => {
    const subject = { id: "x", clauses: ["CALL-STOP-13"] }
    expect(selects("CALL-STOP-13", subject)).toBe(true)
    expect(selects("CALL-STOP", subject)).toBe(true)
    expect(selects("CALL-STOP-1", subject)).toBe(false)
    expect(selects("CALL-ST", subject)).toBe(false)
  })
})

describe("the cases of a run", () => {
  const some = (count: number) => Array.from({ length: count }, (_each, nth) => ({ id: `case/${nth}`, clauses: [] }))

  it("are each in exactly one shard", () => {
    fc.assert(
      fc.property(fc.nat(60), fc.integer({ min: 1, max: 9 }), (count, of) => {
        const parts = Array.from({ length: of }, (_each, nth) =>
          chosenOf(some(count), { only: [], shard: { nth: nth + 1, of }, first: [] }),
        )
        expect(new Set(parts.flat().map(({ id }) => id))).toEqual(new Set(some(count).map(({ id }) => id)))
        expect(parts.flat()).toHaveLength(count)
        const sizes = parts.map(({ length }) => length)
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
      }),
    )
  })

  it("begin with those that failed the last time, and are the same ones", () => {
    const chosen = chosenOf(some(5), { only: [], shard: undefined, first: ["case/3", "gone", "case/1"] })
    expect(chosen.map(({ id }) => id)).toEqual(["case/1", "case/3", "case/0", "case/2", "case/4"])
  })
})
