import { type CallRecord, isOver, type Watch, type RecordingRecord, secondsOf } from "./CallRecord.ts"
import type { Answer, Callbacks } from "./Callbacks.ts"
import { sidOf } from "./Chance.ts"
import type { StandInClock } from "./Clock.ts"
import { type FinalStatus, progressEvents, type ProgressEvent, recordingEvents } from "./Contract.ts"
import { ok, type Or, refusalError, refused } from "./Errors.ts"
import { type Fate, priceOf, type Script, wholeFate } from "./Fate.ts"
import type { Journal } from "./Journal.ts"
import { detectionParameters, recordingParameters, statusParameters, voiceParameters } from "./Notices.ts"
import type { Asked } from "./Parameters.ts"
import { beginRecording, finishRecording, stopRecording } from "./Recordings.ts"
import { refusalOf } from "./Refusals.ts"
import { Streams } from "./Streams.ts"
import { isXmlType, readTwiml } from "./Twiml.ts"
import { heard, methodOf, wordsOf } from "./Wishes.ts"

export interface ExchangeOptions {
  readonly accountSid: string
  /** Where recordings are had. */
  readonly url: () => string
  readonly seed: string
  readonly clock: StandInClock
  readonly journal: Journal
  readonly callbacks: Callbacks
  readonly script: Script
  readonly callsPerSecond: number
  readonly numbers: ReadonlyArray<string> | null
  readonly verified: ReadonlyArray<string> | null
  /** Up to which event a call has gone when its dial is answered, by the number; null: it has not begun. */
  readonly answersAfter: (to: string) => ProgressEvent | null
  readonly watch: Watch
}

/** Calls that are kept; a test that needs more has lost its way. */
const mostCalls = 100_000
const standardTimeoutSeconds = 60
/** Four hours, as https://www.twilio.com/docs/voice/twiml/dial#timelimit has it; the document names no number. */
const standardTimeLimitSeconds = 14_400
const standardDetectionSeconds = 30

/** Places calls and lets the script's fate come over them. */
export class Exchange {
  readonly calls = new Map<string, CallRecord>()
  readonly recordings = new Map<string, RecordingRecord>()
  readonly #options: ExchangeOptions
  readonly #callsTo = new Map<string, number>()
  readonly #streams: Streams
  #lastDueAt = -Infinity

