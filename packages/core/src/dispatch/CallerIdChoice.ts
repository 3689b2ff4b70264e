import { Effect } from "effect"
import { laneOf } from "../batches/rules/Batch.ts"
import { CallStore } from "../calls/ports/CallStore.ts"
import { Activity } from "../engine/Activity.ts"
import { Chance } from "../engine/ports/Chance.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import type { PhoneNumber } from "../numbers/rules/PhoneNumber.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { figure } from "../tallies/rules/Tally.ts"
import { TallyStore } from "../tallies/ports/TallyStore.ts"
import { callerIdPlace, chooseCallerId } from "./rules/CallerId.ts"
import type { ContactDial } from "./rules/ContactCall.ts"

/** What a call is made from. */
interface Chosen {
  readonly from_number: string | null
  /** How far the cursor of the lane moves. */
  readonly advance: number
  /** The row of the number, on which the call rests. */
  readonly number: PhoneNumber | null
}

/** The organization has no number: the carrier chooses. */
const carriers: Chosen = { from_number: null, advance: 0, number: null }

/** Numbers that are read at a time where more than one must be. */
const numbersAtATime = 100

/**
 * Chooses what the calls of contacts are made from. An organization may have thousands of numbers, and each dial chooses anew: of those that
 * nobody names it reads how many there are and the one whose turn it is, or as many as it takes to find one that nobody is in a call with.
 */
export const callerIdChoice = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const calls = yield* CallStore
  const tallies = yield* TallyStore
  const chance = yield* Chance
  const activity = yield* Activity

  const strategyOf = ({ campaign }: ContactDial) => campaign?.phone_number_strategy ?? "round_robin"

  /** Where the cursor of the lane stands before the `nth` call from now. */
  const cursorOf = ({ batch }: ContactDial, nth: number, count: number) =>
    Effect.map(tallies.read(laneOf(batch)), (tally) => {
      const stored = figure(tally, "phone_number_index")
      return nth === 0 || count === 0 ? stored : (stored + nth) % count
    })

  const live = (organization_id: string, numbers: ReadonlyArray<string>) =>
    calls.live(numbers.map((from_number) => ({ organization_id, from_number })))

  /** One of the numbers; null where there are none. */
  const among = Effect.fnUntraced(function* (
    dial: ContactDial,
    executionId: string,
    nth: number,
    numbers: ReadonlyArray<string>,
  ) {
    const strategy = strategyOf(dial)
    const counts = strategy === "least_loaded" ? yield* live(dial.batch.organization_id, numbers) : []
    const cursor = yield* cursorOf(dial, nth, numbers.length)
    const choice = chooseCallerId({
      strategy,
      phone_numbers: numbers,
      phone_number_index: cursor,
      liveCalls: new Map(numbers.map((number, index) => [number, counts[index] ?? 0])),
      draw: strategy === "random" ? chance.draw("caller_id", executionId) : 0,
    })
    return choice === null ? null : { from_number: choice.from_number, advance: choice.phone_number_index - cursor }
  })

  /** Of all the organization's numbers the first with the fewest live calls. None has fewer than none. */
  const leastLoaded = Effect.fnUntraced(function* (organizationId: string) {
    let best: PhoneNumber | undefined
    let bestLoad = Infinity
    for (let first = 0; bestLoad > 0 && first < limits.numbersPerOrganization; first += numbersAtATime) {
      const numbers = yield* accounts.numbersFrom(organizationId, first, numbersAtATime)
      const counts = yield* live(
        organizationId,
        numbers.map(({ phone_number }) => phone_number),
      )
      for (const [index, number] of numbers.entries()) {
        const load = counts[index] ?? 0
        if (load < bestLoad) [best, bestLoad] = [number, load]
      }
      if (numbers.length < numbersAtATime) break
    }
    return best
  })

  /** One of so many numbers of the organization; undefined where some were given up since they were counted. */
  const registered = Effect.fnUntraced(function* (dial: ContactDial, executionId: string, nth: number, count: number) {
    const { organization_id } = dial.batch
    const strategy = strategyOf(dial)
    if (strategy === "least_loaded") return { number: yield* leastLoaded(organization_id), advance: 0 }
    const cursor = yield* cursorOf(dial, nth, count)
    const draw = strategy === "random" ? chance.draw("caller_id", executionId) : 0
    const { index, phone_number_index } = callerIdPlace(strategy, count, cursor, draw)
    const [number] = yield* accounts.numbersFrom(organization_id, index, 1)
    return { number, advance: phone_number_index - cursor }
  })

  const ofAll = Effect.fnUntraced(function* (dial: ContactDial, executionId: string, nth: number) {
    for (let attempt = 0; attempt < limits.callerIdAttempts; attempt++) {
      const count = yield* accounts.numberCount(dial.batch.organization_id)
      if (count === 0) return carriers
      const { advance, number } = yield* registered(dial, executionId, nth, count)
      if (number !== undefined) return { from_number: number.phone_number, advance, number } satisfies Chosen
    }
    return null
  })

  /** Those of the numbers that are the organization's. */
  const ownOf = (organizationId: string, numbers: ReadonlyArray<string>) =>
    Effect.map(activity.together(numbers.map((number) => accounts.number(organizationId, number))), (found) =>
      found.filter((number) => number !== null),
    )

  return {
    /**
     * What the `nth` call from now is made from: it must be the organization's. Without any number the carrier chooses; null where every
     * number that the campaign or batch names was given up.
     */
    choose: Effect.fnUntraced(function* (
      dial: ContactDial,
      executionId: string,
      nth: number,
    ): Effect.fn.Return<Chosen | null, PortError> {
      const { organization_id, phone_numbers } = dial.batch
      const named = phone_numbers ?? dial.campaign?.phone_numbers ?? null
      if (named === null) return yield* ofAll(dial, executionId, nth)
      if (named.length === 0) return carriers
      const first = yield* among(dial, executionId, nth, named)
      const held = first === null ? null : yield* accounts.number(organization_id, first.from_number)
      if (first !== null && held !== null) return { ...first, number: held }
      const own = yield* ownOf(organization_id, [...new Set(named)])
      const texts = own.map(({ phone_number }) => phone_number)
      const choice = yield* among(dial, executionId, nth, texts)
      const number = own.find(({ phone_number }) => phone_number === choice?.from_number)
      return choice === null || number === undefined ? null : { ...choice, number }
    }),
    /** Whether one of the numbers is the organization's. */
    isAnyOwn: Effect.fnUntraced(function* (organizationId: string, numbers: ReadonlyArray<string>) {
      for (let first = 0; first < numbers.length; first += numbersAtATime) {
        const own = yield* ownOf(organizationId, numbers.slice(first, first + numbersAtATime))
        if (own.length > 0) return true
      }
      return false
    }),
  }
})
