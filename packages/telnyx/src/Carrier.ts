import { type Asked, type DialCommand, type DialOutcome, type LegEnd, Telephony } from "@carillon/core"
import { AgentStore, CallStore } from "@carillon/core/ports"
import { factsOf, notSent, openDesk, prepared, readAs, tellRefusal } from "@carillon/core/carrier"
import { Clock, Effect, Layer } from "effect"
import { bounds } from "./Bounds.ts"
import { OneCall } from "./Calls.ts"
import { dialBody } from "./Dial.ts"
import { lookFor, type Seeking, standingOf } from "./Finding.ts"
import { hangUp } from "./Hangup.ts"
import { endOf, endUnknown } from "./HangupWords.ts"
import { type KnownLeg, type LegBook, legOfRow } from "./LegBook.ts"
import { hasRecording, isLegId, recordingUrl } from "./Recordings.ts"
import { dialOutcome, refusals } from "./Refusals.ts"
import { post } from "./Rest.ts"
import { answeredSince, endOfStory, secondsUntil, type Story, untold } from "./Story.ts"
import { spokenBy } from "./Voice.ts"

interface Parts extends Seeking {
  readonly book: LegBook
}

const makeDial = ({ book, settings }: Parts, agents: AgentStore["Service"]) =>
  Effect.fnUntraced(function* (call: DialCommand): Effect.fn.Return<DialOutcome> {
    const { execution_id } = call
    const from = call.from_number ?? settings.from
    if (from === undefined) return yield* notSent(execution_id, "it has no number to call from.")
    const ready = yield* prepared(agents, call, async (...asked) =>
      spokenBy(await settings.voice(...asked), execution_id),
    )
    if (ready._tag === "NotSent") return ready.outcome
    book.dialled(call)
    const answer = yield* post(settings, "/calls", dialBody(settings, call, from, ready.voice))
    const made = readAs(OneCall, answer)?.data
    const outcome = dialOutcome(answer, made?.call_control_id ?? null)
    if (outcome._tag === "Accepted" && made !== undefined) {
      const story = { ...untold, call_sid: made.call_control_id, leg_id: made.call_leg_id }
      book.learnt({ execution_id, to_number: call.to_number, record: call.record, story })
      return call.from_number === null ? { ...outcome, from_number: from } : outcome
    }
    if (outcome._tag === "Refused") {
      book.forget(execution_id)
      const code = answer._tag === "Answered" ? (answer.error?.code ?? null) : null
      yield* tellRefusal("Telnyx", execution_id, answer, code, code === null ? undefined : refusals[code]?.means)
    }
    return outcome
  })

const noCause = { cause: "normal_clearing", source: null, sipCode: null, wasAnswered: true } as const

/** The end of a leg that is over. One that was answered was a conversation, whatever ended it; of another one the cause must be known. */
const endOfOver = (story: Story, endedAt: number | null): LegEnd | null => {
  const end = endOfStory(story)
  if (end !== null || answeredSince(story) === null) return end
  return endOf({ ...noCause, seconds: secondsUntil(story, endedAt), verdict: story.verdict })
}