  constructor(options: ExchangeOptions) {
    this.#options = options
    const { accountSid, callbacks, clock, journal, seed } = options
    this.#streams = new Streams({
      accountSid,
      callbacks,
      clock,
      journal,
      seed,
      after: (call, seconds, action) => this.#after(call, seconds, action),
      end: (call) => this.#end(call, "completed"),
      run: (call, url, method) => this.#run(call, url, method),
    })
  }

  /** Takes a call, or refuses it. It is dialled when its turn comes: beyond the calls per second it waits in the queue. */
  create(asked: Asked): Or<CallRecord> {
    const { clock, numbers, script, seed, verified } = this.#options
    const to = asked.text("To") ?? ""
    const from = asked.text("From") ?? ""
    const code = refusalOf({ asked, from, numbers, to, verified })
    if (code !== null) return refused(code, code === 21210 || code === 21212 ? from : code === 21205 ? "Url" : to)
    const nth = this.#callsTo.get(to) ?? 0
    const fate = script({ to, from, nth, asked })
    if ("refused" in fate) return { ok: false, error: refusalError(fate, to) }
    if (this.calls.size >= mostCalls) throw new Error(`More than ${mostCalls} calls`)
    this.#callsTo.set(to, nth + 1)
    const now = clock.now()
    const dueAt = Math.max(now, this.#lastDueAt + 1000 / this.#options.callsPerSecond)
    this.#lastDueAt = dueAt
    const call = newCall(sidOf(seed, "CA", this.calls.size), { to, from, asked, fate, now, dueAt })
    this.calls.set(call.sid, call)
    this.#options.watch(call, "made")
    this.#warnOfWords(call)
    this.#plan(call, dueAt, () => this.#dial(call))
    return ok(call)
  }

  /**
   * What happens before the answer to a dial that is slow: everything up to that event, and all of it is told. A call that waits in the queue has
   * not begun.
   */
  async hurry(call: CallRecord): Promise<void> {
    const last = this.#options.answersAfter(call.to)
    if (last === null || call.dueAt > this.#options.clock.now()) return
    const { outcome } = call.fate
    const steps: ReadonlyArray<readonly [event: ProgressEvent, happen: () => Promise<void>]> = [
      ["initiated", () => this.#dial(call)],
      ["ringing", () => (outcome === "failed" ? this.#end(call, outcome) : this.#ring(call))],
      ["answered", () => (outcome === "completed" ? this.#answer(call) : this.#end(call, outcome))],
      ["completed", () => this.#end(call, outcome)],
    ]
    for (const [event, happen] of steps) {
      if (isOver(call)) return
      this.#stopPlans(call)
      await happen()
      if (event === last) return
    }
  }

  /** Hangs up or redirects, by phase. What is over can be neither: https://www.twilio.com/docs/api/errors/21220. */
  update(call: CallRecord, asked: Asked): Or<CallRecord> {
    const status = asked.text("Status")
    const isRedirect = asked.text("Url") !== null || asked.text("Twiml") !== null
    // The document: "Twiml and url parameters are mutually exclusive". No page names the error.
    if (asked.text("Url") !== null && asked.text("Twiml") !== null) return refused(20001, "Twiml")
    if (isOver(call) && (status !== null || isRedirect)) return refused(21220)
    if (isRedirect && status === null && call.status !== "in-progress") return refused(21220)
    call.asked = call.asked.with(asked)
    if (status !== null) this.#options.watch(call, "hung_up")
    if (status === "completed") this.#endLater(call, "completed")
    // The document: it "will not affect calls already in progress".
    else if (status === "canceled" && call.status !== "in-progress") this.#endLater(call, "canceled")
    else if (isRedirect && status === null) {
      this.#plan(call, this.#options.clock.now(), () => this.#run(call, asked.text("Url") ?? null))
    }
    return ok(call)
  }

  /** The callee hangs up. */
  async hangUp(sid: string): Promise<void> {
    const call = this.calls.get(sid)
    if (call?.status === "in-progress") await this.#end(call, "completed")
  }

  #plan(call: CallRecord, at: number, action: () => Promise<void>): void {
    const cancel = this.#options.clock.at(at, () => {
      call.planned.delete(cancel)
      return action()
    })
    call.planned.add(cancel)
  }

  #stopPlans(call: CallRecord): void {
    for (const cancel of call.planned) cancel()
    call.planned.clear()
  }

  #after(call: CallRecord, seconds: number, action: () => Promise<void>): void {
    this.#plan(call, this.#options.clock.now() + seconds * 1000, action)
  }

  /** https://www.twilio.com/docs/api/errors/21626, /13621, /21262 and /20001. */
  #warnOfWords({ asked, sid }: CallRecord): void {
    const { journal } = this.#options
    const progress = wordsOf(asked, "StatusCallbackEvent", progressEvents, false)
    if (progress.wrong.length > 0) journal.warn(21626, sid, `StatusCallbackEvent ${progress.wrong.join(", ")}`)
    const recording = wordsOf(asked, "RecordingStatusCallbackEvent", recordingEvents, true)
    if (recording.wrong.length > 0)
      journal.warn(13621, sid, `RecordingStatusCallbackEvent ${recording.wrong.join(", ")}`)
    if (
      asked.is("AsyncAmd") &&
      asked.text("MachineDetection") !== null &&
      asked.text("AsyncAmdStatusCallback") === null
    ) {
      journal.warn(21262, sid, "no URL for what the detection finds")
    }
  }

  #touch(call: CallRecord): number {
    call.updatedAt = this.#options.clock.now()
    return call.updatedAt
  }

  async #dial(call: CallRecord): Promise<void> {
    call.dialledAt = this.#touch(call)
    const { fate } = call
    if (fate.outcome === "failed") this.#after(call, fate.setup_s, () => this.#end(call, "failed"))
    else this.#after(call, fate.setup_s, () => this.#ring(call))
    await this.#tell(call, "initiated")
  }

  async #ring(call: CallRecord): Promise<void> {
    call.status = "ringing"
    this.#touch(call)
    const { outcome, ring_s } = call.fate
    const limit = call.asked.number("Timeout") ?? standardTimeoutSeconds
    if (ring_s > limit || outcome === "no-answer") this.#after(call, limit, () => this.#end(call, "no-answer"))
    else if (outcome === "completed") this.#after(call, ring_s, () => this.#answer(call))
    else this.#after(call, ring_s, () => this.#end(call, outcome))
    await this.#tell(call, "ringing")
  }

  async #answer(call: CallRecord): Promise<void> {
    call.status = "in-progress"
    call.answeredAt = this.#touch(call)
    this.#options.watch(call, "answered")
    const limit = call.asked.number("TimeLimit") ?? standardTimeLimitSeconds
    this.#after(call, Math.min(call.fate.talk_s, limit), () => this.#end(call, "completed"))
    await this.#tell(call, "answered")
    if (isOver(call)) return
    if (call.asked.is("Record")) await this.#record(call)
    const mode = call.asked.text("MachineDetection")
    const detects = mode !== null && call.asked.text("SendDigits") === null
    const inBackground = call.asked.is("AsyncAmd")
    if (detects) this.#detect(call, mode, inBackground)
    if (!(detects && !inBackground)) await this.#run(call, call.asked.text("Url"))
  }

  /** In the foreground the call's instructions wait for what is found: https://www.twilio.com/docs/voice/answering-machine-detection. */
  #detect(call: CallRecord, mode: string, inBackground: boolean): void {
    const limit = call.asked.number("MachineDetectionTimeout") ?? standardDetectionSeconds
    const { answered_by, detection_s } = call.fate
    this.#after(call, Math.min(detection_s, limit), async () => {
      call.answeredBy = detection_s > limit ? "unknown" : heard(mode, answered_by)
      call.detectionMs = Math.min(detection_s, limit) * 1000
      this.#touch(call)
      const url = call.asked.text("AsyncAmdStatusCallback")
      if (!inBackground) return this.#run(call, call.asked.text("Url"))
      if (url === null) return
      const method = methodOf(call.asked, "AsyncAmdStatusCallbackMethod")
      const parameters = detectionParameters(this.#options.accountSid, call)
      await this.#options.callbacks.notify({ on: "amd", call, url, method, parameters })
    })
  }

  async #record(call: CallRecord): Promise<void> {
    const recording = beginRecording(this.#options.seed, this.recordings.size, call, this.#options.clock.now())
    this.recordings.set(recording.sid, recording)
    call.recording = recording
    await this.#tellOfRecording(call, recording)
  }

  /** Does what the host wants. Where its document cannot be had or read, the call ends: https://www.twilio.com/docs/api/errors/11200 and /12100. */
  async #run(call: CallRecord, url: string | null, method = methodOf(call.asked, "Method")): Promise<void> {
    const { journal } = this.#options
    const text = url === null ? call.asked.text("Twiml") : await this.#fetchTwiml(call, url, method)
    if (isOver(call)) return
    const reading = text === null ? null : readTwiml(text)
    if (reading?._tag === "Read") {
      call.twiml = reading.twiml
      for (const warning of reading.warnings) journal.warn(12200, call.sid, warning)
      return this.#streams.follow(call, reading.twiml, url)
    }
    if (reading !== null) journal.warn(12100, call.sid, reading.why)
    await this.#end(call, "completed")
  }

  async #fetchTwiml(call: CallRecord, url: string, method: "GET" | "POST"): Promise<string | null> {
    const { accountSid, callbacks } = this.#options
    const parameters = voiceParameters(accountSid, call, "in-progress")
    const first = await callbacks.ask({ on: "twiml", call, url, method, parameters })
    const fallback = call.asked.text("FallbackUrl")
    if (first !== null || fallback === null) return this.#textOf(call, first)
    const fallbackMethod = methodOf(call.asked, "FallbackMethod")
    const second = await callbacks.ask({ on: "twiml", call, url: fallback, method: fallbackMethod, parameters })
    return this.#textOf(call, second)
  }

  /** https://www.twilio.com/docs/api/errors/12300: what is not sent as XML is not read. */
  #textOf(call: CallRecord, answer: Answer | null): string | null {
    if (answer === null || isXmlType(answer.type)) return answer?.text ?? null
    this.#options.journal.warn(12300, call.sid, `Content-Type ${answer.type}`)
    return null
  }

  /** Ends a call after the answer to the request that asked for it. */
  #endLater(call: CallRecord, status: FinalStatus): void {
    this.#stopPlans(call)
    this.#settle(call, status)
    this.#plan(call, this.#options.clock.now(), () => this.#tellOfEnd(call))
  }

  async #end(call: CallRecord, status: FinalStatus): Promise<void> {
    if (isOver(call)) return
    this.#stopPlans(call)
    this.#settle(call, status)
    await this.#tellOfEnd(call)
  }

  #settle(call: CallRecord, status: FinalStatus): void {
    const now = this.#touch(call)
    call.status = status
    call.endedAt = now
    this.#options.watch(call, "ended")
    if (call.recording !== null) stopRecording(call.recording, call, now)
  }

  async #tellOfEnd(call: CallRecord): Promise<void> {
    const { fate, recording } = call
    await this.#streams.stopAtEnd(call, "before the end")
    if (call.answeredAt !== null) {
      this.#after(call, fate.priced_after_s, async () => {
        call.price = priceOf(fate, secondsOf(call, this.#options.clock.now()))
        this.#touch(call)
      })
    }
    if (recording !== null) {
      this.#after(call, fate.recorded_after_s, () => {
        finishRecording(recording, fate.recording, this.#options.clock.now())
        return this.#tellOfRecording(call, recording)
      })
    }
    await this.#tell(call, "completed")
    await this.#streams.stopAtEnd(call, "after the end")
  }

  async #tell(call: CallRecord, event: ProgressEvent): Promise<void> {
    const { accountSid, callbacks, clock } = this.#options
    const number = call.sequence++
    const url = call.asked.text("StatusCallback")
    const events = wordsOf(call.asked, "StatusCallbackEvent", progressEvents, false)
    // Nothing asked for is `completed`; wrong words asked for are nothing.
    const isWanted =
      events.given === 0 ? event === "completed" : events.wrong.length === 0 && events.words.includes(event)
    if (url === null || !isWanted) return
    const recordingUrl = call.recording === null ? null : this.#recordingUrl(call.recording)
    const parameters = statusParameters(accountSid, call, event, number, clock.now(), recordingUrl)
    const method = methodOf(call.asked, "StatusCallbackMethod")
    await callbacks.notify({ on: `status:${event}`, call, url, method, parameters })
  }

  async #tellOfRecording(call: CallRecord, recording: RecordingRecord): Promise<void> {
    const url = call.asked.text("RecordingStatusCallback")
    const events = wordsOf(call.asked, "RecordingStatusCallbackEvent", recordingEvents, true)
    const wanted: ReadonlyArray<string> = events.given === 0 ? ["completed"] : events.words
    if (url === null || !wanted.includes(recording.status)) return
    const parameters = recordingParameters(this.#options.accountSid, recording, this.#recordingUrl(recording))
    const method = methodOf(call.asked, "RecordingStatusCallbackMethod")
    await this.#options.callbacks.notify({ on: `recording:${recording.status}`, call, url, method, parameters })
  }

  #recordingUrl({ sid }: RecordingRecord): string {
    return `${this.#options.url()}/2010-04-01/Accounts/${this.#options.accountSid}/Recordings/${sid}`
  }
}

interface NewCall {
  readonly to: string
  readonly from: string
  readonly asked: Asked
  readonly fate: Fate
  readonly now: number
  readonly dueAt: number
}

const newCall = (sid: string, { asked, dueAt, fate, from, now, to }: NewCall): CallRecord => ({
  sid,
  to,
  from,
  createdAt: now,
  dueAt,
  fate: wholeFate(fate),
  asked,
  status: "queued",
  updatedAt: now,
  dialledAt: null,
  answeredAt: null,
  endedAt: null,
  answeredBy: null,
  detectionMs: null,
  price: null,
  twiml: null,
  recording: null,
  stream: null,
  sequence: 0,
  planned: new Set(),
})
