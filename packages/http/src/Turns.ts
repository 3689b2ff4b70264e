import type { PieceClock } from "@carillon/core/ports"

/** Calls back in the next turn of the event loop. Some servers that speak `Request` and `Response` have no `setImmediate`. */
export const nextTurn = (turn: () => void): void => {
  if (typeof setImmediate === "function") setImmediate(turn)
  else setTimeout(turn, 0)
}

/** The time of the machine, by which large work rests while others are served. */
export const pieceClock: PieceClock = {
  now: () => performance.now(),
  afterTurn: nextTurn,
  later: (ms, work) => void setTimeout(work, ms),
}
