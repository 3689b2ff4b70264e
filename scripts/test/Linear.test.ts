import { describe, expect, it } from "vitest"
import { expectLinear } from "../Linear.ts"

describe("what tells linear work from quadratic", () => {
  /** Large enough for the square of it to be seen, and no larger: what fails is looked at in every round. */
  const size = 640
  const blanks = (size: number) => `${" ".repeat(size)}x`

  it("fails where each place is looked at from every place before it", () => {
    const quadratic = (size: number) => () => expect(blanks(size).search(/\s+$/)).toBe(-1)
    expect(() => expectLinear(size, quadratic)).toThrow("CPU milliseconds")
  })

  it("is not deceived by one short look that took long", () => {
    let looks = 0
    const quadratic = (size: number) => () => {
      looks += 1
      // The first one is compiled for, the second is the first that counts.
      const times = looks === 2 ? 30 : 1
      for (let nth = 0; nth < times; nth++) expect(blanks(size).search(/\s+$/)).toBe(-1)
    }
    expect(() => expectLinear(size, quadratic)).toThrow("CPU milliseconds")
  })

  it("lets each place be looked at once", () => {
    const linear = (size: number) => () => expect(blanks(size).search(/x/)).toBe(size)
    expectLinear(size, linear)
  })
})
