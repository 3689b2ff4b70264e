import type { StandInClock } from "../../../twilio/test/standin/Clock.ts"
import { type CallRecord, type End, phaseOf, type RecordingRecord, secondsOf, type Watch } from "./CallRecord.ts"
import { type Action, dialParameters } from "./Contract.ts"
import { apiError, ok, type Or, refusalError, refused } from "./Errors.ts"
import { costOf, type Fate, type Outcome, type Script, wholeFate } from "./Fate.ts"
import { controlIdOf, uuidOf } from "./Ids.ts"
import type { Journal } from "./Journal.ts"
import { type Asked, readParameters } from "./Parameters.ts"
import * as payloads from "./Payloads.ts"
import type { Webhooks } from "./Webhooks.ts"

export interface ExchangeOptions {
  readonly seed: string
  readonly clock: StandInClock
  readonly journal: Journal
  readonly webhooks: Webhooks
  readonly script: Script
  readonly connectionId: string
  readonly numbers: ReadonlyArray<string> | null
  readonly dialsPerSecond: number
  readonly costWebhooks: boolean
  /** Where a recording's sound is had, for ten minutes from then. */
  readonly mediaUrl: (recording: RecordingRecord, now: number) => string
  readonly watch: Watch
}

/** Calls that are kept; a test that needs more has lost its way. */
const mostCalls = 100_000
/** `timeout_secs` names no value of its own. */
const standardTimeoutSeconds = 30
/** `time_limit_secs`: "The default time limit is 14400 seconds or 4 hours". */
const standardTimeLimitSeconds = 14_400
/** https://developers.telnyx.com/docs/voice/programmable-voice/receiving-webhooks: a `command_id` is known for a minute. */
const commandKnownMs = 60_000
/** https://developers.telnyx.com/docs/voice/programmable-voice/dials-per-second-limit: five seconds are looked at together. */
const dialWindowMs = 5_000
/** What a sentence takes to be said. */
const speechSeconds = 2

/** How a leg ends by itself. The SIP code of a leg that nobody answers is that of a cancelled request (RFC 3261). */
const ends: Readonly<Record<Exclude<Outcome, "answered">, End>> = {
  busy: { cause: "user_busy", source: "callee", sip: "486" },
  rejected: { cause: "call_rejected", source: "callee", sip: "603" },
  no_answer: { cause: "timeout", source: "caller", sip: "487" },
  not_found: { cause: "not_found", source: "unknown", sip: "404" },
  failed: { cause: "unspecified", source: "unknown", sip: "503" },
}

const isNumber = (text: string): boolean => /^\+[1-9]\d{6,14}$/.test(text)
const isDestination = (text: string): boolean => isNumber(text) || /^sips?:[^\s]+$/.test(text)
const isUrl = (text: string, schemes: RegExp): boolean => URL.canParse(text) && schemes.test(new URL(text).protocol)

/** Places calls and lets the script's fate come over them. */
export class Exchange {
  readonly calls = new Map<string, CallRecord>()
  readonly recordings = new Map<string, RecordingRecord>()
  readonly #options: ExchangeOptions
  readonly #callsTo = new Map<string, number>()
  readonly #dials = new Map<string, { readonly at: number; readonly call: CallRecord }>()
  #dialTimes: Array<number> = []

  constructor(options: ExchangeOptions) {
    this.#options = options
  }

