import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { chooseCallerId, type CallerIdInput } from "../../src/dispatch/rules/CallerId.ts"

const numbers = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 })
const input = fc.record({
  phone_numbers: numbers,
  phone_number_index: fc.nat(20),
  loads: fc.array(fc.nat(4), { maxLength: 6 }),
  draw: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
})

const inputOf = (
  strategy: CallerIdInput["strategy"],
  given: typeof input extends fc.Arbitrary<infer T> ? T : never,
) => ({
  strategy,
  ...given,
  liveCalls: new Map(
    given.phone_numbers.slice(0, given.loads.length).map((number, index) => [number, given.loads[index]!]),
  ),
})

describe("chooseCallerId", () => {
  it("round_robin uses every number equally, in order, and advances the cursor", () => {
    fc.assert(
      fc.property(input, fc.nat(30), (given, calls) => {
        let index = given.phone_number_index
        const count = given.phone_numbers.length
        for (let call = 0; call < calls; call++) {
          const choice = chooseCallerId({ ...inputOf("round_robin", given), phone_number_index: index })!
          expect(choice.from_number).toBe(given.phone_numbers[(given.phone_number_index + call) % count])
          index = choice.phone_number_index
          expect(index).toBeLessThan(count)
        }
      }),
    )
  })

  it("least_loaded takes the fewest live calls, ties by order", () => {
    fc.assert(
      fc.property(input, (given) => {
        const asked = inputOf("least_loaded", given)
        const loads = given.phone_numbers.map((number) => asked.liveCalls.get(number) ?? 0)
        expect(chooseCallerId(asked)).toEqual({
          from_number: given.phone_numbers[loads.indexOf(Math.min(...loads))],
          phone_number_index: given.phone_number_index,
        })
      }),
    )
  })

  it("random takes every number for an equal share of the draws", () => {
    fc.assert(
      fc.property(numbers, (phone_numbers) => {
        const chosen = phone_numbers.flatMap((_, index) =>
          [index / phone_numbers.length + 1e-9, (index + 1) / phone_numbers.length - 1e-9].map((draw) =>
            chooseCallerId(inputOf("random", { phone_numbers, phone_number_index: 3, loads: [], draw }))!,
          ),
        )
        expect(chosen.map((choice) => choice.from_number)).toEqual(phone_numbers.flatMap((number) => [number, number]))
        expect(chosen.every((choice) => choice.phone_number_index === 3)).toBe(true)
      }),
    )
  })

  it("finds nothing without numbers", () => {
    for (const strategy of ["round_robin", "random", "least_loaded"] as const) {
      expect(
        chooseCallerId(inputOf(strategy, { phone_numbers: [], phone_number_index: 0, loads: [], draw: 0.5 })),
      ).toBeNull()
    }
  })
})
