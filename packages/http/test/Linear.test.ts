import { describe, expect, it } from "vitest"
import { expectLinear } from "./Linear.ts"

describe("what tells linear work from quadratic", () => {
  const blanks = (size: number) => `${" ".repeat(size)}x`

  it("fails where each place is looked at from every place before it", () => {
    const quadratic = (size: number) => () => expect(blanks(size).search(/\s+$/)).toBe(-1)
    expect(() => expectLinear(1_024, quadratic)).toThrow("CPU milliseconds")
  })

  it("lets each place be looked at once", () => {
    const linear = (size: number) => () => expect(blanks(size).search(/x/)).toBe(size)
    expectLinear(1_024, linear)
  })
})
