import { minuteMs } from "./Duration.ts"
import type { Trial } from "./Trial.ts"

/** How often a case looks for a quiet moment before it goes on all the same. */
const looksMax = 50

/**
 * Lets time pass until nobody is on the phone and nothing is due for so many milliseconds. What a case counts on the
 * whole platform is shared with everybody there: a contact whose hours open meanwhile would take a line of it.
 */
export const untilQuiet = async (trial: Trial, forMs: number): Promise<void> => {
  const { clock, telephony } = trial
  for (let look = 0; look < looksMax; look++) {
    const live = await telephony.legs({ live: "true" })
    const [now, due] = [await clock.now(), await clock.nextDue()]
    const untilDueMs = due === null ? Infinity : Math.max(0, due - now)
    if (live.length === 0 && untilDueMs >= forMs) return
    await clock.advance(minuteMs + (untilDueMs < forMs ? untilDueMs : 0))
  }
}
