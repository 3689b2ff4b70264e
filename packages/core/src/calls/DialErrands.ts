import { Effect } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { type NextStep, nextStep, otherwise, replies } from "../engine/ErrandHandling.ts"
import { Gate } from "../limits/Gate.ts"
import { makeAcknowledging } from "./Acknowledging.ts"
import { CurrentCallLimits } from "./ports/CurrentCallLimits.ts"
import { Requesters } from "./Requesters.ts"
import { type DialsCall, endingOf, type LineHeld, type Unasked, unaskedFor } from "./rules/DialErrand.ts"
import { type Dialled, settledDial } from "./rules/Dialled.ts"
import type { DialEnding } from "./rules/DialOutcomes.ts"
import { readAnew } from "./steps/CallReads.ts"
import { countLine } from "./steps/CountLine.ts"
import { settleDial } from "./steps/SettleDial.ts"
import { takeBackDial, takingBack } from "./steps/TakeBackDial.ts"

/**
 * Dials calls that are written: has the line last, looks once more whether the call may ring and somebody waits for it, and asks the carrier. Answers
 * the step that takes what came of it.
 */
export const makeDialErrands = Effect.gen(function* () {
  const gate = yield* Gate
  const clock = yield* DomainClock
  const requesters = yield* Requesters
  const times = yield* CurrentCallLimits
  const acknowledged = yield* makeAcknowledging

  const held = ({ reserved, subject }: DialsCall): Effect.Effect<LineHeld> => {
    if (reserved === null) return Effect.succeed("Held")
    return clock.now() < reserved.until ? gate.hold(subject, reserved.fence) : Effect.succeed("Late")
  }

  const takesBack = (dial: DialsCall, because: Unasked): NextStep<Dialled> => {
    const taking = takingBack(dial, because)
    return nextStep(takeBackDial, taking, readAnew(taking))
  }

  /** Where its outcome cannot be written, its row is left to be asked about. */
  const settles = ({ placed, subject }: DialsCall, ending: DialEnding): NextStep<Dialled> => {
    const { execution_id, organization_id } = placed
    const settling = { organization_id, execution_id, placed, known: placed, ending, times }
    const unsettled = Effect.logWarning("The outcome of a dial could not be stored; the carrier will be asked.").pipe(
      Effect.annotateLogs({ execution_id: subject }),
      Effect.map(() => replies(settledDial(placed, ending, clock.now(), times))),
    )
    return otherwise(nextStep(settleDial, settling, readAnew(settling)), unsettled)
  }

  return Effect.fnUntraced(function* (dial: DialsCall): Effect.fn.Return<NextStep<Dialled>> {
    const { due_at, placed, reserved, subject } = dial
    const { contact_id, organization_id } = placed
    const line = yield* held(dial)
    // A contact is held, and has another line then; a direct or a booked call is dialled by the count of committed calls.
    if (line === "Unknown" && contact_id === null && reserved !== null) {
      const counts = nextStep(countLine, { organization_id, dial: { ...dial, reserved } })
      return otherwise(counts, Effect.succeed(takesBack(dial, "no_line")))
    }
    const because = unaskedFor(dial, line, yield* requesters.isGone(subject), clock.now())
    if (because === null) return settles(dial, yield* acknowledged(placed, due_at))
    return contact_id === null ? takesBack(dial, because) : settles(dial, endingOf(because))
  })
})
