import type { Agent } from "./agents.ts"
import { type Call, type CallStatus, isTerminal, placed } from "./calls.ts"
import { guardOf } from "./agents.ts"
import type { Carrier, Dialled, Report } from "./carrier.ts"
import type { Clock, Timer } from "./clock.ts"
import type { Deliveries } from "./deliveries.ts"
import { conflict, Refusal } from "./errors.ts"
import { assigned } from "./experiments.ts"
import { isJson, isoOrNull } from "./fields.ts"
import { mint } from "./ids.ts"
import type { Line, Lines } from "./lines.ts"
import type { Organization } from "./organization.ts"
import { type Correction, eventId, payloadOf } from "./payload.ts"
import type { Answer, Context } from "./route.ts"
import { drawn } from "./script.ts"
import { defaultEvent, type EventType } from "./subscriptions.ts"
import { deferredTo } from "./windows.ts"

const secondMs = 1_000
const minuteMs = 60_000

/** A direct dial waits so long for a line. */
const patienceMs = 5 * secondMs

/** What is booked waits a little longer, and then comes again. */
const bookedPatienceMs = 15 * secondMs
const againAfterMs = minuteMs

/** An acknowledgement that has not come by then is not waited for. */
const acknowledgeMs = 8 * secondMs

/** A leg that nothing is heard of is asked about. */
const askAfterMs = 30 * secondMs

/** A call is told of as it is when something of it has not come by then. */
const deadlineMs = 10 * minuteMs

const correctedAfterMs = 5 * secondMs

const endings: Readonly<Record<string, { readonly status: CallStatus; readonly reason: string }>> = {
  completed: { status: "completed", reason: "user_hangup" },
  busy: { status: "busy", reason: "dial_busy" },
  "no-answer": { status: "no-answer", reason: "dial_no_answer" },
  voicemail: { status: "no-answer", reason: "voicemail_reached" },
  failed: { status: "failed", reason: "dial_failed" },
  invalid: { status: "failed", reason: "invalid_destination" },
  error: { status: "error", reason: "carrier_error" },
  "call-disconnected": { status: "call-disconnected", reason: "carrier_error" },
  "hung-up": { status: "stopped", reason: "user_request" },
}

const failureText = "The call could not be completed."

interface Parts {
  readonly clock: Clock
  readonly carrier: Carrier
  readonly deliveries: Deliveries
  readonly lines: () => Lines
  /** Told of a call that is over. */
  readonly ended: (organization: Organization, call: Call) => void
  readonly waits: (context: Context) => () => void
  readonly zoneOf: (organization: Organization, call: Call) => string
}

/** What a dial has come to. */
export type Dialling = "accepted" | "unconfirmed" | "unreachable" | "rejected" | "throttled"

/** Every move of a call, and what it raises. */
export class Lifecycle {
  readonly #parts: Parts
  readonly #booked = new WeakMap<Call, Timer>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Dials at once, or as soon as there is a line; the answer of `POST /v2/calls`. */
  async place(context: Context, call: Call): Promise<Answer> {
    const { organization } = context
    const { clock } = this.#parts
    if (!this.#canPay(organization, call)) {
      organization.calls.put(call.execution_id, call)
      Object.assign(call, { status: "balance-low", hangup_reason: "balance_low", ended_at: clock.now() })
      throw new Refusal(1400, "Insufficient credits to place this call.")
    }
    this.assign(organization, call, call.to_number)
    const lines = this.#parts.lines()
    const ask = { organization, agentId: call.agent_id, campaign: null }
    const line = lines.take(ask)
    if (line !== null) return this.#dialDirect(context, call, line)
    const done = this.#parts.waits(context)
    try {
      return await new Promise<Answer>((resolve, reject) => {
        lines.wait(
          ask,
          patienceMs,
          (freed) => void this.#dialDirect(context, call, freed).then(resolve, reject),
          () => reject(this.#noLine(context, call)),
        )
      })
    } finally {
      done()
    }
  }

  #noLine({ organization }: Context, call: Call): Refusal {
    const full = this.#parts.lines().full({ organization, agentId: call.agent_id, campaign: null })
    const how = full === null ? "; all lines are in use" : ` (${full.used} of ${full.max} lines in use)`
    return new Refusal(1300, `Account concurrency limit reached${how}.`, { headers: { "Retry-After": "5" } })
  }

