import * as fc from "fast-check"
import { expect, it } from "vitest"
import { cloneName } from "../../src/agents/rules/AgentClone.ts"

it("ends in (copy), begins as the copied name does, and has at most 100 characters, counted as people count them", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-composite", minLength: 1, maxLength: 100 }), (name) => {
      const copy = [...cloneName(name)]
      expect(copy.length).toBe(Math.min(100, [...name].length + 7))
      expect(copy.slice(-7).join("")).toBe(" (copy)")
      expect([...name].slice(0, copy.length - 7)).toEqual(copy.slice(0, -7))
    }),
  )
})
