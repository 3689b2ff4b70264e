import { Clock, Effect } from "effect"
import type { ParticipantInfo } from "livekit-server-sdk"
import { tell } from "@carillon/core/carrier"
import { bounds } from "./Bounds.ts"
import { isLeg, legAmong } from "./Finding.ts"
import { hangUp } from "./Hangup.ts"
import { roomOfCall } from "./Job.ts"
import type { KnownLeg } from "./LegBook.ts"
import type { DialParts } from "./Reporting.ts"
import { endOf, jobSucceeded, operators } from "./Words.ts"

/** `ParticipantInfo.Kind` of LiveKit's protocol: a recording hears, and speaks with nobody. */
const recorder = 2

/** Whether a callee is in the room with nobody who could speak with them. */
export const isAlone = (participants: ReadonlyArray<ParticipantInfo>, executionId: string): boolean => {
  const others = participants.filter((one) => !isLeg(one, executionId) && Number(one.kind) !== recorder)
  return others.length === 0
}

/** What a look into the room says: whether the leg is there and alone, is not, or nobody knows. */
const looked = (parts: DialParts, executionId: string) =>
  Effect.map(parts.clients.participants(roomOfCall(parts.settings, executionId)), (answer) => {
    if (answer._tag !== "Done") return "unknown"
    if (legAmong(answer.value, executionId)._tag !== "Leg") return "gone"
    return isAlone(answer.value, executionId) ? "alone" : "spoken to"
  })

/** The same for a callee to whom nobody may have spoken yet: one whose agent came, and has done its work, was spoken to. */
const lookedWhoSpoke = Effect.fnUntraced(function* (parts: DialParts, executionId: string) {
  const seen = yield* looked(parts, executionId)
  if (seen !== "alone") return seen
  const answer = yield* parts.clients.dispatches(roomOfCall(parts.settings, executionId))
  if (answer._tag !== "Done") return "unknown"
  const jobs = answer.value.flatMap(({ state }) => state?.jobs ?? [])
  return jobs.some(({ state }) => Number(state?.status) === jobSucceeded) ? "spoken to" : "alone"
})

/** Takes a leg out of its room again where it is still there, for the first request may have got lost. */
const insisted = Effect.fnUntraced(function* (parts: DialParts, executionId: string) {
  for (let look = 1; look < bounds.agentLooks; look += 1) {
    yield* Effect.sleep(bounds.agentLookMs)
    if ((yield* looked(parts, executionId)) === "gone") return
    yield* hangUp(parts.settings, parts.clients, parts.book, executionId)
  }
})

/**
 * Ends the call of a callee to whom nobody speaks, and takes them out of the room. The end is reported first: whichever process hears that the leg
 * has left finds it in the rows then.
 */
export const takenOut = Effect.fnUntraced(function* (parts: DialParts, leg: KnownLeg, why: string) {
  const { book, clients, desk, settings } = parts
  const { answeredAt, call_sid, execution_id, machine } = leg
  const at = yield* Clock.currentTimeMillis
  const end = endOf(operators(why), { answeredAt, endedAt: at, machine })
  yield* tell(desk.report, { execution_id, call_sid, at, type: "ended", end })
  book.heard(execution_id, { unspoken: why })
  yield* hangUp(settings, clients, book, execution_id)
  desk.start?.(insisted(parts, execution_id))
})

/** The same for one whose agent did not come in time. Where it cannot be reported, whoever asks about the call comes upon it again. */
const takenOutAlone = (parts: DialParts, leg: KnownLeg): Effect.Effect<void> =>
  takenOut(parts, leg, "No agent came into the room.").pipe(
    Effect.catch(() =>
      Effect.logWarning("A call that nobody speaks in could not be ended; the engine will ask.").pipe(
        Effect.annotateLogs({ execution_id: leg.execution_id }),
      ),
    ),
  )

/**
 * Waits until an agent has had its time to join a callee who has answered. One who is alone then is taken out of the room. Whoever heard of the
 * answer waits so, and whoever is asked about a callee and finds them alone: who heard of the answer may be dead, or the answer lost.
 */
export const agentAwaited = Effect.fnUntraced(function* (parts: DialParts, executionId: string) {
  yield* Effect.sleep(parts.settings.agentWaitMs)
  for (let look = 0; look < bounds.agentLooks; look += 1) {
    const leg = parts.book.find(executionId)
    if (leg === null || leg.end !== null || leg.unspoken !== null) return
    const seen = yield* lookedWhoSpoke(parts, executionId)
    if (seen === "alone") return yield* takenOutAlone(parts, leg)
    if (seen !== "unknown") return
    yield* Effect.sleep(bounds.agentLookMs)
  }
})
