import { Cause, Effect, Exit } from "effect"
import { CurrentCallLimits } from "../calls/ports/CurrentCallLimits.ts"
import type { InvalidField } from "../Errors.ts"
import { metrics } from "../metrics/rules/Catalogue.ts"
import { timed } from "../metrics/ports/Measured.ts"
import { CurrentMeters } from "../metrics/ports/Meters.ts"
import { CurrentOutages } from "../operating/Outages.ts"
import { CurrentTracing, traced } from "../engine/ports/Tracing.ts"
import { checkedFinding, checkedHangup, checkedOutcome } from "./rules/CarrierWords.ts"
import { allCarriers, CarrierName } from "./ports/CarrierName.ts"
import { measuredDial } from "./MeasuredDial.ts"
import type { CarrierOperation } from "./Mistakes.ts"
import { told } from "../engine/rules/Told.ts"
import { hasWrongAddress } from "./RecordingAddress.ts"
import { toldDial } from "./ToldDial.ts"
import { Telephony } from "./ports/Telephony.ts"
import type { Asked } from "./rules/Leg.ts"
import type { DialOutcome } from "./rules/Dial.ts"

/** One question to the carrier: how it is put, what its answer must be, and what stands for an answer that cannot be used. */
interface Question<A> {
  readonly operation: CarrierOperation
  readonly execution_id: string
  readonly ask: () => Effect.Effect<A>
  readonly check: (answer: A) => Effect.Effect<void, InvalidField>
  readonly instead: A
  /** Counts a mistake; `isThrown`: it was thrown, and not answered. */
  readonly count: (operation: CarrierOperation, isThrown: boolean) => void
}

/** What is known after a question; `isHeard` is false where it stands for an answer that did not come or cannot be used. */
interface Known<A> {
  readonly answer: A
  readonly isHeard: boolean
}

const insteadOf = <A>({ instead }: Question<A>): Known<A> => ({ answer: instead, isHeard: false })

/** Tells of a mistake; what is known then is what stands for the answer. */
const mistaken = <A>(
  question: Question<A>,
  what: string,
  thrown: Cause.Cause<never> | null,
): Effect.Effect<Known<A>> => {
  const { count, execution_id, operation } = question
  const line = `The carrier's ${operation} has a mistake: ${what}`
  return Effect.sync(() => count(operation, thrown !== null)).pipe(
    Effect.andThen(thrown === null ? Effect.logError(line) : Effect.logError(line, told(thrown))),
    Effect.annotateLogs({ execution_id, operation }),
    Effect.as(insteadOf(question)),
  )
}

/** A wrong answer is told by its field, never by its value. */
const wrongAnswer = ({ field, reason }: InvalidField): string =>
  `its answer${field === "" ? "" : `'s ${field}`} ${reason}.`

/** Asks the carrier; a throw, a defect, or an answer or a failure that its types deny, is told as an error, and then means `instead`. */
const asked = <A>(question: Question<A>): Effect.Effect<Known<A>> =>
  Effect.suspend(question.ask).pipe(
    Effect.flatMap((answer) =>
      Effect.matchEffect(question.check(answer), {
        onFailure: (invalid) => mistaken(question, wrongAnswer(invalid), null),
        onSuccess: () => Effect.succeed<Known<A>>({ answer, isHeard: true }),
      }),
    ),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : mistaken(question, "it must answer, not throw.", cause),
    ),
  )

/** What is known of a leg, without an address of its recording to which nobody can be sent. */
const withoutWrongAddress = (known: Known<Asked>, question: Question<Asked>): Effect.Effect<Known<Asked>> => {
  const { answer } = known
  if (answer._tag !== "Ended") return Effect.succeed(known)
  const { execution_id } = question
  const met = { operation: "find", execution_id, count: () => question.count("find", false) } as const
  return Effect.map(hasWrongAddress(answer.facts, met), (isWrong) =>
    isWrong ? { ...known, answer: { ...answer, facts: { ...answer.facts, recording_url: null } } } : known,
  )
}