/** What the port says of a leg that Telnyx has named. */
const makeStateOf = (parts: Parts) => {
  const { book, settings } = parts
  const ended = Effect.fnUntraced(function* (leg: KnownLeg, sid: string, end: LegEnd): Effect.fn.Return<Asked> {
    const { execution_id, record, story } = leg
    const facts = yield* factsOf(settings, { execution_id, call_sid: sid }, end, story.price)
    const isRecorded = record && isLegId(story.leg_id) && (yield* hasRecording(settings, story.leg_id))
    const recording_url =
      isRecorded && story.leg_id !== null
        ? yield* Effect.promise(() => recordingUrl(settings, story.leg_id ?? ""))
        : null
    return { _tag: "Ended", call_sid: sid, end, facts: { ...facts, recording_url } }
  })

  return Effect.fnUntraced(function* (leg: KnownLeg, sid: string): Effect.fn.Return<Asked> {
    // What was heard once is so for ever: Telnyx itself forgets it.
    const heard = endOfStory(leg.story)
    if (heard !== null) return yield* ended(leg, sid, heard)
    const standing = yield* standingOf(parts, leg, sid)
    if (standing._tag === "Silent") return { _tag: "NoAnswer" }
    if (standing._tag === "NotOurs") return { _tag: "Unknown" }
    const { story } = standing
    const learnt = { ...leg, story }
    book.learnt(learnt)
    if (standing._tag === "Live") {
      // Telnyx has no word for ringing: a leg that is there and was not answered rings, for all that anybody knows.
      const phase = answeredSince(story) !== null ? "answered" : standing.isThere ? "ringing" : "initiated"
      return { _tag: "Live", call_sid: sid, phase }
    }
    const endedAt = standing._tag === "Over" ? standing.endedAt : null
    const end = endOfOver(story, endedAt)
    if (end !== null) return yield* ended(learnt, sid, end)
    if (standing._tag === "Gone") return { _tag: standing.isAll ? "Unknown" : "NoAnswer" }
    const now = yield* Clock.currentTimeMillis
    const isGivenUp = endedAt === null || now - endedAt >= bounds.causeWaitMs
    return isGivenUp ? yield* ended(learnt, sid, endUnknown) : { _tag: "NoAnswer" }
  })
}

/** The carrier, on the rows that say what was dialled and the agents that say who speaks. */
export const carrierLayer = (parts: Parts): Layer.Layer<Telephony, never, CallStore | AgentStore> =>
  Layer.effect(
    Telephony,
    Effect.gen(function* () {
      const { book, desk, settings } = parts
      const calls = yield* CallStore
      const agents = yield* AgentStore
      yield* openDesk(desk)
      const stateOf = makeStateOf(parts)

      /** Null: there is no such call. Failing: the rows could not be asked. */
      const known = (executionId: string) => {
        const leg = book.find(executionId)
        if (leg !== null && leg.story.call_sid !== null) return Effect.succeed(leg)
        return Effect.map(calls.locate(executionId), (row) => {
          if (row === null) return leg
          if (leg === null) return legOfRow(row)
          book.learnt(legOfRow(row))
          return book.find(executionId)
        })
      }

      /** The leg by its name at Telnyx, looked for where nobody has heard it. */
      const named = Effect.fnUntraced(function* (leg: KnownLeg) {
        const { call_sid } = leg.story
        if (call_sid !== null) return { _tag: "Leg" as const, call_sid, leg }
        const looked = yield* lookFor(parts, leg)
        if (looked._tag !== "Leg") return looked
        const found = { ...leg, story: { ...leg.story, call_sid: looked.call_sid, leg_id: looked.leg_id } }
        book.learnt(found)
        return { _tag: "Leg" as const, call_sid: looked.call_sid, leg: found }
      })

      const find = Effect.fnUntraced(function* (executionId: string): Effect.fn.Return<Asked> {
        const leg = yield* Effect.option(known(executionId))
        if (leg._tag === "None") return { _tag: "NoAnswer" }
        if (leg.value === null) return { _tag: "Unknown" }
        const found = yield* named(leg.value)
        switch (found._tag) {
          case "Leg":
            return yield* stateOf(found.leg, found.call_sid)
          case "None":
            return { _tag: "Unknown" }
          case "Open":
            return { _tag: "NoAnswer" }
        }
      })

      return Telephony.of({
        dial: makeDial(parts, agents),
        find,
        hangup: Effect.fnUntraced(function* (executionId, callSid) {
          if (callSid !== null) return yield* hangUp(settings, callSid)
          const leg = yield* Effect.option(known(executionId))
          if (leg._tag === "None" || leg.value === null) return "Sent"
          const found = yield* named(leg.value)
          return found._tag === "Leg" ? yield* hangUp(settings, found.call_sid) : "Sent"
        }),
      })
    }),
  )
