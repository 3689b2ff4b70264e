import type { Call } from "@carillon/core"
import { type CallMedia, isTerminal, type TurnTiming as DomainTurn } from "@carillon/core/domain"
import type { CallTiming, TimingSpread, TimingStage, TurnTiming } from "../Timing.ts"

/** The value below which so many percent of the sorted values lie, by nearest rank. */
const percentile = (sorted: ReadonlyArray<number>, percent: number): number =>
  sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0

const spreadOf = (values: ReadonlyArray<number | null>): TimingSpread | null => {
  const sorted = values.filter((value) => value !== null).toSorted((a, b) => a - b)
  if (sorted.length === 0) return null
  return {
    p50: percentile(sorted, 50),
    p90: percentile(sorted, 90),
    p95: percentile(sorted, 95),
    p99: percentile(sorted, 99),
    min: percentile(sorted, 0),
    max: percentile(sorted, 100),
    avg: Math.round(sorted.reduce((sum, value) => sum + value, 0) / sorted.length),
  }
}

const turnOf = (turn: DomainTurn, index: number): TurnTiming => {
  const missing: Array<TimingStage> = []
  if (turn.final_transcript_ms === null) missing.push("heard")
  if (turn.first_token_ms === null) missing.push("thought")
  if (turn.first_audio_ms === null) missing.push("spoke")
  const parts = [turn.final_transcript_ms, turn.first_token_ms, turn.first_audio_ms]
  return {
    turn: index + 1,
    heard: { final_transcript_ms: turn.final_transcript_ms },
    thought: { first_token_ms: turn.first_token_ms, last_token_ms: turn.last_token_ms },
    spoke: { first_audio_ms: turn.first_audio_ms, complete_ms: turn.complete_ms },
    round_trip_ms: missing.length === 0 ? parts.reduce<number>((sum, part) => sum + (part ?? 0), 0) : null,
    round_trip_missing: missing,
  }
}

/** How fast a call's conversation was, turn by turn (specification, "Timing"). */
export const toWireTiming = (
  call: Pick<Call, "execution_id" | "status">,
  media: Pick<CallMedia, "setup" | "turns"> | null,
): CallTiming => {
  const turns = (media?.turns ?? []).map(turnOf)
  const roundTrips = turns.map((turn) => turn.round_trip_ms)
  return {
    execution_id: call.execution_id,
    measured: turns.length > 0,
    not_measured_reason:
      turns.length > 0
        ? null
        : !isTerminal(call.status)
          ? "in_progress"
          : media === null || media.turns === null
            ? "never_recorded"
            : "no_turns_completed",
    setup: media?.setup ?? null,
    turns,
    summary: {
      turns: turns.length,
      turns_measured: roundTrips.filter((value) => value !== null).length,
      round_trip: spreadOf(roundTrips),
      heard: spreadOf(turns.map((turn) => turn.heard.final_transcript_ms)),
      thought: spreadOf(turns.map((turn) => turn.thought.first_token_ms)),
      spoke: spreadOf(turns.map((turn) => turn.spoke.first_audio_ms)),
    },
  }
}
