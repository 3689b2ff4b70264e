import { type CallMedia, transcriptStatus, transcriptTurns } from "@carillon/core/domain"
import type { CallTranscript, TranscriptTurn } from "../Transcript.ts"

const line = ({ role, content }: TranscriptTurn): string => (role === "unknown" ? content : `${role}: ${content}`)

/** A call's transcript in one shape, whatever shape the carrier gave it; without one there are no turns. */
export const toWireTranscript = (
  executionId: string,
  media: Pick<CallMedia, "transcript" | "truncated"> | null,
): CallTranscript => {
  const spoken = transcriptTurns(media?.transcript ?? null)
  const turns = spoken.map((turn, index) => ({ index, ...turn }))
  return {
    execution_id: executionId,
    format: "turns",
    transcript_status: transcriptStatus(spoken, media),
    turn_count: turns.length,
    turns,
    text: turns.map(line).join("\n"),
  }
}
