import { type DialCommand, type LegEnd, limits } from "@carillon/core"
import type { TerminalCallStatus } from "@carillon/core/domain"
import { createHash } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { CarrierLook, Dial, DialAnswer, Expectations, FindAnswer, Gap, LegRecord, Report } from "./Protocol.ts"

/** How long legs last (milliseconds), and how often a dial is swallowed. */
export interface Pace {
  readonly ringMs: readonly [least: number, most: number]
  readonly talkMs: readonly [least: number, most: number]
  /** Of so many dials one gets no answer and no leg; 0: none. */
  readonly swallowsOneIn: number
  /** How long after the end of a leg its final report comes; at once where left out. */
  readonly finalMs?: readonly [least: number, most: number]
}

interface Leg extends LegRecord {
  phase: "initiated" | "ringing" | "answered"
  end: LegEnd | null
  ended_at: number | null
  final_at: number | null
  readonly lines: ReadonlyArray<string>
  readonly hangup: AbortController
}

/** Stretches without full use that are too short to be of interest. */
const shownGapMs = 100
const violationsMax = 200
const retryReportMs = 50
/** Engines count from a moment before the dial came here. */
const slackMs = 1_000

const facts = { recording_url: null, cost: null, media: null }

/** A figure from 0 to 1 that is the same for the same words. */
const drawn = (...words: ReadonlyArray<string | number>): number =>
  createHash("sha256").update(words.join("\0")).digest().readUInt32BE(0) / 0x1_0000_0000

/** How an attempt ends: most are answered; the rest makes retries and follow-ups. */
const endOf = (draw: number): TerminalCallStatus =>
  draw < 0.7 ? "completed" : draw < 0.8 ? "no-answer" : draw < 0.9 ? "busy" : "failed"

/**
 * The carrier, which knows nothing of the engine and sees what really happens: every dial, every live leg. It is the judge of double
 * dials, of legs above a ceiling, of redialled unknown outcomes, and of how fully the lines are used.
 */
export class Carrier {
  readonly #pace: Pace
  readonly #send: (report: Report) => Promise<boolean>
  readonly #legs = new Map<string, Leg>()
  readonly #live = new Set<Leg>()
  /** Live legs by ceiling. */
  readonly #lines = new Map<string, number>()
  /** The execution of each attempt on a contact. */
  readonly #attempts = new Map<string, string>()
  readonly #dialsOfContact = new Map<string, number>()
  readonly #swallowedContacts = new Set<string>()
  /** Swallowed dials of which the engines do not know yet that there is no leg: lines that nobody can use. */
  readonly #inDoubt = new Set<string>()
  /** Those of them that were asked about while they might have been on their way. */
  readonly #askedSoon = new Set<string>()
  readonly #violations: Array<string> = []
  readonly #gaps: Array<{ from: number; to: number | null }> = []
  #expected: Expectations = { ceilings: {}, campaigns: {}, lines: Infinity }
  #dials = 0
  #questions = 0
  #liveMs = 0
  #measuredAt = Date.now()
  #doubleDials = 0
  #peak = 0
  #swallowed = 0

  constructor(pace: Pace, send: (report: Report) => Promise<boolean>) {
    this.#pace = pace
    this.#send = send
  }

  expect(expected: Expectations): void {
    this.#expected = expected
    this.#measure()
  }

  /** Takes a dial; null gives no answer, and no leg. */
  dial({ by, command }: Dial): DialAnswer | null {
    this.#dials += 1
    const known = this.#legs.get(command.execution_id)
    if (known !== undefined) {
      this.#doubleDials += 1
      this.#violation(`${command.execution_id} was dialled by ${known.by} and again by ${by}`)
      return known.swallowed ? null : { _tag: "Accepted", call_sid: sidOf(command.execution_id) }
    }
    this.#judgeDial(command, by)
    const swallows = this.#pace.swallowsOneIn > 0 && this.#dials % this.#pace.swallowsOneIn === 0
    const leg: Leg = {
      execution_id: command.execution_id,
      organization_id: command.organization_id,
      campaign_id: command.campaign_id,
      contact_id: command.contact_id,
      to_number: command.to_number,
      is_follow_up: command.is_follow_up,
      retry_count: command.retry_count,
      by,
      dialled_at: Date.now(),
      ended_at: null,
      final_at: null,
      swallowed: swallows,
      status: null,
      phase: "initiated",
      end: null,
      hangup: new AbortController(),
      lines: [
        "platform",
        `organization ${command.organization_id}`,
        `agent ${command.agent_id}`,
        ...(command.campaign_id === null ? [] : [`campaign ${command.campaign_id}`]),
      ],
    }
    this.#legs.set(command.execution_id, leg)
    if (swallows) {
      this.#swallowed += 1
      this.#inDoubt.add(command.execution_id)
      if (command.contact_id !== null) this.#swallowedContacts.add(command.contact_id)
      this.#measure()
      return null
    }
    this.#begin(leg)
    void this.#run(leg)
    return { _tag: "Accepted", call_sid: sidOf(command.execution_id) }
  }

