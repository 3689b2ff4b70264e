import type { CarrierReport } from "@carillon/core"
import { isTerminal } from "@carillon/core/domain"
import {
  answerOfKept,
  type CallbackHandler,
  callbackHandler,
  type CallbackStatus,
  cutOff,
  type Desk,
  factsOf,
  type LegName,
  NotTaken,
  type ReadsBody,
  rowOf,
  type TakesReports,
  tell,
  tellCost,
  tellFinal,
  tellRecording,
  type UntakenBody,
} from "@carillon/core/carrier"
import { Clock, Effect, Option } from "effect"
import { bounds } from "./Bounds.ts"
import { command } from "./Calls.ts"
import { toldByEvents } from "./Finding.ts"
import { hangUp } from "./Hangup.ts"
import { isMachine } from "./HangupWords.ts"
import { type LegBook, legOfRow } from "./LegBook.ts"
import { isLegId, recordingUrl, serveRecording } from "./Recordings.ts"
import type { Settings } from "./Settings.ts"
import { isReplay, isSignature, isSigned } from "./Signature.ts"
import { type Deed, stateOfOtherLeg } from "./State.ts"
import { endOfStory, joined, priceOf, readWebhook, type Story, type VendorEvent, verdictEvents } from "./Story.ts"

interface Parts {
  readonly settings: Settings
  readonly book: LegBook
  readonly desk: Desk
  readonly report: TakesReports
}

/** A webhook of a leg of ours, whose signature was checked. */
interface Heard {
  readonly name: LegName
  readonly event: VendorEvent
  readonly deed: Deed | null
  readonly at: number
  /** All that is known of the leg, with this event. */
  readonly story: Story
}

/** Whether an end can be told without asking anybody: who was not answered had nobody who could have answered, nor a conversation. */
const isWhole = ({ settings }: Parts, { answeredAt, hangup, verdict }: Story): boolean => {
  const mayBeTalk = hangup !== null && ["normal_clearing", "time_limit", "unspecified", ""].includes(hangup.cause)
  if (answeredAt === null) return !mayBeTalk
  return settings.machineDetection === undefined || verdict !== null
}

/** The story of a leg that is over, with what other processes heard: the row has it, or Telnyx's list of events, if that answers soon. */
const completed = Effect.fnUntraced(function* (parts: Parts, name: LegName, heard: Story) {
  if (isWhole(parts, heard)) return heard
  // The end is told even while the rows are away.
  const row = Option.getOrNull(yield* Effect.option(rowOf(parts.desk, name.execution_id)))
  const kept = row === null ? heard : joined(heard, legOfRow(row).story)
  if (isWhole(parts, kept) || kept.leg_id === null) return kept
  const asked = yield* Effect.timeoutOption(toldByEvents(parts.settings, kept.leg_id), bounds.webhookQuestionMs)
  const listed = Option.getOrNull(asked)
  return listed === null ? kept : joined(kept, listed.story)
})

/** The end of a leg, for good: its line is given back at once. A price that comes later is a correction. */
const takeHangup = Effect.fnUntraced(function* (parts: Parts, { at, name, story }: Heard) {
  const whole = yield* completed(parts, name, story)
  const end = endOfStory(whole)
  if (end === null) return
  yield* tellFinal(parts.settings, parts.report, name, { at, end, price: whole.price, recording: null })
})

/** An answer that is heard after the end still tells how long the conversation was. */
const tellLength = (report: TakesReports, { at, name, story }: Heard): Effect.Effect<unknown, NotTaken> => {
  const duration_seconds = endOfStory(story)?.duration_seconds ?? null
  if (duration_seconds === null) return Effect.void
  return tell(report, { ...name, at, type: "corrected", end: { duration_seconds }, facts: {} })
}

/** What is to be done when the callee answers: a voice at a SIP address is fetched. Telnyx ignores the command when it comes twice. */
const takeAnswer = Effect.fnUntraced(function* ({ report, settings }: Parts, heard: Heard) {
  const { at, deed, name, story } = heard
  yield* tell(report, { ...name, at, type: "answered" })
  if (story.hangup !== null) return yield* tellLength(report, heard)
  if (deed?.type !== "transfer") return undefined
  const answer = yield* command(settings, name.call_sid, "transfer", {
    to: deed.address,
    command_id: `${name.execution_id}-transfer`,
    target_leg_client_state: stateOfOtherLeg,
    custom_headers: [{ name: "X-Execution-Id", value: name.execution_id }],
  })
  if (answer._tag === "Answered" && answer.status < 300) return undefined
  if (answer._tag === "Answered" && answer.status < 500 && answer.status !== 429) {
    return yield* Effect.logWarning(
      `Telnyx refused a transfer (${answer.status}, code ${answer.error?.code ?? "none"}).`,
    ).pipe(Effect.annotateLogs({ execution_id: name.execution_id }))
  }
  return yield* new NotTaken({ forGood: false })
})

/** Who answered. A verdict that comes after the end still completes what is known of the call; it never changes how it ended. */
const takeVerdict = Effect.fnUntraced(function* ({ report, settings }: Parts, { at, event, name, story }: Heard) {
  if (isMachine(event.payload.result ?? null) !== true) return
  const end = endOfStory(story)
  if (end !== null) yield* tell(report, { ...name, at, type: "ended", end })
  else if (settings.machineDetection?.onMachine === "hang_up") yield* hangUp(settings, name.call_sid)
})

