import { type Effect, Exit } from "effect"
import { metrics } from "../metrics/rules/Catalogue.ts"
import { timed } from "../metrics/ports/Measured.ts"
import type { Meters } from "../metrics/ports/Meters.ts"
import type { DialCommand, DialOutcome } from "./rules/Dial.ts"

/** Who waits for a dial no more interrupts it: what became of it is not known. */
export const dialOutcome = (exit: Exit.Exit<DialOutcome>) => {
  if (Exit.isFailure(exit) || exit.value._tag === "Unknown") return "unknown"
  return exit.value._tag === "Accepted" ? "accepted" : exit.value.kind
}

const attemptOf = ({ is_follow_up, retry_count }: DialCommand) =>
  is_follow_up ? "follow_up" : retry_count > 0 ? "retry" : "first"

/** Measures a dial under the name of its carrier. */
export const measuredDial = (
  meters: Meters | null,
  carrier: string,
  command: DialCommand,
  dialled: Effect.Effect<DialOutcome>,
): Effect.Effect<DialOutcome> =>
  timed(meters, dialled, (to, seconds, exit) =>
    to.record(metrics.dials, [carrier, dialOutcome(exit), attemptOf(command)], seconds),
  )
