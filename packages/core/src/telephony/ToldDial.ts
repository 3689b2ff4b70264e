import { Effect, type Exit } from "effect"
import type { Outages } from "../operating/Outages.ts"
import { dialOutcome } from "./MeasuredDial.ts"
import type { DialCommand, DialOutcome } from "./rules/Dial.ts"

/** Whether a dial shows that its carrier is there. Where each request to it is told of, that has been told, and a dial is none more. */
const judged = (to: Outages, carrier: string, outcome: ReturnType<typeof dialOutcome>, began: number) => {
  if (to.isAsked(carrier)) return Effect.void
  return outcome === "unknown" || outcome === "unreachable"
    ? to.failed("carrier", `${carrier}: ${outcome}`, carrier)
    : to.answered("carrier", began, carrier)
}

/** Tells of a dial that came to nothing by the carrier's word, and whether the carrier is there at all. */
export const toldDial = (
  outages: Outages | null,
  carrier: string,
  { execution_id, organization_id }: DialCommand,
  dialled: Effect.Effect<DialOutcome>,
): Effect.Effect<DialOutcome> => {
  if (outages === null) return dialled
  const told = (to: Outages, exit: Exit.Exit<DialOutcome>, began: number) => {
    const outcome = dialOutcome(exit)
    const known = judged(to, carrier, outcome, began)
    if (outcome === "accepted") return known
    const line =
      outcome === "unknown"
        ? "What became of a dial is not known: the carrier will be asked."
        : `The carrier refused a dial: ${outcome}.`
    const isKnown = () => to.isAway("carrier", carrier) || to.isAway("credentials", carrier)
    const said = Effect.suspend(() => (isKnown() ? Effect.logDebug(line) : Effect.logInfo(line)))
    return Effect.andThen(Effect.annotateLogs(said, { carrier, execution_id, organization_id }), known)
  }
  return Effect.suspend(() => {
    const began = outages.now()
    return Effect.onExit(dialled, (exit) => told(outages, exit, began))
  })
}