/** The stream to the host's voice failed, so nobody speaks with the callee: they are hung up on, and the call was cut off. */
const takeFailedStream = Effect.fnUntraced(function* ({ report, settings }: Parts, { at, name, story }: Heard) {
  if (story.hangup !== null) return
  yield* tell(report, { ...name, at, type: "ended", end: cutOff("The stream to the voice failed.") })
  yield* hangUp(settings, name.call_sid)
})

/** How the leg of a cost ended, for the host that is asked about it; null while nobody knows that it did. */
const endForCost = Effect.fnUntraced(function* (parts: Parts, { name, story }: Heard) {
  const end = endOfStory(story)
  if (end !== null) return end
  const row = yield* rowOf(parts.desk, name.execution_id)
  if (row === null || !isTerminal(row.status)) return null
  return { status: row.status, duration_seconds: row.duration_seconds }
})

/** What the call cost. It comes after the end; one that comes before it is asked for again. */
const takeCost = Effect.fnUntraced(function* (parts: Parts, heard: Heard) {
  const price = priceOf(heard.event.payload)
  if (price === null) return
  const end = yield* endForCost(parts, heard)
  if (end === null) return yield* new NotTaken({ forGood: false })
  const { cost } = yield* factsOf(parts.settings, heard.name, end, price)
  if (cost !== null) yield* tellCost(parts.report, heard.name, heard.at, cost)
})

const takeRecording = Effect.fnUntraced(function* ({ report, settings }: Parts, { at, name, story }: Heard) {
  if (!isLegId(story.leg_id)) return yield* new NotTaken({ forGood: true })
  const leg = story.leg_id
  const recording_url = yield* Effect.promise(() => recordingUrl(settings, leg))
  yield* tellRecording(report, name, at, recording_url)
})

const take = (parts: Parts, heard: Heard): Effect.Effect<unknown, NotTaken> => {
  const { at, deed, event, name } = heard
  if (verdictEvents.has(event.name)) return takeVerdict(parts, heard)
  switch (event.name) {
    case "call.initiated": {
      const report: CarrierReport = { ...name, at, type: "initiated" }
      return tell(parts.report, report)
    }
    case "call.answered":
      return takeAnswer(parts, heard)
    case "call.hangup":
      return takeHangup(parts, heard)
    case "call.recording.saved":
      return takeRecording(parts, heard)
    case "call.cost":
      return takeCost(parts, heard)
    case "call.playback.ended":
      return deed?.type === "hang_up_after_audio" ? hangUp(parts.settings, name.call_sid) : Effect.void
    case "streaming.failed":
      return takeFailedStream(parts, heard)
    default:
      return Effect.void
  }
}

/**
 * A webhook of a leg of ours; null where it is of another one: of an incoming call, of the far leg of a transfer, or of a second leg that the
 * execution should not have.
 */
const heardOf = Effect.fnUntraced(function* (parts: Parts, event: VendorEvent) {
  const { payload, state } = event
  if (state === null) return null
  const { deed, execution_id } = state
  const before = parts.book.find(execution_id)?.story.call_sid ?? null
  // A recording's webhook names the leg by its other name alone.
  const call_sid = payload.call_control_id ?? before ?? (yield* rowOf(parts.desk, execution_id))?.call_sid
  if (call_sid === null || call_sid === undefined) return null
  if (before !== null && before !== call_sid) {
    yield* Effect.logWarning("Telnyx told of a second leg of one call.").pipe(Effect.annotateLogs({ execution_id }))
    return null
  }
  const story = parts.book.heard(execution_id, event)
  const at = event.at ?? (yield* Clock.currentTimeMillis)
  const heard: Heard = { name: { execution_id, call_sid }, event, deed, at, story }
  return heard
})

type Refusal = 400 | 403 | UntakenBody

/** Reads a webhook and checks that Telnyx has signed it, not long ago. */
const verified = async (
  settings: Settings,
  { headers }: Request,
  read: ReadsBody,
  now: number,
): Promise<VendorEvent | Refusal> => {
  const timestamp = headers.get("telnyx-timestamp")
  const signature = headers.get("telnyx-signature-ed25519")
  if (isReplay(timestamp, now, settings.webhookAgeMs) || !isSignature(signature)) return 403
  const body = await read(bounds.webhookBytes)
  if (typeof body === "number") return body
  if (!(await isSigned({ publicKey: settings.publicKey, signature, timestamp, body }))) return 403
  return readWebhook(new TextDecoder().decode(body)) ?? 400
}

/** Answers Telnyx's webhooks, and whoever fetches a recording. */
export const webhooksOf = (given: Parts): CallbackHandler => {
  const parts: Parts = { ...given, settings: { ...given.settings, answerMs: bounds.webhookQuestionMs } }
  const taken = (request: Request, body: ReadsBody): Effect.Effect<CallbackStatus> =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const event = yield* Effect.promise(() => verified(parts.settings, request, body, now))
      if (typeof event === "number") return event
      const heard = heardOf(parts, event)
      return yield* answerOfKept(Effect.flatMap(heard, (ours) => (ours === null ? Effect.void : take(parts, ours))))
    })
  return callbackHandler({
    desk: parts.desk,
    topics: { events: async (request, body) => (parts.desk.run === null ? 503 : parts.desk.run(taken(request, body))) },
    recording: (request, leg, pass) => serveRecording(parts.settings, request, leg, pass),
  })
}
