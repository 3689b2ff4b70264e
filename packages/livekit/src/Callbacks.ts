import {
  type CallbackHandler,
  callbackHandler,
  type CallbackStatus,
  kept,
  Newest,
  NotTaken,
  type ReadsBody,
  tellRecording,
  type UntakenBody,
} from "@carillon/core/carrier"
import { Clock, Effect } from "effect"
import { type ClaimGrants, TokenVerifier, type WebhookEvent, WebhookReceiver } from "livekit-server-sdk"
import { bounds } from "./Bounds.ts"
import { type KnownLeg, knownLeg } from "./LegBook.ts"
import { callAttribute, executionOf, statusAttribute } from "./Names.ts"
import { fileOf, recordingUrl, serveRecording } from "./Recordings.ts"
import { conclude, type DialParts } from "./Reporting.ts"
import { isFresh, isOfBody } from "./Tokens.ts"
import { takenOut } from "./Unspoken.ts"
import { agentFailed, answeredStatuses, disconnectReasons, endOf, jobFailed, meaningOfLeaving } from "./Words.ts"
import { readReport, reportSubject, type WorkerReport } from "./WorkerReport.ts"
import { takeReport } from "./WorkerReports.ts"

interface Parts extends DialParts {
  /** The worker's reports that were taken, by their ids. */
  readonly seen: Newest<true>
}

interface Left {
  readonly at: number
  readonly reason: number
  readonly wasAnswered: boolean
}

/**
 * Leaves the end of a leg that nobody answered to the process that dialled it, while there is time: that one hears the SIP code. This one looks
 * again when the time is over, for the other may have died and LiveKit may not come again.
 */
const leftToItsDialler = Effect.fnUntraced(function* (parts: Parts, leg: KnownLeg, left: Left) {
  const { book, desk } = parts
  const isHeardHere = leg.isOwn || leg.unwanted
  if (isHeardHere || leg.end !== null || leg.answeredAt !== null || left.wasAnswered) return
  const now = yield* Clock.currentTimeMillis
  if (leg.codeUntil !== null && now >= leg.codeUntil) return
  if (leg.codeUntil === null) {
    book.heard(leg.execution_id, { codeUntil: now + bounds.codeMs })
    const lookAgain = Effect.andThen(Effect.sleep(bounds.codeMs), takeLeft(parts, leg.execution_id, left))
    desk.start?.(
      Effect.catch(lookAgain, () =>
        Effect.logWarning("The end of a call could not be reported; the engine will ask.").pipe(
          Effect.annotateLogs({ execution_id: leg.execution_id }),
        ),
      ),
    )
  }
  return yield* new NotTaken({ forGood: false })
})

/**
 * A leg has left its room. While the request that waits for its answer is open, that request will say more: it knows the SIP code, of which the
 * reason here is only a fold. So the webhook waits for it a moment, and is told to come again where it takes longer, or where the request is
 * another process's.
 */
const takeLeft = (parts: Parts, executionId: string, left: Left): Effect.Effect<void, NotTaken> =>
  Effect.gen(function* () {
    const { book } = parts
    const { at, reason, wasAnswered } = left
    const before = yield* knownLeg(parts.book, parts.desk, executionId)
    if (before === null) return
    yield* leftToItsDialler(parts, before, left)
    if (before.pending) {
      book.heard(executionId, { left: { reason, at } })
      const isSettled = yield* Effect.promise(() => book.settled(executionId, bounds.verdictMs))
      if (!isSettled) return yield* new NotTaken({ forGood: false })
    }
    const leg = book.find(executionId) ?? before
    const end = endOf(meaningOfLeaving(leg, reason, wasAnswered || leg.answeredAt !== null), {
      answeredAt: leg.answeredAt,
      endedAt: at,
      machine: leg.machine,
    })
    yield* conclude(parts, leg, leg.end ?? end, at)
  })

/** A whole recording. One of a call that nobody answered is of no use to anybody. */
const takeEgress = Effect.fnUntraced(function* (parts: Parts, event: WebhookEvent, at: number) {
  const { book, desk, settings } = parts
  const file = event.egressInfo === undefined ? null : fileOf(settings, event.egressInfo)
  if (file === null || event.egressInfo === undefined) return
  const { egressId } = event.egressInfo
  const leg = yield* knownLeg(parts.book, parts.desk, file.execution_id)
  if (leg === null || leg.answeredAt === null) return
  const recording_url = yield* Effect.promise(() => recordingUrl(settings, egressId))
  book.heard(file.execution_id, { facts: { ...leg.facts, recording_url } })
  yield* tellRecording(desk.report, { execution_id: leg.execution_id, call_sid: leg.call_sid }, at, recording_url)
})

