import { assert, describe, it } from "@effect/vitest"
import { type Call, callLimits, limits, Telephony } from "@carillon/core"
import { CallReports } from "@carillon/core/domain"
import { sampleCall } from "@carillon/core/testing"
import { Effect } from "effect"
import { commandFor } from "./Samples.ts"
import { staged } from "./Stage.ts"

/** What the guide says: nobody waits longer than that for a word on how a leg ended. */
const longestMs = 5 * 60_000
const second = 1_000
const mostQuestions = 20
/** How far apart the ends are that are tried. */
const stepSeconds = 10
const times = callLimits()
const busy = { hangup_cause: "user_busy", hangup_source: "callee", sip_hangup_cause: "486" }

interface Told {
  readonly timeoutSeconds: number
  /** From the dial to the leg's end. */
  readonly endsAfterMs: number
  /** Whether the answer to the dial came. */
  readonly isAnswered: boolean
  /** Whether the list of events is refused, and not only away. */
  readonly isRefused: boolean
  /** The engine looks for questions that are due every so often: how late it may be with each. */
  readonly lateMs: number
}

/** The row as the engine has it after the dial. */
const rowOf = (execution_id: string, now: number, { isAnswered, timeoutSeconds }: Told): Call =>
  sampleCall("org_1", {
    execution_id,
    timeout_seconds: timeoutSeconds,
    ...(isAnswered
      ? { dial: "accepted", due_at: now + timeoutSeconds * second + times.ringGraceMs }
      : { dial: "unconfirmed", answer_lost_at: now, due_at: now + limits.lostAnswerQuestionsMs[0] }),
  })

/** How long after its end a leg is given up of which Telnyx says nothing but that it is over. */
const waitedMs = Effect.fnUntraced(function* (told: Told) {
  const { farEnd, carrier } = staged()
  farEnd.listsEvents = false
  farEnd.refusesEvents = told.isRefused
  farEnd.silent = new Set(["call.initiated", "call.hangup"])
  if (!told.isAnswered) {
    farEnd.fault = ({ path }) => {
      if (path === "/v2/calls") throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } })
      return null
    }
  }
  return yield* Effect.gen(function* () {
    const port = yield* Telephony
    const command = commandFor("+12125550103", { timeout_seconds: told.timeoutSeconds })
    yield* port.dial(command)
    const leg = farEnd.legs.at(-1)
    assert(leg !== undefined)
    leg.plan = [
      [leg.made, "call.initiated"],
      [leg.made + told.endsAfterMs, "call.hangup", busy],
    ]
    let call = rowOf(command.execution_id, leg.made, told)
    for (let asked = 0; asked < mostQuestions && call.due_at !== null; asked += 1) {
      const now = call.due_at + told.lateMs
      yield* Effect.promise(async () => {
        while (await farEnd.step(now));
      })
      farEnd.now = now
      call = CallReports.applyAnswer(call, yield* port.find(command.execution_id), now, "USD", times).call
    }
    assert.strictEqual(call.status, "error")
    assert(call.final_report_at !== null && leg.endedAt !== null)
    return call.final_report_at - leg.endedAt
  }).pipe(Effect.provide(carrier))
})

const { default: usual, max } = limits.ringTimeoutSeconds

const cases = [usual, max].flatMap((timeoutSeconds) =>
  [true, false].flatMap((isAnswered) =>
    [0, limits.reconcileMs].flatMap((lateMs) =>
      [true, false].map((isRefused) => ({ timeoutSeconds, isAnswered, lateMs, isRefused })),
    ),
  ),
)

describe("a leg of which Telnyx says only that it is over", () => {
  it.effect.each(cases)("gives its line back within five minutes of its end: %o", (told) =>
    Effect.gen(function* () {
      // A leg whose dial was lost may be over before the first question: then Telnyx lists it no more, and it counts as never placed.
      const first = told.isAnswered ? 1 : 4 + told.lateMs / second
      for (let ended = Math.ceil(first); ended <= told.timeoutSeconds; ended += stepSeconds) {
        const waited = yield* waitedMs({ ...told, endsAfterMs: ended * second })
        assert.isAtMost(waited, longestMs, `it ended after ${ended} s`)
      }
    }),
  )
})