  /** Takes a dial, or refuses it. One whose `command_id` is known from the last minute is the call that there is. */
  dial(body: Readonly<Record<string, unknown>>): Or<CallRecord> {
    const { clock, connectionId, journal, numbers, script } = this.#options
    const reading = readParameters(dialParameters, body)
    if (!reading.ok) return reading
    const { asked, unknown } = reading.value
    if (unknown.length > 0) journal.warn(null, `unknown: ${unknown.join(", ")}`)
    const [to, from] = [asked.text("to") ?? "", asked.text("from") ?? ""]
    if (!isDestination(to)) return refused(10016, "to")
    if (!isNumber(from)) return refused(10016, "from")
    if (asked.text("connection_id") !== connectionId) return refused(10017, "connection_id")
    if (numbers !== null && !numbers.includes(from)) return refused(10010, "from")
    const wrongUrl = this.#wrongUrl(asked)
    if (wrongUrl !== null) return refused(10003, wrongUrl)
    const known = this.#known(asked)
    if (known !== null) return ok(known)
    const now = clock.now()
    this.#dialTimes = this.#dialTimes.filter((at) => at > now - dialWindowMs)
    if (this.#dialTimes.length >= (this.#options.dialsPerSecond * dialWindowMs) / 1000) return refused(90103)
    const nth = this.#callsTo.get(to) ?? 0
    const fate = script({ to, from, nth, asked })
    if ("refused" in fate) return { ok: false, error: refusalError(fate) }
    this.#dialTimes.push(now)
    this.#callsTo.set(to, nth + 1)
    return ok(this.#take(asked, to, from, fate))
  }

  /** A command on a call. One that was sent before under the same `command_id` is ignored; what is over takes none. */
  command(call: CallRecord, action: Action, asked: Asked): Or<object> {
    if (call.endedAt !== null) return { ok: false, error: apiError(90018) }
    const now = this.#options.clock.now()
    const id = asked.text("command_id")
    const before = id === null ? undefined : call.commands.get(id)
    if (before !== undefined && before > now - commandKnownMs) return ok({ result: "ok" })
    if (id !== null) call.commands.set(id, now)
    call.clientState = asked.text("client_state") ?? call.clientState
    return this.#act(call, action, asked)
  }

  /** The callee hangs up. */
  async hangUp(id: string): Promise<void> {
    const call = this.calls.get(id)
    if (call !== undefined && phaseOf(call) === "answered") {
      await this.#end(call, { cause: "normal_clearing", source: "callee", sip: "200" })
    }
  }

  /** Starts a call that was taken. Its first webhook is sent before its dial is answered, or right after. */
  async begin(call: CallRecord, isTold: boolean): Promise<void> {
    this.#planRinging(call)
    const tell = () => this.#tell(call, "call.initiated", payloads.initiated(call))
    if (isTold) await tell()
    else this.#later(0, tell)
  }

  mediaUrl(recording: RecordingRecord, now: number): string {
    return this.#options.mediaUrl(recording, now)
  }

  #wrongUrl(asked: Asked): string | null {
    const webhook = asked.text("webhook_url")
    if (webhook !== null && !isUrl(webhook, /^https?:$/)) return "webhook_url"
    const stream = asked.text("stream_url")
    return stream !== null && !isUrl(stream, /^wss?:$/) ? "stream_url" : null
  }

  #known(asked: Asked): CallRecord | null {
    const id = asked.text("command_id")
    const before = id === null ? undefined : this.#dials.get(id)
    return before !== undefined && before.at > this.#options.clock.now() - commandKnownMs ? before.call : null
  }

