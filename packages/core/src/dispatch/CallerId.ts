/** How a campaign picks the number it calls from (specification, `phone_number_strategy`). */
export type PhoneNumberStrategy = "round_robin" | "random" | "least_loaded"

/** The number to call from, and the campaign's cursor after the choice. */
export interface CallerId {
  readonly from_number: string
  readonly phone_number_index: number
}

/** What a choice may look at. */
export interface CallerIdInput {
  readonly strategy: PhoneNumberStrategy
  /** In the campaign's order. */
  readonly phone_numbers: ReadonlyArray<string>
  readonly phone_number_index: number
  /** The organization's live calls by the number they were placed from; a number left out has none. */
  readonly liveCalls: ReadonlyMap<string, number>
  /** In [0, 1); read by `random` alone. */
  readonly draw: number
}

const leastLoaded = (numbers: ReadonlyArray<string>, liveCalls: ReadonlyMap<string, number>): number => {
  let best = 0
  let bestLoad = Infinity
  numbers.forEach((number, index) => {
    const load = liveCalls.get(number) ?? 0
    if (load < bestLoad) {
      best = index
      bestLoad = load
    }
  })
  return best
}

/** Chooses for one attempt, a retry included; null when there is no number. Only `round_robin` moves the cursor. */
export const chooseCallerId = (input: CallerIdInput): CallerId | null => {
  const { strategy, phone_numbers, phone_number_index, liveCalls, draw } = input
  const count = phone_numbers.length
  const index =
    strategy === "round_robin"
      ? // A call that found no line after all may leave the cursor before the first number.
        ((phone_number_index % count) + count) % count
      : strategy === "random"
        ? Math.floor(draw * count)
        : leastLoaded(phone_numbers, liveCalls)
  const from_number = phone_numbers[index]
  if (from_number === undefined) return null
  return { from_number, phone_number_index: strategy === "round_robin" ? (index + 1) % count : phone_number_index }
}
