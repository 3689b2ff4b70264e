import { Effect } from "effect"
import { CurrentCallLimits } from "./ports/CurrentCallLimits.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { raised } from "../engine/rules/Put.ts"
import { Steps } from "../engine/Steps.ts"
import type { Call } from "./rules/Call.ts"
import { readAnew } from "./steps/CallReads.ts"
import { applyDialOutcome, type DialEnding } from "./rules/DialOutcomes.ts"
import { type Settled, settleDial } from "./steps/SettleDial.ts"

/** Commits the outcomes of dials on their rows as they are by then. A report may have been faster; a failure leaves the row to be asked about. */
export const makeSettling = Effect.gen(function* () {
  const steps = yield* Steps
  const clock = yield* DomainClock
  const times = yield* CurrentCallLimits

  return Effect.fnUntraced(function* (call: Call, outcome: DialEnding) {
    const { execution_id, organization_id } = call
    const settling = { organization_id, execution_id, placed: call, known: call, ending: outcome, times }
    const settled: Settled = yield* steps
      .take(settleDial, settling, readAnew(settling))
      .pipe(
        Effect.catch(() =>
          Effect.as(
            Effect.logWarning("The outcome of a dial could not be stored; the carrier will be asked.").pipe(
              Effect.annotateLogs({ execution_id }),
            ),
            "stale" as const,
          ),
        ),
      )
    const told = applyDialOutcome(call, outcome, clock.now(), times)
    return { told: { ...told, call: raised(call, told.call) }, withdrawn: settled === "withdrawn" }
  })
})
