import { limits } from "@carillon/core"
import type { Script } from "./Outcome.ts"

/** A draw in [0, 1) that names its purpose; number and attempt are already in it. */
export type Draw = (purpose: string) => number

/** Times that a script leaves out are drawn from these, in milliseconds (simulator control contract, "Telephony"). */
export const drawnMs = {
  legReport: [200, 600],
  ring: [2_000, 12_000],
  talk: [8_000, 90_000],
  /** How long it takes to tell a voicemail box from a person. */
  voicemail: [2_000, 5_000],
  processing: [500, 3_000],
  analysis: [200, 1_200],
  hangup: [100, 300],
} as const

/** A whole number of milliseconds out of a range. */
export const drawMs = ([from, to]: readonly [number, number], point: number): number =>
  from + Math.floor(point * (to - from + 1))

/** The far end rings this soon after the leg is reported, unless it is answered sooner. */
const ringingAfterMs = 100

/** How a leg that exists comes to its end. */
export type LegResult = "completed" | "busy" | "no-answer" | "voicemail" | "failed" | "error" | "call-disconnected"

/** The moments of one leg's life, in epoch milliseconds. What does not happen is null. */
export interface Timeline {
  readonly result: LegResult
  readonly initiated_at: number
  readonly ringing_at: number | null
  /** When somebody, or a machine, picks up. */
  readonly connected_at: number | null
  /** Whether the pick-up is reported: a machine that is told by its first words never was an answer. */
  readonly answered: boolean
  readonly lost_at: number | null
  readonly ended_at: number
  readonly final_at: number
  /** Only a conversation is analysed. */
  readonly analysis_at: number | null
}

const legResult = (script: Script): LegResult => {
  switch (script.result) {
    case "busy":
    case "no-answer":
    case "voicemail":
    case "failed":
    case "error":
    case "call-disconnected":
      return script.result
    default:
      return "completed"
  }
}

/** Whether the leg is reported as answered. A machine is told by its first words, unless the script lets it talk. */
const isAnswered = (result: LegResult, script: Script): boolean =>
  result === "completed" ||
  result === "call-disconnected" ||
  (script.talk_ms !== undefined && (result === "voicemail" || result === "failed" || result === "error"))

/**
 * Lays out the life of a leg that the carrier takes at `placedAt`. The ring time counts from the leg's first report, so that
 * report, ring, talk and processing add up to the whole.
 */
export const layOut = (
  script: Script,
  placedAt: number,
  timeoutSeconds: number,
  /** Whether the acknowledgement of the dial arrives. */
  heard: boolean,
  draw: Draw,
): Timeline => {
  const wanted = legResult(script)
  // Whoever waits for a lost acknowledgement gives up first: the leg then reports by itself.
  const acknowledgement = heard ? (script.ack_delay_ms ?? 0) : limits.dialAcknowledgementMs
  const legReport = script.leg_report_ms ?? acknowledgement + drawMs(drawnMs.legReport, draw("leg-report"))
  const initiated_at = placedAt + legReport
  const ring = script.ring_ms ?? drawMs(drawnMs.ring, draw("ring"))
  const processing = script.processing_ms ?? drawMs(drawnMs.processing, draw("processing"))
  const timeout = timeoutSeconds * 1000
  const result = ring > timeout ? "no-answer" : wanted
  const ringing_at =
    result === "busy" || result === "failed" ? null : initiated_at + Math.min(ringingAfterMs, Math.floor(ring / 2))
  const picked_up = initiated_at + Math.min(ring, timeout)
  const answered = isAnswered(result, script)
  const connected = answered || result === "voicemail"
  const spoken = answered ? drawnMs.talk : drawnMs.voicemail
  const talk = connected ? (script.talk_ms ?? drawMs(spoken, draw("talk"))) : 0
  const ended_at = picked_up + talk
  const final_at = ended_at + processing
  return {
    result,
    initiated_at,
    ringing_at,
    connected_at: connected ? picked_up : null,
    answered,
    lost_at: script.state_lost === true && answered ? picked_up + Math.floor(talk / 2) : null,
    ended_at,
    final_at,
    analysis_at:
      !answered || result === "voicemail"
        ? null
        : script.analysis_ms === undefined
          ? final_at + drawMs(drawnMs.analysis, draw("analysis"))
          : ended_at + script.analysis_ms,
  }
}
