import type { CarrierReport } from "@carillon/core"
import {
  type CallbackHandler,
  callbackHandler,
  type CallbackStatus,
  cutOff,
  type Desk,
  kept,
  type LegName,
  NotTaken,
  type ReadsBody,
  type TakesReports,
  tell,
  tellFinal,
  tellRecording,
  type UntakenBody,
} from "@carillon/core/carrier"
import { Clock, Effect } from "effect"
import type { Topic } from "./Addresses.ts"
import { withAnswerer } from "./Answerer.ts"
import { bounds } from "./Bounds.ts"
import { fetchCall } from "./Calls.ts"
import { callStatuses, isMachine, type LegWords, meaningOf, secondsOf, timeOf, wordsOf } from "./CallWords.ts"
import { hangUp } from "./Hangup.ts"
import type { LegBook } from "./LegBook.ts"
import type { Prices } from "./Prices.ts"
import { isRecordingSid, recordingUrl, serveRecording } from "./Recordings.ts"
import type { Settings } from "./Settings.ts"
import { meaningOfStreamError, streamFailed } from "./StreamWords.ts"
import { isSignature, isSigned } from "./Signature.ts"

interface Parts {
  readonly settings: Settings
  readonly book: LegBook
  readonly desk: Desk
  readonly prices: Prices
  readonly report: TakesReports
}

/** A callback whose signature was checked. */
interface Callback extends LegName {
  readonly topic: Topic
  readonly parameters: URLSearchParams
}

const recordingOfCallback = ({ settings }: Parts, { parameters }: Callback) =>
  Effect.promise(async () => {
    const sid = parameters.get("RecordingSid")
    return isRecordingSid(sid) ? recordingUrl(settings, sid) : null
  })

/** A parameter, null where it is left out or empty. */
const said = (parameters: URLSearchParams, name: string): string | null => {
  const value = parameters.get(name)
  return value === "" ? null : value
}

/** The words of a status callback; null where it has a status that nobody knows, which is never the end of a call. */
const wordsOfCallback = ({ parameters }: Callback): LegWords | null => {
  const status = callStatuses.find((known) => known === parameters.get("CallStatus"))
  if (status === undefined) return null
  return {
    status,
    seconds: secondsOf(parameters.get("CallDuration")),
    answeredBy: said(parameters, "AnsweredBy"),
    sipCode: said(parameters, "SipResponseCode"),
  }
}

/** The end of a leg: reported at once. What is known only later, the price above all, is waited for apart. */
const takeEnd = Effect.fnUntraced(function* (parts: Parts, callback: Callback, words: LegWords, at: number) {
  const { book, desk, prices, report, settings } = parts
  const name = { execution_id: callback.execution_id, call_sid: callback.call_sid }
  const known = yield* withAnswerer(settings, book, name, words)
  const meaning = meaningOf(known.words)
  if (!("end" in meaning)) return
  const { end } = meaning
  const recording = yield* recordingOfCallback(parts, callback)
  const { price } = known
  if (words.status !== "completed" || price !== null) {
    return yield* tellFinal(settings, report, name, { at, end, price, recording })
  }
  if (settings.priceWaitMs === 0) {
    desk.start?.(prices.correcting(report, name, end))
    return yield* tellFinal(settings, report, name, { at, end, price, recording })
  }
  // Also where the end cannot be stored now: the last word gives the line back, and whoever keeps the one keeps the other.
  desk.start?.(prices.closing(report, name, at, end))
  yield* tell(report, { ...name, at, type: "ended", end })
  if (recording !== null) yield* tellRecording(report, name, at, recording)
})

const takeStatus = Effect.fnUntraced(function* (parts: Parts, callback: Callback) {
  const { call_sid, execution_id } = callback
  const at = timeOf(callback.parameters.get("Timestamp")) ?? (yield* Clock.currentTimeMillis)
  const words = wordsOfCallback(callback)
  if (words === null) {
    return yield* Effect.logWarning("Twilio told a status that is not known.").pipe(
      Effect.annotateLogs({ execution_id }),
    )
  }
  const meaning = meaningOf(words)
  if ("end" in meaning) return yield* takeEnd(parts, callback, words, at)
  const report: CarrierReport = { execution_id, call_sid, at, type: meaning.phase }
  yield* tell(parts.report, report)
})

