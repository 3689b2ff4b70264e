import { type DialCommand, type DialOutcome, type LegState, Telephony } from "@carillon/core"
import { AgentStore, type CallStore } from "@carillon/core/ports"
import { type Desk, factsOf, notSent, openDesk, prepared, readAs, rowOf, tellRefusal } from "@carillon/core/carrier"
import { Clock, Effect, Layer, Schema } from "effect"
import { insistentUrl } from "./Addresses.ts"
import { fetchCall, recordingOf } from "./Calls.ts"
import { meaningOf, priceOf, type VendorCall, wordsOf } from "./CallWords.ts"
import { dialParameters } from "./Dial.ts"
import { lookFor } from "./Finding.ts"
import { hangUp } from "./Hangup.ts"
import { type KnownLeg, type LegBook, legOfRow } from "./LegBook.ts"
import type { Prices } from "./Prices.ts"
import { recordingUrl } from "./Recordings.ts"
import { dialOutcome, refusals } from "./Refusals.ts"
import { ask } from "./Rest.ts"
import type { Settings } from "./Settings.ts"
import { twimlOf } from "./Voice.ts"

interface Parts {
  readonly settings: Settings
  readonly book: LegBook
  readonly desk: Desk
  readonly prices: Prices
}

const Created = Schema.Struct({ sid: Schema.String })

const makeDial = ({ book, settings }: Parts, agents: AgentStore["Service"]) =>
  Effect.fnUntraced(function* (call: DialCommand): Effect.fn.Return<DialOutcome> {
    const { execution_id } = call
    const from = call.from_number ?? settings.from
    if (from === undefined) return yield* notSent(execution_id, "it has no number to call from.")
    const ready = yield* prepared(agents, call, async (...asked) =>
      twimlOf(await settings.voice(...asked), execution_id, insistentUrl(settings, "stream", execution_id)),
    )
    if (ready._tag === "NotSent") return ready.outcome
    book.dialled(call, yield* Clock.currentTimeMillis)
    const answer = yield* ask(settings, "POST", "/Calls.json", dialParameters(settings, call, from, ready.voice))
    const outcome = dialOutcome(answer, readAs(Created, answer)?.sid ?? null)
    if (outcome._tag === "Accepted") {
      book.heard(execution_id, { call_sid: outcome.call_sid })
      return call.from_number === null ? { ...outcome, from_number: from } : outcome
    }
    if (outcome._tag === "Refused") {
      book.forget(execution_id)
      const code = answer._tag === "Answered" ? answer.error : null
      yield* tellRefusal("Twilio", execution_id, answer, code, code === null ? undefined : refusals[code]?.means)
    }
    return outcome
  })

/** What Twilio's record of a call says of the leg, with its recording and its cost as far as they are there. */
const makeStateOf = ({ desk, prices, settings }: Parts) =>
  Effect.fnUntraced(function* (leg: KnownLeg, call: VendorCall): Effect.fn.Return<LegState> {
    const name = { execution_id: leg.execution_id, call_sid: call.sid }
    const meaning = meaningOf(wordsOf(call, leg.answeredBy))
    if ("phase" in meaning) return { _tag: "Live", call_sid: call.sid, phase: meaning.phase }
    const { end } = meaning
    const price = priceOf(call)
    const facts = yield* factsOf(settings, name, end, price)
    const recorded = leg.record ? yield* recordingOf(settings, call.sid) : null
    const recording_url = recorded === null ? null : yield* Effect.promise(() => recordingUrl(settings, recorded))
    if (price === null && call.status === "completed" && desk.report !== null) {
      desk.start?.(prices.correcting(desk.report, name, end))
    }
    return { _tag: "Ended", call_sid: call.sid, end, facts: { ...facts, recording_url } }
  })

/** The carrier, on the rows that say what was dialled and the agents that say who speaks. */
export const carrierLayer = (parts: Parts): Layer.Layer<Telephony, never, CallStore | AgentStore> =>
  Layer.effect(
    Telephony,
    Effect.gen(function* () {
      const { book, desk, settings } = parts
      const agents = yield* AgentStore
      yield* openDesk(desk)
      const stateOf = makeStateOf(parts)

      /** Null: there is no such call. Failing: the rows could not be asked. */
      const known = (executionId: string) => {
        const leg = book.find(executionId)
        if (leg !== null && leg.call_sid !== null) return Effect.succeed(leg)
        return Effect.map(rowOf(desk, executionId), (row) => {
          if (row === null || (row.call_sid === null && leg !== null)) return leg
          const kept = legOfRow(row)
          return { ...kept, answeredBy: kept.answeredBy ?? leg?.answeredBy ?? null }
        })
      }

      const found = Effect.fnUntraced(function* (leg: KnownLeg) {
        if (leg.call_sid === null) {
          const looked = yield* lookFor(settings, leg, yield* Clock.currentTimeMillis)
          if (looked._tag === "Leg") book.heard(leg.execution_id, { call_sid: looked.call.sid })
          return looked
        }
        const fetched = yield* fetchCall(settings, leg.call_sid)
        switch (fetched._tag) {
          case "Found":
            return { _tag: "Leg" as const, call: fetched.call }
          case "Gone":
            return { _tag: "None" as const }
          case "Silent":
            return { _tag: "Open" as const }
        }
      })

      return Telephony.of({
        dial: makeDial(parts, agents),
        hangup: Effect.fnUntraced(function* (executionId, callSid) {
          if (callSid !== null) return yield* hangUp(settings, callSid)
          const leg = yield* Effect.option(known(executionId))
          if (leg._tag === "None" || leg.value === null) return "Sent"
          const looked = yield* found(leg.value)
          return looked._tag === "Leg" ? yield* hangUp(settings, looked.call.sid) : "Sent"
        }),
        find: Effect.fnUntraced(function* (executionId) {
          const leg = yield* Effect.option(known(executionId))
          if (leg._tag === "None") return { _tag: "NoAnswer" }
          if (leg.value === null) return { _tag: "Unknown" }
          const looked = yield* found(leg.value)
          switch (looked._tag) {
            case "Leg":
              return yield* stateOf(leg.value, looked.call)
            case "None":
              return { _tag: "Unknown" }
            case "Open":
              return { _tag: "NoAnswer" }
          }
        }),
      })
    }),
  )
