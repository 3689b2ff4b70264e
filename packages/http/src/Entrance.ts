import { limits } from "@carillon/core"

/**
 * What is taken up in one turn of the event loop, and how long a turn takes up more. A request takes some tenths of a millisecond, one with a large
 * body some milliseconds, so hundreds that come at once would hold everybody up.
 */
const turnBounds: TurnBounds = { taken: 8, ms: 2 }

type Work = () => void

interface TurnBounds {
  readonly taken: number
  readonly ms: number
}

/** The door of a mount: `enter` takes up work of somebody, `know` says whether that is somebody who was let in. */
export interface Entrance {
  readonly enter: (who: string, work: Work) => void
  readonly know: (who: string, isLetIn: boolean) => void
}

/**
 * Takes up what comes at once, requests and the ends of their bodies, a few in a turn of the event loop; the rest waits for the turns after that,
 * between which everybody else gets on. Those who wait are taken up in turn, each one's own in the order in which it came, so that hundreds of one
 * hold up nobody else. `who` is the key that a request names: before it was looked up nothing else is known of it. Those whose key was not known
 * before, or who name none, are one. `later` calls back in the next turn. What waits is bounded as the connections are, each of which
 * has one request under way.
 */
export const entrance = (
  later: (turn: Work) => void,
  bounds: TurnBounds = turnBounds,
  now: () => number = () => performance.now(),
): Entrance => {
  /** In the order of their turns. */
  const waiting = new Map<string, Set<Work>>()
  const known = new Set<string>()
  let taken = 0
  /** When the first of this turn was taken up. */
  let began = 0
  let isWatched = false

  const isOver = (): boolean => taken >= bounds.taken || (taken > 0 && now() - began >= bounds.ms)

  const watch = () => {
    if (isWatched) return
    isWatched = true
    later(begin)
  }

  const take = (work: Work) => {
    if (taken === 0) began = now()
    taken += 1
    watch()
    work()
  }

  const begin = () => {
    isWatched = false
    taken = 0
    while (!isOver()) {
      const [next] = waiting
      if (next === undefined) return
      const [who, works] = next
      const [work] = works
      waiting.delete(who)
      if (work === undefined) continue
      works.delete(work)
      // Who has more to come stands behind all others.
      if (works.size > 0) waiting.set(who, works)
      take(work)
    }
  }

  return {
    enter: (who, work) => {
      if (waiting.size === 0 && !isOver()) return take(work)
      const name = known.has(who) ? who : ""
      const works = waiting.get(name)
      if (works === undefined) waiting.set(name, new Set([work]))
      else works.add(work)
    },
    know: (who, isLetIn) => {
      known.delete(who)
      if (!isLetIn) return
      const [oldest] = known
      if (known.size >= limits.cachedKeys && oldest !== undefined) known.delete(oldest)
      known.add(who)
    },
  }
}
