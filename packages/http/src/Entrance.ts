import { limits } from "@carillon/core"
import { FewInTurn, type TurnBounds } from "@carillon/core/ports"

/**
 * What is taken up in one turn of the event loop, and how long a turn takes up more. A request takes some tenths of a millisecond, one with a large
 * body some milliseconds, so hundreds that come at once would hold everybody up.
 */
const turnBounds: TurnBounds = { taken: 8, ms: 2 }

type Work = () => void

/** The door of a mount: `enter` takes up work of somebody, `know` says whether that is somebody who was let in. */
export interface Entrance {
  readonly enter: (who: string, work: Work) => void
  readonly know: (who: string, isLetIn: boolean) => void
}

/**
 * Takes up what comes at once, requests and the ends of their bodies, a few in a turn of the event loop. `who` is the key that a request
 * names: before it was looked up nothing else is known of it. Those whose key was not known before, or who name none, are one party. `later` calls
 * back in the next turn. What waits is bounded as the connections are, each of which has one request under way.
 */
export const entrance = (
  later: (turn: Work) => void,
  bounds: TurnBounds = turnBounds,
  now: () => number = () => performance.now(),
): Entrance => {
  const turns = new FewInTurn({ afterTurn: later, now }, bounds)
  const known = new Set<string>()
  return {
    enter: (who, work) => turns.enter(known.has(who) ? who : "", work),
    know: (who, isLetIn) => {
      known.delete(who)
      if (!isLetIn) return
      const [oldest] = known
      if (known.size >= limits.cachedKeys && oldest !== undefined) known.delete(oldest)
      known.add(who)
    },
  }
}
