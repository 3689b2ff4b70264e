import type { DialCommand, DialOutcome } from "@carillon/core"
import { Clock, Effect, Fiber } from "effect"
import { EncodedFileOutput, RoomCompositeEgressRequest, RoomEgress, type SIPParticipantInfo } from "livekit-server-sdk"
import { bounds } from "./Bounds.ts"
import type { Answer } from "./Clients.ts"
import { legAmong } from "./Finding.ts"
import { hangUp } from "./Hangup.ts"
import { roomOfCall } from "./Job.ts"
import { executionAttribute } from "./Names.ts"
import { beforeTheLeg, legOutcome } from "./Refusals.ts"
import { agentAwaited } from "./Unspoken.ts"
import { conclude, type DialParts, tellPhase } from "./Reporting.ts"
import { cancelled, endOf, failed, type Meaning, meaningOfLeaving, meaningOfSip, takenBack } from "./Words.ts"

type LegAnswer = Answer<SIPParticipantInfo>

/** Recording goes with the room: whatever becomes of this process, a call that is to be recorded is. */
const egressOf = (output: EncodedFileOutput, room: string): RoomEgress =>
  new RoomEgress({ room: new RoomCompositeEgressRequest({ roomName: room, audioOnly: true, fileOutputs: [output] }) })

/** The room of a call and the agent in it. The callee's leg is not asked for yet. */
const prepare = Effect.fnUntraced(function* (parts: DialParts, call: DialCommand, metadata: string) {
  const { clients, settings } = parts
  const room = roomOfCall(settings, call.execution_id)
  const { recording } = settings
  const made = yield* clients.createRoom({
    name: room,
    emptyTimeout: bounds.roomEmptySeconds,
    departureTimeout: bounds.roomDepartureSeconds,
    metadata: JSON.stringify({ execution_id: call.execution_id }),
    ...(call.record && recording !== undefined ? { egress: egressOf(recording.output(call), room) } : {}),
  })
  if (made._tag !== "Done") return made
  const dispatched = yield* clients.dispatch(room, settings.agentName, metadata)
  // The room is of no use then; one that stays nevertheless is closed by LiveKit, for nobody comes.
  if (dispatched._tag !== "Done") yield* clients.deleteRoom(room)
  return dispatched
})

const ended = Effect.fnUntraced(function* (parts: DialParts, executionId: string, meaning: Meaning, at: number) {
  const leg = parts.book.find(executionId)
  if (leg === null) return
  const { answeredAt, machine } = leg
  yield* conclude(parts, leg, endOf(meaning, { answeredAt, endedAt: at, machine }), at)
})

/** What the answer of the waiting request says once its dial is accepted: the callee answered, or the leg ended with a SIP code. */
const settle = Effect.fnUntraced(function* (parts: DialParts, executionId: string, answer: LegAnswer) {
  const { book, clients, desk, settings } = parts
  const at = yield* Clock.currentTimeMillis
  const leg = book.find(executionId)
  if (leg === null) return
  if (answer._tag === "Done") {
    const { sipCallId } = answer.value
    const answeredAt = leg.answeredAt ?? at
    book.heard(executionId, { answeredAt, call_sid: sipCallId === "" ? leg.call_sid : sipCallId })
    yield* tellPhase(parts, { execution_id: executionId, call_sid: leg.call_sid }, "answered")
    if (leg.unwanted) yield* hangUp(settings, clients, book, executionId)
    else desk.start?.(agentAwaited(parts, executionId))
  }
  if (answer._tag === "Sip") {
    // 487 is also what a leg ends with that we took back.
    const meaning = answer.sip === cancelled && leg.unwanted ? takenBack : meaningOfSip(answer.sip)
    yield* ended(parts, executionId, meaning, at)
  }
  if (answer._tag !== "Sip" && leg.left !== null) {
    // The webhook came first and was told to come again; this is sooner.
    const wasAnswered = answer._tag === "Done" || leg.answeredAt !== null
    yield* ended(parts, executionId, meaningOfLeaving(leg, leg.left.reason, wasAnswered), leg.left.at)
  }
  if (leg.left === null && answer._tag === "Failed" && answer.code === "failed_precondition") {
    yield* ended(parts, executionId, failed, at)
  }
})

