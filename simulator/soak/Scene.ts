import type { Customer } from "./Customer.ts"
import type { Dice } from "./Dice.ts"
import type { Parameters } from "./Parameters.ts"
import type { Place } from "./Place.ts"

/** What a deed works on. */
export interface Scene {
  readonly dice: Dice
  readonly customer: Customer
  readonly parameters: Parameters
  readonly places: ReadonlyArray<Place>
  readonly crash: (steps: number) => Promise<void>
  /** From now on each use of the engine's stores begins later with this chance, and each commit with that one, or the same. */
  readonly interleave: (rate: number, commits?: number) => Promise<void>
  /** Epoch milliseconds of virtual time. */
  readonly now: () => number
  readonly advance: (how: object) => Promise<void>
}

export type Deed = (scene: Scene, place: Place) => Promise<void>

/** Outcomes of the carrier as the two digits of magic numbers, and how often each is drawn. */
const outcomes = [
  ...["00", "00", "00", "00", "01", "02", "03", "04", "05", "06", "07", "10", "11", "12"],
  ...["20", "21", "22", "23", "24", "25", "30", "31", "32", "33", "40", "41", "42", "43", "50", "60"],
] as const

export const numberOf = (dice: Dice): string =>
  `+999${dice.oneOf(["00", ...outcomes])}0${dice.upTo(3)}${String(dice.upTo(99_999_999)).padStart(8, "0")}`

export const minuteMs = 60_000

export const iso = (at: number): string => new Date(at).toISOString()

export const note = (ids: Array<string>, id: string | null | undefined): void => {
  if (typeof id === "string") ids.push(id)
}

/** Some numbers come more than once. */
export const contactsOf = (dice: Dice, most: number): ReadonlyArray<object> => {
  const numbers: Array<string> = []
  for (let left = 1 + dice.upTo(most); left > 0; left--) {
    numbers.push((dice.happens(0.1) ? dice.anyOf(numbers) : undefined) ?? numberOf(dice))
  }
  return numbers.map((to_number) => ({ to_number, name: "रमेश" }))
}
