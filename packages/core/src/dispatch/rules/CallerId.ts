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

/** Where the number of one attempt stands among `count` of them, and the cursor after it; only `round_robin` moves it. */
export const callerIdPlace = (
  strategy: Exclude<PhoneNumberStrategy, "least_loaded">,
  count: number,
  cursor: number,
  draw: number,
): { readonly index: number; readonly phone_number_index: number } => {
  if (strategy === "random") return { index: Math.floor(draw * count), phone_number_index: cursor }
  // A call that found no line after all may leave the cursor before the first number.
  const index = ((cursor % count) + count) % count
  return { index, phone_number_index: (index + 1) % count }
}

/** Chooses for one attempt, a retry included; null when there is no number. */
export const chooseCallerId = (input: CallerIdInput): CallerId | null => {
  const { strategy, phone_numbers, phone_number_index: cursor, liveCalls, draw } = input
  const { index, phone_number_index } =
    strategy === "least_loaded"
      ? { index: leastLoaded(phone_numbers, liveCalls), phone_number_index: cursor }
      : callerIdPlace(strategy, phone_numbers.length, cursor, draw)
  const from_number = phone_numbers[index]
  return from_number === undefined ? null : { from_number, phone_number_index }
}