/** The same within the time that a carrier has, beyond which it is `instead` too. */
const askedInTime = <A>(question: Question<A>, isAway: () => boolean, answerMs: number): Effect.Effect<Known<A>> =>
  Effect.timeoutOrElse(asked(question), {
    duration: answerMs,
    orElse: () => {
      const said = `The carrier's ${question.operation} gave no answer in ${answerMs / 1000} s.`
      const told = isAway() ? Effect.logDebug(said) : Effect.logWarning(said)
      return told.pipe(
        Effect.annotateLogs({ execution_id: question.execution_id, operation: question.operation }),
        Effect.as(insteadOf(question)),
      )
    },
  })

/**
 * The host's carrier as the engine asks it: its mistakes are loud, and none of them stops the engine. What a dial has done that threw, or
 * answered what is no answer, is not known, so it is asked about like any other that is `Unknown`. The time that a dial has is kept by the
 * dialler, in domain time.
 */
export const carrierPort: Effect.Effect<Telephony["Service"], never, Telephony> = Effect.gen(function* () {
  const carrier = yield* Telephony
  const meters = yield* CurrentMeters
  const named = yield* CarrierName
  const name = named ?? allCarriers
  const outages = yield* CurrentOutages
  const isTraced = yield* CurrentTracing
  const { carrierAnswerMs } = yield* CurrentCallLimits
  // Of several carriers it is not known here which one is asked.
  const isAway = () => outages?.isAway("carrier", named) === true

  const questioned = <A extends "Sent" | "Refused" | Asked>(
    operation: "hangup" | "find",
    question: Effect.Effect<Known<A>>,
  ) =>
    timed(meters, question, (to, _seconds, exit) => {
      if (Exit.isSuccess(exit)) to.count(metrics.carrierQuestions, [name, operation, questionOutcome(exit.value)])
    }).pipe(Effect.map(({ answer }) => answer))

  /** What one of several carriers throws is counted under its own name (`countingThrows`). */
  const count = (operation: CarrierOperation, isThrown: boolean): void => {
    if (named !== null || !isThrown) meters?.count(metrics.carrierMistakes, [name, operation])
  }

  return {
    dial: (command) =>
      Effect.suspend(() => {
        const dialled = asked<DialOutcome>({
          operation: "dial",
          execution_id: command.execution_id,
          ask: () => carrier.dial(command),
          check: checkedOutcome,
          instead: { _tag: "Unknown" },
          count,
        }).pipe(Effect.map(({ answer }) => answer))
        const span = () => ({
          name: "carillon.dial",
          kind: "client" as const,
          attributes: { "carillon.carrier": name, "carillon.execution_id": command.execution_id },
        })
        const spanned = traced(isTraced, span, dialled)
        // One of several carriers is measured and told of under its own name.
        return named === null
          ? spanned
          : toldDial(outages, named, command, measuredDial(meters, named, command, spanned))
      }),
    hangup: (execution_id, callSid) =>
      questioned(
        "hangup",
        askedInTime<"Sent" | "Refused">(
          {
            operation: "hangup",
            execution_id,
            ask: () => carrier.hangup(execution_id, callSid),
            check: checkedHangup,
            instead: "Sent",
            count,
          },
          isAway,
          carrierAnswerMs,
        ),
      ),
    find: (execution_id) => {
      const question: Question<Asked> = {
        operation: "find",
        execution_id,
        ask: () => carrier.find(execution_id),
        check: checkedFinding,
        instead: { _tag: "NoAnswer" },
        count,
      }
      const found = askedInTime(question, isAway, carrierAnswerMs)
      return questioned(
        "find",
        Effect.flatMap(found, (known) => withoutWrongAddress(known, question)),
      )
    },
  }
})

const questionOutcome = ({ answer, isHeard }: Known<"Sent" | "Refused" | Asked>) => {
  if (!isHeard) return "no_answer"
  if (typeof answer === "string") return answer === "Sent" ? "answered" : "refused"
  return answer._tag === "NoAnswer" ? "no_answer" : "answered"
}