/** Looks for the callee's leg while its dial is watched, in the machine's own time. */
const watched = Effect.fnUntraced(function* (parts: DialParts, executionId: string, isAnswered: () => boolean) {
  const { clients, settings } = parts
  const began = performance.now()
  for (let look = 0; look < bounds.dialLooks && !isAnswered(); look += 1) {
    const answer = yield* clients.participants(roomOfCall(settings, executionId))
    const found = answer._tag === "Done" ? legAmong(answer.value, executionId) : null
    const isThere = found?._tag === "Leg"
    const isPast = isThere && found.phase !== "initiated"
    if (isPast || (isThere && performance.now() - began >= settings.acceptAfterMs)) return found
    const ms = Math.min(bounds.dialLookMs, bounds.dialFirstLookMs * 2 ** look)
    yield* Effect.promise(() => new Promise<void>((resolve) => void setTimeout(resolve, ms)))
  }
  return null
})

const refusalLine = (answer: Exclude<LegAnswer, { readonly _tag: "Done" }>): string => {
  switch (answer._tag) {
    case "Failed":
      return `${answer.status}, code ${answer.code ?? "none"}`
    case "Sip":
      return `SIP ${answer.sip}`
    default:
      return "no connection"
  }
}

const told = (executionId: string, answer: Exclude<LegAnswer, { readonly _tag: "Done" }>, outcome: DialOutcome) =>
  Effect.logWarning(`LiveKit refused a dial (${refusalLine(answer)}).`).pipe(
    Effect.annotateLogs({ execution_id: executionId }),
    Effect.as(outcome),
  )

/** What the answer to the request for the leg makes of the dial, where it came while the dial was watched. */
const answered = Effect.fnUntraced(function* (
  parts: DialParts,
  call: DialCommand,
  answer: LegAnswer,
): Effect.fn.Return<DialOutcome> {
  const { book, clients, settings } = parts
  const { execution_id } = call
  if (answer._tag === "Done") return { _tag: "Accepted", call_sid: answer.value.sipCallId || null }
  const outcome = legOutcome(answer)
  if (outcome._tag === "Ended") return { _tag: "Accepted", call_sid: book.find(execution_id)?.call_sid ?? null }
  if (outcome._tag !== "Refused") return outcome
  book.forget(execution_id)
  yield* clients.deleteRoom(roomOfCall(settings, execution_id))
  return yield* told(execution_id, answer, outcome)
})

/** Places a leg: a room, its agent, and the callee. `fork` carries what goes on after the dial is answered. */
export const place = Effect.fnUntraced(function* (
  parts: DialParts,
  call: DialCommand,
  metadata: string,
  fork: (work: Effect.Effect<void>) => Fiber.Fiber<void>,
): Effect.fn.Return<DialOutcome> {
  const { book, clients, settings } = parts
  const { execution_id, from_number } = call
  const prepared = yield* prepare(parts, call, metadata)
  if (prepared._tag !== "Done") return yield* told(execution_id, prepared, beforeTheLeg(prepared))
  book.dialled(call)
  book.heard(execution_id, { pending: true })
  const request: { answer: LegAnswer | null; isWatched: boolean } = { answer: null, isWatched: true }
  const waiting = clients
    .call({
      room: roomOfCall(settings, execution_id),
      identity: execution_id,
      number: call.to_number,
      from: from_number ?? settings.from,
      ringSeconds: call.timeout_seconds,
      maxCallSeconds: settings.maxCallSeconds,
      attributes: { [executionAttribute]: execution_id },
    })
    .pipe(
      Effect.flatMap((answer) => {
        request.answer = answer
        // A refusal while the dial is watched is its answer; everything else is news of a leg.
        const isAnswer = request.isWatched && answer._tag !== "Done" && legOutcome(answer)._tag === "Refused"
        return isAnswer ? Effect.void : settle(parts, execution_id, answer)
      }),
      Effect.catch(() => Effect.logWarning("What became of a leg could not be reported; the engine will ask.")),
      Effect.ensuring(Effect.sync(() => book.heard(execution_id, { pending: false }))),
    )
  fork(waiting)
  const seen = yield* watched(parts, execution_id, () => request.answer !== null)
  request.isWatched = false
  if (request.answer !== null) return yield* answered(parts, call, request.answer)
  if (seen === null) return { _tag: "Unknown" }
  book.heard(execution_id, { call_sid: seen.call_sid })
  if (book.find(execution_id)?.unwanted === true) yield* hangUp(settings, clients, book, execution_id)
  return { _tag: "Accepted", call_sid: seen.call_sid }
})