  #canPay({ wallet }: Organization, call: Call): boolean {
    return wallet.balance > 0 && !this.#parts.carrier.isUnfunded(call.to_number)
  }

  /** An experiment may give the call to its challenger. */
  assign(organization: Organization, call: Call, who: string): void {
    const { agentId, variant, version } = assigned(organization, call.agent_id, who)
    call.agent_id = agentId
    call.ab_version_id = version
    call.ab_is_variant = variant
  }

  async #dialDirect(context: Context, call: Call, line: Line): Promise<Answer> {
    const { organization } = context
    const before = this.#parts.clock.now()
    const dialling = this.dial(organization, call, line)
    const delay = Math.min(acknowledgeMs, call.dialled?.script.ack_delay_ms ?? 0)
    switch (dialling.how) {
      case "accepted":
        await this.#until(context, before + delay)
        if (delay >= acknowledgeMs) break
        return { status: 201, body: { ...placed(call), status: "queued" } }
      case "unconfirmed":
        await this.#until(context, before + acknowledgeMs)
        break
      case "unreachable":
      case "rejected":
        this.#failed(organization, call)
        throw new Refusal(1501, "Telephony service is temporarily unavailable.")
      case "throttled": {
        this.#failed(organization, call)
        const seconds = Math.max(1, dialling.retryAfter)
        const headers = { "Retry-After": String(seconds) }
        throw new Refusal(1300, `The telephony service is busy. Retry in ${seconds}s.`, { headers })
      }
    }
    return { status: 202, body: { ...placed(call), status: "queued", dispatch: "pending_confirmation" } }
  }

  #until(context: Context, at: number): Promise<void> {
    const { clock, waits } = this.#parts
    if (at <= clock.now()) return Promise.resolve()
    const done = waits(context)
    return new Promise((resolve) => {
      clock.at(at, () => {
        done()
        resolve()
      })
    })
  }

  #failed(organization: Organization, call: Call): void {
    this.finish(organization, call, "error", "carrier_error", failureText)
  }

  /** Hands a call to the carrier; it holds the line from now on. */
  dial(organization: Organization, call: Call, line: Line): { readonly how: Dialling; readonly retryAfter: number } {
    const { carrier, clock } = this.#parts
    call.line = line
    call.status = "queued"
    organization.calls.put(call.execution_id, call)
    call.from_number ??= organization.numbers.find(() => true)?.phone_number ?? null
    const taken = carrier.dial({
      execution_id: call.execution_id,
      to_number: call.to_number,
      from_number: call.from_number,
      agent_id: call.agent_id,
      campaign_id: call.campaign_id,
      contact_index: call.contact?.index ?? null,
      attempt: call.retry_count,
      timeout_seconds: call.timeout_seconds,
      report: (report, dialled) => this.#report(organization, call, report, dialled),
    })
    if ("retryAfter" in taken) return { how: taken.taken, retryAfter: taken.retryAfter }
    call.dialled = taken.dialled
    if (taken.taken === "lost") {
      call.unconfirmed = true
      clock.after(askAfterMs, () => this.#lost(organization, call))
    }
    if (taken.dialled?.script.result === "silent") {
      clock.after(call.timeout_seconds * secondMs + askAfterMs, () => this.#ask(organization, call))
    }
    if (taken.dialled?.script.state_lost === true) clock.after(minuteMs / 3, () => this.#fold(organization, call))
    return { how: taken.taken === "accepted" ? "accepted" : "unconfirmed", retryAfter: 0 }
  }

  #lost(organization: Organization, call: Call): void {
    if (!isTerminal(call.status)) this.finish(organization, call, "error", "carrier_error", failureText)
  }

  /** The carrier says how a silent leg went. */
  #ask(organization: Organization, call: Call): void {
    const { dialled } = call
    if (dialled === null || isTerminal(call.status)) return
    if (!dialled.over) {
      this.#parts.clock.after(askAfterMs, () => this.#ask(organization, call))
      return
    }
    dialled.settled = true
    this.#report(organization, call, "ended", dialled)
    this.#report(organization, call, "settled", dialled)
  }

  /** Telephony state was lost: the record is folded into the one that survives. */
  #fold({ calls, folded }: Organization, call: Call): void {
    if (isTerminal(call.status)) return
    const old = call.execution_id
    calls.delete(old)
    call.execution_id = mint("exec")
    if (call.dialled !== null) call.dialled.leg.execution_id = call.execution_id
    calls.put(call.execution_id, call)
    folded.put(old, call.execution_id)
  }

  /** Ends a call that the carrier has no part in any more. */
  finish(organization: Organization, call: Call, status: CallStatus, reason: string, error: string | null): void {
    const now = this.#parts.clock.now()
    Object.assign(call, { status, hangup_reason: reason, error, ended_at: now, updated_at: now })
    this.#raise(organization, call, "call_completed")
    this.#raise(organization, call, defaultEvent)
    this.#free(call)
    this.#parts.ended(organization, call)
  }

  #free(call: Call): void {
    const { line } = call
    call.line = null
    if (line !== null) this.#parts.lines().release(line)
  }

  /** Books a call for the time at which it is scheduled. */
  book(organization: Organization, call: Call): void {
    const at = call.scheduled_at ?? this.#parts.clock.now()
    this.#booked.set(
      call,
      this.#parts.clock.at(at, () => this.#due(organization, call)),
    )
  }

  #due(organization: Organization, call: Call): void {
    if (call.status !== "scheduled" && call.status !== "rescheduled") return
    const agent = organization.agents.get(call.agent_id)
    if (agent?.status !== "ACTIVE") {
      this.finish(organization, call, "error", "carrier_error", "The agent is no longer active.")
      return
    }
    if (!this.#canPay(organization, call)) {
      this.finish(organization, call, "balance-low", "balance_low", null)
      return
    }
    const lines = this.#parts.lines()
    const ask = { organization, agentId: call.agent_id, campaign: null }
    const start = (line: Line) => {
      if (isTerminal(call.status)) return lines.release(line)
      this.assign(organization, call, call.to_number)
      const { how } = this.dial(organization, call, line)
      if (how === "unreachable" || how === "rejected" || how === "throttled") this.#failed(organization, call)
    }
    const line = lines.take(ask)
    if (line !== null) return start(line)
    lines.wait(ask, bookedPatienceMs, start, () => this.#again(organization, call, agent))
  }

  #again(organization: Organization, call: Call, agent: Agent): void {
    if (isTerminal(call.status)) return
    const wanted = this.#parts.clock.now() + againAfterMs
    const guard = guardOf(agent)
    call.status = "rescheduled"
    call.scheduled_at = guard === null ? wanted : (deferredTo(guard, wanted, call.execution_id) ?? wanted)
    call.updated_at = this.#parts.clock.now()
    this.book(organization, call)
  }

  /** The answer of `POST /v2/calls/{execution_id}/stop`. */
  stop(organization: Organization, call: Call, reason: string | null): Answer {
    const { carrier, clock } = this.#parts
    if (isTerminal(call.status)) throw conflict(`This call already ended (status=${call.status}).`)
    const now = clock.now()
    const { execution_id } = call
    if (call.status === "scheduled" || call.status === "rescheduled") {
      clock.cancel(this.#booked.get(call))
      Object.assign(call, { status: "canceled", ended_at: now, updated_at: now, hangup_reason: "user_request" })
      const scheduled_at = isoOrNull(call.scheduled_at)
      return { status: 200, body: { execution_id, status: "canceled", canceled_before_dial: true, scheduled_at } }
    }
    if (call.status === "queued" || call.dialled === null) {
      const headers = { "Retry-After": "2" }
      throw new Refusal(1201, "The call is still being placed. Retry in a moment.", { headers })
    }
    const { dialled } = call
    const report = (what: Report, leg: Dialled) => this.#report(organization, call, what, leg)
    if (dialled.script.hangup_refused === true) throw conflict("The provider refused the hangup.")
    Object.assign(call, { status: "stopped", hangup_reason: "user_request", ended_at: now, updated_at: now })
    this.#duration(call, now)
    carrier.hangup(dialled, report)
    this.#raise(organization, call, "call_completed")
    this.#parts.ended(organization, call)
    return {
      status: 202,
      body: { execution_id, status: "stopped", requested_at: clock.iso(), reason: reason ?? "user_request" },
    }
  }

  #duration(call: Call, end: number): void {
    call.duration_seconds = call.answered_at === null ? 0 : (end - call.answered_at) / secondMs
  }

  #report(organization: Organization, call: Call, report: Report, dialled: Dialled): void {
    const { clock } = this.#parts
    const { status } = call
    switch (report) {
      case "initiated":
        if (status === "queued") this.#move(call, "initiated")
        return
      case "ringing":
        if (status !== "queued" && status !== "initiated") return
        this.#move(call, "ringing")
        this.#raise(organization, call, "call_ringing")
        return
      case "answered":
        if (isTerminal(status) || status === "in-progress") return
        this.#move(call, "in-progress")
        call.answered_at = clock.now()
        this.#raise(organization, call, "call_started")
        return
      case "ended":
        if (!isTerminal(status)) this.#ended(organization, call, dialled)
        return
      case "settled":
        if (call.cost === null) this.#settled(organization, call, dialled)
        return
    }
  }

  #move(call: Call, status: CallStatus): void {
    call.status = status
    call.updated_at = this.#parts.clock.now()
  }

  #ended(organization: Organization, call: Call, { leg, result, script }: Dialled): void {
    const now = this.#parts.clock.now()
    const { reason, status } = endings[result] ?? { status: "error", reason: "carrier_error" }
    if (script.result === "silent") call.answered_at ??= leg.placed_at
    this.#move(call, status)
    call.ended_at = now
    call.hangup_by =
      call.answered_at === null ? null : (script.hangup_by ?? (status === "completed" ? "customer" : null))
    call.hangup_reason = call.hangup_by === "agent" ? "agent_hangup" : reason
    call.answered_by_voicemail = result === "voicemail"
    if (status === "failed" || status === "error") call.error = failureText
    this.#duration(call, leg.ended_at ?? now)
    this.#raise(organization, call, "call_completed")
    this.#parts.ended(organization, call)
  }

  /** The provider's last word: recording and cost. The line is free. */
  #settled(organization: Organization, call: Call, dialled: Dialled): void {
    const { clock } = this.#parts
    const { script } = dialled
    const now = clock.now()
    const seconds = call.duration_seconds ?? 0
    const total = script.cost?.total ?? (call.answered_at === null ? 0 : Math.ceil(seconds) / 100)
    call.cost = total
    call.breakdown = script.cost?.breakdown ?? { llm: total * 0.4, telephony: total * 0.6 }
    // To a millionth, so that no dust of binary fractions is left of a wallet that is spent.
    organization.wallet.balance = Math.round((organization.wallet.balance - total) * 1e6) / 1e6
    call.updated_at = now
    if (call.answered_at !== null && call.record && script.recording !== false) {
      call.recording_url = `https://recordings.example.com/${call.execution_id}.wav`
      this.#raise(organization, call, "recording_completed")
    }
    this.#converse(call, dialled)
    const endedAt = call.ended_at ?? now
    const analysisAt =
      endedAt + (script.processing_ms ?? drawn(`analysis ${call.to_number} ${call.retry_count}`, 500, 3_000))
    if (call.answered_at === null) this.#allDone(organization, call)
    else {
      clock.at(Math.max(now, analysisAt), () => this.#analyse(organization, call, dialled))
      clock.at(endedAt + deadlineMs, () => this.#allDone(organization, call))
    }
    this.#free(call)
  }

  #converse(call: Call, { script }: Dialled): void {
    if (call.answered_at === null) return
    const said = script.transcript ?? [
      { role: "agent", content: "Hello, this is an automated call." },
      { role: "user", content: "Hello." },
      { role: "agent", content: "Thank you, goodbye." },
    ]
    call.transcript =
      script.transcript_as_text === true ? said.map(({ content, role }) => `${role}: ${content}`).join("\n") : said
    const turn = { heard_ms: 300, first_token_ms: 350, last_token_ms: 700, first_audio_ms: 200, audio_end_ms: 1_500 }
    call.turns = script.turns ?? [turn, turn]
  }

  #analyse(organization: Organization, call: Call, { script }: Dialled): void {
    const late = call.raised.has(defaultEvent)
    const previous = { summary: call.summary, sentiment: call.sentiment, extracted_data: call.extracted_data }
    const analytics = organization.agents.get(call.agent_id)?.settings["analytics"]
    const custom: ReadonlyArray<unknown> =
      isJson(analytics) && Array.isArray(analytics["custom"]) ? analytics["custom"] : []
    call.analysed = true
    call.summary = "The callee was reached and the call ran to its end."
    call.sentiment = script.sentiment ?? "neutral"
    if (custom.length > 0) {
      const named = custom.filter(isJson)
      call.extracted_data = Object.fromEntries(named.map(({ name }) => [String(name), null]))
      call.custom_analytics = named.map(({ name, required_keys = [] }) => ({ name, required_keys }))
    }
    call.updated_at = this.#parts.clock.now()
    this.#raise(organization, call, "platform_analysis_completed")
    if (custom.length > 0) this.#raise(organization, call, "client_analysis_completed")
    if (late) this.#raise(organization, call, "call_corrected", { fields: Object.keys(previous), previous })
    this.#allDone(organization, call)
    if (script.corrected === true) this.#parts.clock.after(correctedAfterMs, () => this.#correct(organization, call))
  }

  #correct(organization: Organization, call: Call): void {
    const { duration_seconds } = call
    call.duration_seconds = (duration_seconds ?? 0) + 1
    call.updated_at = this.#parts.clock.now()
    this.#raise(organization, call, "call_corrected", { fields: ["duration_seconds"], previous: { duration_seconds } })
  }

  #allDone(organization: Organization, call: Call): void {
    this.#raise(organization, call, defaultEvent)
  }

  /** Raises an event once; a correction as often as there is one. */
  #raise(organization: Organization, call: Call, type: EventType, correction?: Correction): void {
    const nth = (call.raised.get(type) ?? 0) + 1
    if (nth > 1 && type !== "call_corrected") return
    call.raised.set(type, nth)
    const agent = organization.agents.get(call.agent_id)
    if (agent === undefined) return
    const { clock, deliveries, zoneOf } = this.#parts
    const about = { agent, type, nth, now: clock.now(), zone: zoneOf(organization, call) }
    const payload = payloadOf(organization, call, correction === undefined ? about : { ...about, correction })
    deliveries.route(organization, call, agent, type, eventId(call, type, nth), JSON.stringify(payload))
  }
}