/** The end of a room whose leg nobody has seen leave: LiveKit may have lost that webhook. */
const takeRoomEnd = Effect.fnUntraced(function* (parts: Parts, executionId: string, at: number) {
  const leg = yield* knownLeg(parts.book, parts.desk, executionId)
  if (leg === null || leg.pending || leg.end !== null || leg.answeredAt === null) return
  yield* takeLeft(parts, executionId, { at, reason: disconnectReasons.ROOM_CLOSED, wasAnswered: true })
})

/** An agent that died leaves a callee to whom nobody speaks: they are taken out of the room. */
const takeAgentFailure = Effect.fnUntraced(function* (parts: Parts, executionId: string) {
  const leg = yield* knownLeg(parts.book, parts.desk, executionId)
  if (leg === null || leg.end !== null) return
  yield* takenOut(parts, leg, agentFailed)
})

/** What an event says of a call; one that says nothing of it is taken too, for nothing of it would be kept. */
const takeEvent = Effect.fnUntraced(function* (parts: Parts, event: WebhookEvent) {
  const { book, settings } = parts
  const now = yield* Clock.currentTimeMillis
  const at = event.createdAt > 0n ? Number(event.createdAt) * 1000 : now
  if (event.event === "egress_ended") return yield* takeEgress(parts, event, at)
  const room = event.room ?? event.job?.room
  const executionId = room === undefined ? null : executionOf(settings.roomPrefix, room.name)
  if (executionId === null) return
  // The SDK's list of names is not whole.
  const name: string = event.event
  if (name === "agent_job_ended" && event.job?.state?.status === jobFailed) {
    return yield* takeAgentFailure(parts, executionId)
  }
  if (event.event === "room_finished") return yield* takeRoomEnd(parts, executionId, at)
  if (event.participant?.identity !== executionId) return
  const sid = event.participant.attributes[callAttribute]
  if (sid !== undefined && sid !== "") book.heard(executionId, { call_sid: sid })
  if (event.event !== "participant_left" && event.event !== "participant_connection_aborted") return
  // Whoever took over from the process that dialled may not have heard of the answer yet.
  const wasAnswered = answeredStatuses.has(event.participant.attributes[statusAttribute] ?? "")
  yield* takeLeft(parts, executionId, { at, reason: event.participant.disconnectReason, wasAnswered })
})

/** Answers LiveKit's webhooks, the voice worker's reports, and whoever fetches a recording. */
export const callbacksOf = (given: DialParts): CallbackHandler => {
  const { apiKey, apiSecret } = given.settings
  const receiver = new WebhookReceiver(apiKey, apiSecret)
  const verifier = new TokenVerifier(apiKey, apiSecret)
  const parts: Parts = { ...given, seen: new Newest(bounds.reportsRemembered) }

  /** What a token claims that was made with the secret, has not ended, and says of which body it is; null for any other. */
  const claimsOf = async (token: string): Promise<ClaimGrants | null> => {
    const claims = await verifier.verify(token).catch(() => null)
    return claims?.sha256 === undefined ? null : claims
  }

  const textOf = async (body: ReadsBody, bytesMax: number): Promise<string | UntakenBody> => {
    const bytes = await body(bytesMax)
    return typeof bytes === "number" ? bytes : new TextDecoder().decode(bytes)
  }

  const webhook = async ({ headers }: Request, body: ReadsBody): Promise<CallbackStatus> => {
    const token = headers.get("authorization") ?? ""
    if ((await claimsOf(token)) === null) return 401
    const text = await textOf(body, bounds.webhookBytes)
    if (typeof text === "number") return text
    // The vendor's own receiver: a bare token, its hash of the body, and its time.
    const event = await receiver.receive(text, token).catch(() => null)
    return event === null ? 401 : kept(parts.desk, takeEvent(parts, event))
  }

  const reported = async ({ headers }: Request, body: ReadsBody): Promise<CallbackStatus> => {
    const token = (headers.get("authorization") ?? "").replace(/^Bearer /, "")
    const claims = await claimsOf(token)
    if (claims === null || claims.sub !== reportSubject || !isFresh(claims)) return 401
    const text = await textOf(body, bounds.reportBytes)
    if (typeof text === "number") return text
    if (!(await isOfBody(claims, text))) return 401
    const report: WorkerReport | null = readReport(text)
    if (report === null) return 400
    if (parts.seen.find(report.report_id) !== null) return 200
    const leg = knownLeg(parts.book, parts.desk, report.execution_id)
    const answer = await kept(
      parts.desk,
      Effect.flatMap(leg, (found) => (found === null ? Effect.void : takeReport(parts, found, report))),
    )
    if (answer === 200) parts.seen.keep(report.report_id, true)
    return answer
  }

  return callbackHandler({
    desk: parts.desk,
    topics: { webhook, report: reported },
    recording: (request, egressId, pass) => serveRecording(parts.settings, parts.clients, request, egressId, pass),
  })
}
