import { Effect } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/rules/Catalogue.ts"
import { CurrentMeters } from "../metrics/ports/Meters.ts"
import { NowAndThen } from "../engine/rules/NowAndThen.ts"
import type { Call } from "./rules/Call.ts"
import { isTerminal } from "./rules/CallStatus.ts"

/** How the end of a leg became known: the carrier reported it, or it was asked about a call that had been silent. */
export type EndHeard = "told" | "asked"

const line =
  "The carrier did not report the end of calls, and was asked about them when they had been silent for long. Do its callbacks reach this server?"

/** Takes note of a change of a call that may be its end. A carrier that is not heard looks like long calls and full lines, so it is told of in the log. */
export const endsHeard: Effect.Effect<
  (heard: EndHeard, before: Call, after: Call) => Effect.Effect<void>,
  never,
  DomainClock
> = Effect.gen(function* () {
  const clock = yield* DomainClock
  const meters = yield* CurrentMeters
  const untold = new NowAndThen(limits.untoldEndsMs)
  return (heard, before, after) =>
    Effect.suspend(() => {
      if (isTerminal(before.status) || !isTerminal(after.status)) return Effect.void
      meters?.count(metrics.callEnds, [heard])
      const calls = heard === "asked" ? untold.note(clock.now()) : null
      if (calls === null) return Effect.void
      return Effect.annotateLogs(Effect.logWarning(line), { calls, execution_id: after.execution_id })
    })
})