  find(executionId: string): FindAnswer {
    this.#questions += 1
    const leg = this.#legs.get(executionId)
    if (leg === undefined || leg.swallowed) {
      if (leg === undefined || this.#isBelieved(leg)) this.#inDoubt.delete(executionId)
      this.#measure()
      return { _tag: "Unknown" }
    }
    const call_sid = sidOf(executionId)
    return leg.end === null
      ? { _tag: "Live", call_sid, phase: leg.phase }
      : { _tag: "Ended", call_sid, end: leg.end, facts }
  }

  hangup(executionId: string): "Sent" | "Refused" {
    const leg = this.#legs.get(executionId)
    if (leg === undefined) return "Refused"
    leg.hangup.abort()
    return "Sent"
  }

  look(): CarrierLook {
    this.#countLive()
    return {
      now: Date.now(),
      dials: this.#dials,
      questions: this.#questions,
      live: this.#live.size,
      liveMs: this.#liveMs,
      swallowed: this.#swallowed,
      peak: this.#peak,
      unreported: [...this.#legs.values()].filter((leg) => !leg.swallowed && leg.final_at === null).length,
      violations: this.#violations,
      doubleDials: this.#doubleDials,
      liveIds: [...this.#live].map(({ execution_id }) => execution_id),
    }
  }

  /** Stretches without full use that ended after the moment. */
  gaps(since: number): ReadonlyArray<Gap> {
    return this.#gaps.filter(({ to }) => to === null || to >= since)
  }

  legs(): ReadonlyArray<LegRecord> {
    return [...this.#legs.values()].map((leg) => ({
      execution_id: leg.execution_id,
      organization_id: leg.organization_id,
      campaign_id: leg.campaign_id,
      contact_id: leg.contact_id,
      to_number: leg.to_number,
      is_follow_up: leg.is_follow_up,
      retry_count: leg.retry_count,
      by: leg.by,
      dialled_at: leg.dialled_at,
      ended_at: leg.ended_at,
      final_at: leg.final_at,
      swallowed: leg.swallowed,
      status: leg.end?.status ?? null,
    }))
  }

  /**
   * Whether an engine takes its word, now, that there was no such dial. One that has missed the answer asks soon, and believes it only once a dial
   * on its way would have come; where the process has died nobody asks before that.
   */
  #isBelieved(leg: Leg): boolean {
    const age = Date.now() - leg.dialled_at
    if (age < limits.questionDelayMs - slackMs) this.#askedSoon.add(leg.execution_id)
    const missedMs = this.#askedSoon.has(leg.execution_id) ? limits.dialAcknowledgementMs : 0
    return age >= missedMs + limits.questionDelayMs - slackMs
  }

