/** What is taken up in one turn of the event loop. A request takes some tenths of a millisecond, so hundreds that come at once would hold everybody up. */
const takenPerTurn = 16

/**
 * Takes up what comes at once, requests and the ends of their bodies, a few in a turn of the event loop and in the order in which it came; the rest
 * waits for the turns after that, between which everybody else gets on. `later` calls back in the next turn. What waits is bounded as the
 * connections are, each of which has one request under way.
 */
export const entrance = (later: (turn: () => void) => void, perTurn = takenPerTurn) => {
  const waiting = new Set<() => void>()
  let taken = 0
  let isWatched = false

  const watch = () => {
    if (isWatched) return
    isWatched = true
    later(begin)
  }

  const take = (work: () => void) => {
    taken += 1
    watch()
    work()
  }

  const begin = () => {
    isWatched = false
    taken = 0
    for (const work of waiting) {
      if (taken === perTurn) break
      waiting.delete(work)
      take(work)
    }
  }

  return (work: () => void): void => {
    if (taken < perTurn && waiting.size === 0) take(work)
    else waiting.add(work)
  }
}
