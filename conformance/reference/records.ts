import { type Call, callOf, isTerminal } from "./calls.ts"
import { Refusal } from "./errors.ts"
import type { Context, Route } from "./route.ts"
import type { Turn } from "./script.ts"

/** What is kept of a conversation: transcript, recording, timing. */

const roles: Readonly<Record<string, string>> = {
  agent: "agent",
  assistant: "agent",
  bot: "agent",
  user: "user",
  customer: "user",
  human: "user",
  tool: "tool",
  system: "system",
}

interface Said {
  readonly role: string
  readonly content: string
}

/** A text is split where a line begins with a speaker; without any it is one turn of nobody known. */
const splitText = (source: string): Array<Said> => {
  const turns: Array<{ role: string; content: string }> = []
  for (const line of source.split(/\r?\n/)) {
    const [, speaker, content] = /^\s{0,20}(agent|assistant|bot|user|customer|human):\s?(.*)$/i.exec(line) ?? []
    const last = turns.at(-1)
    if (speaker !== undefined) turns.push({ role: speaker.toLowerCase(), content: content ?? "" })
    else if (last !== undefined) last.content += `\n${line}`
    else if (line.trim() !== "") turns.push({ role: "unknown", content: line })
  }
  return turns
}

export const turnsSaid = (call: Call): ReadonlyArray<Said> => {
  const { transcript } = call
  return typeof transcript === "string" ? splitText(transcript) : (transcript ?? [])
}

const transcript = ({ id, organization }: Context) => {
  const call = callOf(organization, id)
  const turns = turnsSaid(call).map(({ content, role }, index) => ({
    index,
    role: roles[role] ?? "unknown",
    content,
    start_ms: null,
    end_ms: null,
  }))
  const body = {
    execution_id: call.execution_id,
    format: "turns",
    transcript_status: turns.length > 0 ? "available" : "unavailable",
    turn_count: turns.length,
    turns,
    text: turns.map(({ content, role }) => `${role}: ${content}`).join("\n"),
  }
  return { status: 200, body }
}

const recording = ({ id, organization, query }: Context) => {
  const redirect = query.flag("redirect", false)
  const { execution_id, recording_url } = callOf(organization, id)
  if (recording_url === null) throw new Refusal(1200, "No recording is available for this execution.")
  if (redirect) return { status: 302, headers: { Location: recording_url } }
  return { status: 200, body: { execution_id, recording_url, content_type: "audio/wav", expires_at: null } }
}

const figures = (values: ReadonlyArray<number | null>) => {
  const sorted = values.filter((value) => value !== null).toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
  const sum = sorted.reduce((total, value) => total + value, 0)
  return {
    p50: at(0.5),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
    min: sorted[0] ?? null,
    max: sorted.at(-1) ?? null,
    avg: sorted.length === 0 ? null : sum / sorted.length,
  }
}

const measuredTurn = (turn: Turn, index: number) => {
  const {
    audio_end_ms = null,
    first_audio_ms = null,
    first_token_ms = null,
    heard_ms = null,
    last_token_ms = null,
  } = turn
  const whole = heard_ms === null || first_token_ms === null || first_audio_ms === null
  const stages = [
    ["heard", heard_ms],
    ["thought", first_token_ms],
    ["spoke", first_audio_ms],
  ] as const
  return {
    turn: index + 1,
    heard: { final_transcript_ms: heard_ms },
    thought: { first_token_ms, last_token_ms },
    spoke: { first_audio_ms, complete_ms: audio_end_ms },
    round_trip_ms: whole ? null : heard_ms + first_token_ms + first_audio_ms,
    round_trip_missing: stages.filter(([, value]) => value === null).map(([stage]) => stage),
  }
}

const whyNotMeasured = (call: Call): string => {
  if (!isTerminal(call.status)) return "in_progress"
  return call.answered_at === null ? "never_recorded" : "no_turns_completed"
}

const timing = ({ id, organization }: Context) => {
  const call = callOf(organization, id)
  const turns = call.turns.map(measuredTurn)
  const measured = turns.length > 0
  const body = {
    execution_id: call.execution_id,
    measured,
    not_measured_reason: measured ? null : whyNotMeasured(call),
    setup: measured
      ? {
          stream_connect_ms: 40,
          transcriber_connect_ms: 60,
          language_model_connect_ms: 80,
          synthesizer_connect_ms: 50,
          time_to_first_audio_ms: 400,
        }
      : null,
    turns,
    summary: {
      turns: turns.length,
      turns_measured: turns.filter(({ round_trip_ms }) => round_trip_ms !== null).length,
      round_trip: figures(turns.map(({ round_trip_ms }) => round_trip_ms)),
      heard: figures(turns.map(({ heard }) => heard.final_transcript_ms)),
      thought: figures(turns.map(({ thought }) => thought.first_token_ms)),
      spoke: figures(turns.map(({ spoke }) => spoke.first_audio_ms)),
    },
  }
  return { status: 200, body }
}

const base = "/v2/calls/{execution_id}"
const read = { method: "GET", bucket: "executions.list", scope: "calls:read" } as const

export const callRecords: ReadonlyArray<Route> = [
  { ...read, path: `${base}/transcript`, handle: transcript },
  { ...read, path: `${base}/recording`, handle: recording },
  { ...read, path: `${base}/timing`, handle: timing },
]