/** Who answered. A verdict that comes after the end still completes what is known of the call; it never changes how it ended. */
const takeVerdict = Effect.fnUntraced(function* (parts: Parts, { call_sid, execution_id, parameters }: Callback) {
  const { book, report, settings } = parts
  const answeredBy = said(parameters, "AnsweredBy")
  if (answeredBy === null) return
  book.heard(execution_id, { answeredBy })
  if (isMachine(answeredBy) !== true) return
  if (settings.machineDetection?.onMachine === "hang_up") yield* hangUp(settings, call_sid)
  const fetched = yield* fetchCall(settings, call_sid)
  const meaning = fetched._tag === "Found" ? meaningOf({ ...wordsOf(fetched.call, null), answeredBy }) : null
  if (meaning === null || !("end" in meaning)) return
  const at = yield* Clock.currentTimeMillis
  yield* tell(report, { execution_id, call_sid, at, type: "ended", end: meaning.end })
})

const takeRecording = Effect.fnUntraced(function* (parts: Parts, callback: Callback) {
  if (callback.parameters.get("RecordingStatus") !== "completed") return
  const recording = yield* recordingOfCallback(parts, callback)
  if (recording === null) return yield* new NotTaken({ forGood: true })
  yield* tellRecording(parts.report, callback, yield* Clock.currentTimeMillis, recording)
})

/** How the stream to the host's voice stands. One that failed leaves a callee to whom nobody speaks: they are hung up on, and the call was cut off. */
const takeStream = Effect.fnUntraced(function* ({ report, settings }: Parts, callback: Callback) {
  const { call_sid, execution_id, parameters } = callback
  if (parameters.get("StreamEvent") !== "stream-error") return
  const meaning = meaningOfStreamError(parameters.get("StreamError") ?? "")
  if (meaning._tag === "Closed") return
  if (meaning._tag === "Unclear") {
    return yield* Effect.logWarning("Twilio told of an error of a stream that is not known.").pipe(
      Effect.annotateLogs({ execution_id }),
    )
  }
  const at = timeOf(parameters.get("Timestamp")) ?? (yield* Clock.currentTimeMillis)
  yield* tell(report, { execution_id, call_sid, at, type: "ended", end: cutOff(streamFailed(meaning.code)) })
  yield* hangUp(settings, call_sid)
})

const take = (parts: Parts, callback: Callback): Effect.Effect<void, NotTaken> => {
  parts.book.heard(callback.execution_id, { call_sid: callback.call_sid })
  switch (callback.topic) {
    case "status":
      return takeStatus(parts, callback)
    case "amd":
      return takeVerdict(parts, callback)
    case "recording":
      return takeRecording(parts, callback)
    case "stream":
      return takeStream(parts, callback)
  }
}

const executionIds = /^[!-~]+$/
const callSids = /^CA[0-9a-fA-F]{32}$/

type Refusal = 400 | 403 | UntakenBody

const ampersand = 38

/** How many parameters a form has at most, before it is read. */
const parametersIn = (form: Uint8Array): number =>
  form.reduce((parameters, byte) => (byte === ampersand ? parameters + 1 : parameters), 1)

/** Reads a callback and checks that Twilio has signed it, over the public address: a proxy may have changed the one that came. */
const verified = async (
  settings: Settings,
  request: Request,
  body: ReadsBody,
  topic: Topic,
): Promise<Callback | Refusal> => {
  const signature = request.headers.get("x-twilio-signature")
  if (!isSignature(signature)) return 403
  const bytes = await body(bounds.callbackBytes)
  if (typeof bytes === "number") return bytes
  if (parametersIn(bytes) > bounds.callbackParameters) return 413
  const { search, searchParams } = new URL(request.url)
  const parameters = new URLSearchParams(new TextDecoder().decode(bytes))
  const isGenuine = await isSigned(settings.authToken, signature, `${settings.publicUrl}/${topic}${search}`, parameters)
  if (!isGenuine) return 403
  const execution_id = searchParams.get("execution_id") ?? ""
  const call_sid = parameters.get("CallSid") ?? ""
  const isWhole =
    executionIds.test(execution_id) && execution_id.length <= bounds.executionIdCharacters && callSids.test(call_sid)
  return isWhole ? { topic, execution_id, call_sid, parameters } : 400
}

/** Answers Twilio's callbacks, and whoever fetches a recording. */
export const callbacksOf = (given: Parts): CallbackHandler => {
  const parts: Parts = { ...given, settings: { ...given.settings, answerMs: bounds.callbackQuestionMs } }
  const taken =
    (topic: Topic) =>
    async (request: Request, body: ReadsBody): Promise<CallbackStatus> => {
      const callback = await verified(parts.settings, request, body, topic)
      return typeof callback === "number" ? callback : kept(parts.desk, take(parts, callback))
    }
  return callbackHandler({
    desk: parts.desk,
    topics: { status: taken("status"), amd: taken("amd"), recording: taken("recording"), stream: taken("stream") },
    recording: (request, sid, pass) => serveRecording(parts.settings, request, sid, pass),
  })
}
