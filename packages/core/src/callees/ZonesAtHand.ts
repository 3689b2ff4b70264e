import { Effect } from "effect"
import { isRead, offsetAt, spanOf } from "../dispatch/rules/ZoneOffsets.ts"
import { CurrentPieceClock, nextTurn } from "../engine/ports/Pacing.ts"
import { limits } from "../Limits.ts"
import { zonesOfNumbers } from "./rules/NumberZones.ts"

const dayMs = 86_400_000
/** How far before an instant, and behind the days that are searched, hours are looked at. */
const aroundMs = 4 * dayMs
/** How far behind an instant a search begins for a call that is booked, and ends. */
const aheadMs = limits.scheduleMaxMs + limits.calleeHoursSearchDays * dayMs
/** Zones whose offsets are read in a turn of the event loop; one takes half a millisecond. */
const zonesInTurn = 4
/** Spans that are known to have been read; fewer than are kept of a zone. */
const knownSpans = 8

const known = new Set<number>()

const readSpan = Effect.fnUntraced(function* (at: number) {
  let read = 0
  for (const zone of zonesOfNumbers()) {
    if (isRead(zone, at)) continue
    if (read++ % zonesInTurn === 0) yield* nextTurn
    offsetAt(zone, at)
  }
  if (known.size >= knownSpans) known.clear()
  known.add(spanOf(at))
})

/**
 * Reads what the clocks show in all zones of numbers, some in a turn of the event loop, as far as a search for callee hours from an instant on
 * will ask for it: where nothing is known of a number it asks for all of them at once. In a world with a clock of its own nobody waits for that.
 */
export const zonesAtHand = (at: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    const bounds = [at - aroundMs, at + aheadMs + aroundMs]
    const missing = bounds.filter((each) => !known.has(spanOf(each)))
    if (missing.length === 0) return Effect.void
    return Effect.flatMap(CurrentPieceClock, (clock) =>
      clock === null ? Effect.void : Effect.forEach(missing, readSpan, { discard: true }),
    )
  })
