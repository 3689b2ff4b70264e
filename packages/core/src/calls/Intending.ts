import { Effect } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import type { Drafted } from "../engine/ports/Drafted.ts"
import { Steps } from "../engine/Steps.ts"
import { DependencyTimeout, LimitExceeded } from "../Errors.ts"
import { Gate } from "../limits/Gate.ts"
import { limits } from "../Limits.ts"
import { concurrencyMessage } from "../limits/rules/SlotLevels.ts"
import type { Call } from "./rules/Call.ts"
import { readAnew } from "./steps/CallReads.ts"
import { countLine } from "./steps/CountLine.ts"
import { answeredStatus } from "./rules/DialAudit.ts"
import type { DialCommits, LineTaken } from "./DialCommits.ts"
import { intended } from "./rules/PlaceCall.ts"
import type { Requester } from "./Requester.ts"
import { takeBackDial } from "./steps/TakeBackDial.ts"

/** No line at any price: what the requester of a direct dial is told, and why a scheduled call is booked anew. */
export const noLine = (figures: { readonly used: number; readonly max: number } | null): LimitExceeded =>
  new LimitExceeded({
    message: concurrencyMessage(figures),
    retryAfterSeconds: limits.directDialRetryAfterSeconds,
  })

/** Commits intents to dial on lines that last. Null: a call may not ring any more, and is taken back. */
export const makeIntending = Effect.fnUntraced(function* ({ commit }: DialCommits) {
  const gate = yield* Gate
  const steps = yield* Steps
  const clock = yield* DomainClock

  /** Takes back the record of a dial that was never made. */
  const takeBack = (call: Call, placed: Call, fence: number | null, answered: number) => {
    const { execution_id, organization_id } = call
    const taking = { organization_id, execution_id, call, known: placed, fence, answered }
    return steps.take(takeBackDial, taking, readAnew(taking))
  }

  /** The row of a call that is on a line which the slot store did not answer for: it was admitted by count, too. Null where it is not dialled. */
  const onCountedLine = ({ execution_id, organization_id }: Call, fence: number) =>
    steps.take(countLine, { execution_id, organization_id, fence })

  /** The row of a call whose line lasts from now on; null where it does not, or nobody can say. */
  const heldRow = Effect.fnUntraced(function* (placed: Call, fence: number) {
    const outcome = yield* gate.hold(placed.execution_id, fence)
    if (outcome === "Held") return placed
    if (outcome === "Lapsed") return null
    return yield* Effect.catch(onCountedLine(placed, fence), () => Effect.succeed(null))
  })

  return Effect.fnUntraced(function* (
    call: Call,
    line: LineTaken,
    draftOf: (intended: Call) => Drafted,
    requester: Requester,
    mayRing: (at: number) => boolean,
  ) {
    const fence = line._tag === "Reserved" ? line.fence : null
    const placed = intended(call, fence, line.levels, clock.now() + limits.questionDelayMs)
    yield* Effect.flatten(commit(placed, line, draftOf, requester)).pipe(
      Effect.catchTag("AdmissionRefused", () => Effect.fail(noLine(null))),
    )
    // A reservation that ended meanwhile may be somebody else's line by now, even where the reconciler has restored this one.
    const isInTime = line._tag === "Counted" || clock.now() < line.until
    const held = !isInTime ? null : fence === null ? placed : yield* heldRow(placed, fence)
    const isWaitedFor = !(yield* requester.isGone)
    // A store may take its time, and the clock closes hours without a row that could conflict.
    const isShut = !mayRing(clock.now())
    if (held !== null && isWaitedFor && !isShut) return held
    const last = held ?? placed
    const refusal = isInTime ? noLine(null) : new DependencyTimeout({ dependency: "call_storage" })
    yield* takeBack(call, last, fence, answeredStatus({ confirmed: false, refusal }))
    return isShut && isWaitedFor ? null : yield* refusal
  })
})
