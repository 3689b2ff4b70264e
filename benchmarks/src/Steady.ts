/** So many rounds are held against as many before them. */
const window = 3

/** Their best may differ by less than this part. */
const tolerance = 0.05

/**
 * Whether a figure has stopped moving: the best of the last three rounds differs by less than 5 % from the best of the three before them,
 * in either direction. The best, because what else a machine does only ever makes a round worse.
 */
export const isSteady = (costs: ReadonlyArray<number>): boolean => {
  if (costs.length < 2 * window) return false
  const before = Math.min(...costs.slice(-2 * window, -window))
  const last = Math.min(...costs.slice(-window))
  return Math.abs(last - before) <= tolerance * before
}
