import { assert, describe, it } from "vitest"
import { Effect, Layer } from "effect"
import * as fc from "fast-check"
import { Activity, CallStore } from "@carillon/core/ports"
import { chooseCallerId, type PhoneNumberStrategy } from "../../src/dispatch/rules/CallerId.ts"
import { callerIdChoice } from "../../src/dispatch/CallerIdChoice.ts"
import type { ContactDial } from "../../src/dispatch/rules/ContactCall.ts"
import { Chance } from "../../src/engine/ports/Chance.ts"
import { newPhoneNumber } from "../../src/numbers/rules/PhoneNumber.ts"
import { AccountStore } from "../../src/organizations/ports/AccountStore.ts"
import { TallyStore } from "../../src/tallies/ports/TallyStore.ts"

const organization_id = "org_1"

const numberOf = (nth: number) =>
  newPhoneNumber({
    phone_number_id: `pn_${nth}`,
    organization_id,
    phone_number: `+1555${String(nth).padStart(7, "0")}`,
    created_at: 0,
  })

interface Given {
  readonly count: number
  /** Of how many numbers, from the first on, there are calls, and how many of each. */
  readonly busy: number
  readonly loads: ReadonlyArray<number>
  readonly strategy: PhoneNumberStrategy
  readonly cursor: number
  readonly nth: number
  readonly draw: number
}

const given: fc.Arbitrary<Given> = fc.record({
  count: fc.oneof(fc.nat(4), fc.nat(350)),
  busy: fc.oneof(fc.nat(4), fc.nat(350)),
  loads: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 5 }),
  strategy: fc.constantFrom("round_robin", "random", "least_loaded"),
  cursor: fc.integer({ min: -3, max: 400 }),
  nth: fc.nat(64),
  draw: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
})

/** The choice among an organization's numbers with what it read; `lost` numbers at the end are given up once they were counted. */
const chosen = async (
  { busy, count, cursor, draw, loads, nth, strategy }: Given,
  named: ReadonlyArray<string> | null,
  lost = 0,
) => {
  const numbers = Array.from({ length: count }, (_, index) => numberOf(index))
  const load = new Map(
    numbers.slice(0, busy).map((number, index) => [number.phone_number, loads[index % loads.length]!]),
  )
  let rows = 0
  let left = numbers
  const ports = Layer.mergeAll(
    Activity.layer,
    Layer.mock(AccountStore)({
      number: (_: string, text: string) =>
        Effect.sync(() => {
          rows += 1
          return left.find(({ phone_number }) => phone_number === text) ?? null
        }),
      numberCount: () =>
        Effect.sync(() => {
          const counted = left.length
          left = numbers.slice(0, count - lost)
          return counted
        }),
      numbersFrom: (_: string, first: number, limit: number) =>
        Effect.sync(() => {
          const found = left.slice(first, first + limit)
          rows += found.length
          return found
        }),
    }),
    Layer.mock(CallStore)({
      live: (keys: ReadonlyArray<{ readonly from_number: string }>) =>
        Effect.succeed(keys.map(({ from_number }) => load.get(from_number) ?? 0)),
    }),
    Layer.mock(TallyStore)({ read: () => Effect.succeed({ phone_number_index: cursor }) }),
    Layer.succeed(Chance, { draw: () => draw }),
  )
  const dial: unknown = {
    batch: { batch_id: "b", organization_id, phone_numbers: null },
    campaign: { campaign_id: "c", phone_number_strategy: strategy, phone_numbers: named },
  }
  const choice = await Effect.runPromise(
    Effect.flatMap(callerIdChoice, ({ choose }) => choose(dial as ContactDial, "exec_1", nth)).pipe(
      Effect.provide(ports),
    ),
  )
  const texts = numbers.map(({ phone_number }) => phone_number)
  const before = nth === 0 || count === 0 ? cursor : (cursor + nth) % count
  const plain = (among: ReadonlyArray<string>, from: number) =>
    chooseCallerId({ strategy, phone_numbers: among, phone_number_index: from, liveCalls: load, draw })
  return { choice, rows, texts, before, plain }
}

describe("the number that a dial is made from", () => {
  it("is chosen among all of an organization's as among those that a campaign names, and few of them are read", async () => {
    await fc.assert(
      fc.asyncProperty(given, async (one) => {
        const { before, choice, plain, rows, texts } = await chosen(one, null)
        const expected = plain(texts, before)
        assert.strictEqual(choice?.from_number, expected?.from_number ?? null)
        assert.strictEqual(choice?.number?.phone_number, expected?.from_number)
        assert.strictEqual(choice?.advance, expected === null ? 0 : expected.phone_number_index - before)
        // To find one that nobody is in a call with it looks at those before it, and at some more at once.
        assert.isAtMost(rows, one.strategy === "least_loaded" ? one.busy + 100 : 1)
        const same = await chosen(one, texts)
        assert.deepStrictEqual(same.choice, choice)
      }),
    )
  })

  it("is another where the one whose turn it was is given up meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(given, fc.nat(350), async (one, lost) => {
        const left = Math.max(0, one.count - lost)
        const { choice, texts } = await chosen(one, null, Math.min(one.count, lost))
        if (left === 0) assert.isNull(choice?.from_number)
        else assert.include(texts.slice(0, left), choice?.from_number)
      }),
    )
  })

  it("is one of those that are the organization's still, in the campaign's order, and none where all were given up", async () => {
    await fc.assert(
      fc.asyncProperty(given, fc.uniqueArray(fc.nat(40), { minLength: 1 }), async (one, places) => {
        const named = places.map((place) => numberOf(place).phone_number)
        const { choice, texts } = await chosen({ ...one, count: Math.min(one.count, 20) }, named)
        const own = named.filter((number) => texts.includes(number))
        if (own.length === 0) assert.isNull(choice)
        else assert.include(own, choice?.from_number)
      }),
    )
  })
})