  #take(asked: Asked, to: string, from: string, fate: Fate): CallRecord {
    const { clock, seed } = this.#options
    const nth = this.calls.size
    if (nth >= mostCalls) throw new Error(`More than ${mostCalls} calls`)
    const call: CallRecord = {
      call_control_id: controlIdOf(seed, nth),
      call_leg_id: uuidOf(seed, "leg", nth),
      call_session_id: uuidOf(seed, "session", nth),
      connection_id: asked.text("connection_id") ?? "",
      to,
      from,
      createdAt: clock.now(),
      fate: wholeFate(fate),
      asked,
      clientState: asked.text("client_state"),
      answeredAt: null,
      endedAt: null,
      end: null,
      verdict: null,
      cost: null,
      recording: null,
      streamUrl: asked.text("stream_url"),
      commands: new Map(),
      planned: new Set(),
      events: [],
    }
    this.calls.set(call.call_control_id, call)
    this.#options.watch(call, "made")
    const id = asked.text("command_id")
    if (id !== null) this.#dials.set(id, { at: call.createdAt, call })
    return call
  }

  /** What becomes of a leg that rings. `retry_on_timeout: false` makes the end of the time a `no_answer`. */
  #planRinging(call: CallRecord): void {
    const { asked, fate } = call
    const limit = asked.number("timeout_secs") ?? standardTimeoutSeconds
    const isLate = fate.ring_s > limit || fate.outcome === "no_answer"
    if (isLate) {
      const cause = asked.is("retry_on_timeout") === false ? "no_answer" : "timeout"
      return this.#after(call, limit, () => this.#end(call, this.#ownEnd(call, { ...ends.no_answer, cause })))
    }
    const { outcome } = fate
    if (outcome === "answered") return this.#after(call, fate.ring_s, () => this.#answer(call))
    this.#after(call, fate.ring_s, () => this.#end(call, this.#ownEnd(call, ends[outcome])))
  }

  #ownEnd({ fate }: CallRecord, end: End): End {
    return {
      cause: fate.hangup_cause ?? end.cause,
      source: fate.hangup_source ?? end.source,
      sip: fate.sip_hangup_cause ?? end.sip,
    }
  }

  #plan(call: CallRecord, at: number, action: () => Promise<void>): void {
    const cancel = this.#options.clock.at(at, () => {
      call.planned.delete(cancel)
      return action()
    })
    call.planned.add(cancel)
  }

  #after(call: CallRecord, seconds: number, action: () => Promise<void>): void {
    this.#plan(call, this.#options.clock.now() + seconds * 1000, action)
  }

  /** Something that happens although the call ends before. */
  #later(seconds: number, action: () => Promise<void>): void {
    const { clock } = this.#options
    clock.at(clock.now() + seconds * 1000, action)
  }

  #tell(call: CallRecord, type: string, payload: object): Promise<void> {
    return this.#options.webhooks.tell(call, type, payload)
  }

  async #answer(call: CallRecord): Promise<void> {
    const { asked, fate } = call
    call.answeredAt = this.#options.clock.now()
    this.#options.watch(call, "answered")
    const limit = asked.number("time_limit_secs") ?? standardTimeLimitSeconds
    const byCallee: End = { cause: "normal_clearing", source: "callee", sip: "200" }
    const byLimit: End = { cause: "time_limit", source: "caller", sip: "200" }
    const end = fate.talk_s <= limit ? this.#ownEnd(call, byCallee) : byLimit
    this.#after(call, Math.min(fate.talk_s, limit), () => this.#end(call, end))
    await this.#tell(call, "call.answered", payloads.answered(call))
    if (call.endedAt !== null) return
    if (asked.text("record") !== null) {
      const format = asked.text("record_format") === "wav" ? "wav" : "mp3"
      this.#record(call, asked.text("record_channels") === "single" ? "single" : "dual", format, "OutboundAPI")
    }
    const mode = asked.text("answering_machine_detection") ?? "disabled"
    if (mode !== "disabled") this.#detect(call, mode)
    if (call.streamUrl !== null) await this.#tell(call, "streaming.started", payloads.streaming(call))
  }

  /** `answering_machine_detection`: each kind has its own events. Only a machine's greeting has an end. */
  #detect(call: CallRecord, mode: string): void {
    const isPremium = mode === "premium"
    const name = isPremium ? "call.machine.premium" : "call.machine"
    const { answered_by, beep, detection_s, greeting_s } = call.fate
    this.#after(call, detection_s, async () => {
      call.verdict = payloads.verdictOf(isPremium, answered_by)
      if (answered_by === "machine" && mode !== "detect") {
        const isTold = beep || (!isPremium && mode !== "detect_beep")
        const result = beep ? "beep_detected" : "ended"
        const tell = () => this.#tell(call, `${name}.greeting.ended`, payloads.machine(call, result))
        if (isTold) this.#after(call, greeting_s, tell)
      }
      await this.#tell(call, `${name}.detection.ended`, payloads.machine(call, call.verdict))
    })
  }

  #record(
    call: CallRecord,
    channels: "single" | "dual",
    format: "wav" | "mp3",
    initiatedBy: RecordingRecord["initiatedBy"],
  ): RecordingRecord {
    const id = uuidOf(this.#options.seed, "recording", this.recordings.size)
    const startedAt = this.#options.clock.now()
    const recording = { id, call, channels, format, initiatedBy, startedAt, endedAt: null, savedAt: null }
    this.recordings.set(id, recording)
    call.recording = recording
    return recording
  }

  #stopRecording(call: CallRecord): void {
    const { clock, mediaUrl } = this.#options
    const { recording } = call
    if (recording === null || recording.endedAt !== null) return
    recording.endedAt = clock.now()
    if (!call.fate.recorded) return
    this.#later(call.fate.recorded_after_s, async () => {
      recording.savedAt = clock.now()
      const url = mediaUrl(recording, clock.now())
      await this.#tell(call, "call.recording.saved", payloads.recordingSaved(recording, url))
    })
  }

  #act(call: CallRecord, action: Action, asked: Asked): Or<object> {
    const isAnswered = phaseOf(call) === "answered"
    switch (action) {
      case "hangup": {
        const end: End = isAnswered
          ? { cause: "normal_clearing", source: "caller", sip: "200" }
          : { cause: "originator_cancel", source: "caller", sip: "487" }
        this.#options.watch(call, "hung_up")
        this.#endLater(call, end)
        return ok({ result: "ok" })
      }
      case "answer":
        // There are no incoming calls here, and what was dialled cannot be answered by whoever dialled it.
        return refused(10015)
      case "record_start": {
        if (!isAnswered) return refused(10015)
        const format = asked.text("format") === "wav" ? "wav" : "mp3"
        this.#record(call, asked.text("channels") === "single" ? "single" : "dual", format, "StartCallRecordingAPI")
        return ok({ result: "ok" })
      }
      case "record_stop":
        this.#stopRecording(call)
        return ok({ result: "ok" })
      case "speak":
        if (!isAnswered) return refused(10015)
        this.#later(0, () => this.#tell(call, "call.speak.started", payloads.speaking(call)))
        this.#later(speechSeconds, () => this.#tell(call, "call.speak.ended", payloads.spoken(call)))
        return ok({ result: "ok" })
      case "streaming_start":
        if (!isAnswered || asked.text("stream_url") === null) return refused(10015, "stream_url")
        call.streamUrl = asked.text("stream_url")
        this.#later(0, () => this.#tell(call, "streaming.started", payloads.streaming(call)))
        return ok({ result: "ok" })
      case "streaming_stop":
        if (call.streamUrl === null) return refused(10015)
        this.#later(0, () => this.#tell(call, "streaming.stopped", payloads.streaming(call)))
        return ok({ result: "ok" })
      case "transfer":
        // The other leg is not made here: the call goes on as it was.
        return isAnswered ? ok({ result: "ok" }) : refused(10015)
    }
  }

  #stopPlans(call: CallRecord): void {
    for (const cancel of call.planned) cancel()
    call.planned.clear()
  }

  #settle(call: CallRecord, end: End): void {
    this.#stopPlans(call)
    call.endedAt = this.#options.clock.now()
    call.end = end
    this.#options.watch(call, "ended")
  }

  /** Ends a call after the answer to the command that asked for it. */
  #endLater(call: CallRecord, end: End): void {
    this.#settle(call, end)
    this.#later(0, () => this.#tellOfEnd(call, end))
  }

  async #end(call: CallRecord, end: End): Promise<void> {
    if (call.endedAt !== null) return
    this.#settle(call, end)
    await this.#tellOfEnd(call, end)
  }

  async #tellOfEnd(call: CallRecord, end: End): Promise<void> {
    this.#stopRecording(call)
    const cost = costOf(call.fate, secondsOf(call, call.endedAt ?? call.createdAt))
    if (call.answeredAt !== null && cost !== null) {
      this.#later(call.fate.costed_after_s, async () => {
        call.cost = cost
        if (this.#options.costWebhooks) await this.#tell(call, "call.cost", payloads.costReceived(call, cost))
      })
    }
    if (call.streamUrl !== null && call.answeredAt !== null) {
      await this.#tell(call, "streaming.stopped", payloads.streaming(call))
    }
    await this.#tell(call, "call.hangup", payloads.hangup(call, end))
  }
}