  #judgeDial(command: DialCommand, by: string): void {
    const { campaign_id, contact_id, execution_id, is_follow_up, retry_count, to_number } = command
    if (contact_id === null) return
    const attempt = `${contact_id} ${is_follow_up ? "follow-up" : retry_count}`
    const other = this.#attempts.get(attempt)
    if (other !== undefined) {
      this.#doubleDials += 1
      this.#violation(`attempt ${attempt} was dialled as ${other}, and by ${by} again as ${execution_id}`)
    }
    this.#attempts.set(attempt, execution_id)
    if (this.#swallowedContacts.has(contact_id)) {
      this.#doubleDials += 1
      this.#violation(`S10: ${contact_id} was dialled by ${by} after a dial of unknown outcome`)
    }
    for (const leg of this.#live) {
      const isSameLane = leg.campaign_id === campaign_id && leg.to_number === to_number
      if (leg.contact_id === contact_id || isSameLane) {
        this.#violation(`S9: ${execution_id} was dialled by ${by} while ${leg.execution_id} to ${to_number} was live`)
      }
    }
    const dials = (this.#dialsOfContact.get(contact_id) ?? 0) + 1
    this.#dialsOfContact.set(contact_id, dials)
    const expected = this.#expected.campaigns[campaign_id ?? ""]
    if (expected === undefined) return
    if (expected.closed) this.#violation(`S9: ${execution_id} was dialled by ${by} outside the hours of ${campaign_id}`)
    if (dials > expected.attempts) this.#violation(`S9: ${contact_id} was dialled ${dials} times`)
  }

  #countLive(): void {
    const now = Date.now()
    this.#liveMs += this.#live.size * (now - this.#measuredAt)
    this.#measuredAt = now
  }

  #begin(leg: Leg): void {
    this.#countLive()
    this.#live.add(leg)
    this.#peak = Math.max(this.#peak, this.#live.size)
    for (const line of leg.lines) {
      const used = (this.#lines.get(line) ?? 0) + 1
      this.#lines.set(line, used)
      const ceiling = this.#expected.ceilings[line] ?? Infinity
      if (used > ceiling) this.#violation(`S1: ${used} live legs of ${ceiling} at ${line}`)
    }
    this.#measure()
  }

  #end(leg: Leg): void {
    leg.ended_at = Date.now()
    this.#countLive()
    this.#live.delete(leg)
    for (const line of leg.lines) this.#lines.set(line, (this.#lines.get(line) ?? 1) - 1)
    this.#measure()
  }

  /** Notes when the lines become fully used, and when they cease to be. */
  #measure(): void {
    const isFull = this.#live.size + this.#inDoubt.size >= this.#expected.lines
    const last = this.#gaps.at(-1)
    const now = Date.now()
    if (last === undefined || last.to !== null) {
      if (!isFull) this.#gaps.push({ from: now, to: null })
      return
    }
    if (!isFull) return
    if (now - last.from < shownGapMs) this.#gaps.pop()
    else last.to = now
  }

  async #run(leg: Leg): Promise<void> {
    const key = [leg.to_number, leg.retry_count, leg.is_follow_up ? 1 : 0]
    const within = ([least, most]: readonly [number, number], word: string) =>
      least + drawn(word, ...key) * (most - least)
    const status = endOf(drawn("end", ...key))
    const stopped = { signal: leg.hangup.signal }
    let told: Promise<unknown> = this.#tell(leg, { type: "initiated" })
    let isStopped = false
    try {
      await sleep(within(this.#pace.ringMs, "ring"), undefined, stopped)
      leg.phase = "ringing"
      if (status === "completed") {
        leg.phase = "answered"
        told = told.then(() => this.#tell(leg, { type: "answered" }))
      }
      await sleep(within(this.#pace.talkMs, "talk"), undefined, stopped)
    } catch {
      isStopped = true
    }
    const end: LegEnd = {
      status: isStopped ? "stopped" : status,
      duration_seconds: 1,
      answered_by_voicemail: false,
      hangup_by: null,
      hangup_reason: null,
      error: null,
    }
    leg.end = end
    this.#end(leg)
    await told
    if (this.#pace.finalMs !== undefined) await sleep(within(this.#pace.finalMs, "final"))
    await this.#tell(leg, { type: "final", end, facts })
    leg.final_at = Date.now()
  }

  /** Repeats a report until an engine has taken it. */
  async #tell(
    leg: Leg,
    what:
      | { readonly type: "initiated" | "answered" }
      | { readonly type: "final"; readonly end: LegEnd; readonly facts: typeof facts },
  ): Promise<void> {
    const { execution_id } = leg
    const report: Report = { execution_id, at: Date.now(), call_sid: sidOf(execution_id), ...what }
    while (!(await this.#send(report))) await sleep(retryReportMs)
  }

  #violation(text: string): void {
    if (this.#violations.length < violationsMax) this.#violations.push(`${new Date().toISOString()} ${text}`)
  }
}

const sidOf = (executionId: string): string => `leg-${executionId}`
