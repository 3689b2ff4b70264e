import type { CallMedia, TranscriptTurn as DomainTurn } from "@carillon/core"
import type { CallTranscript, TranscriptRole, TranscriptTurn } from "../Transcript.ts"

const roles: ReadonlyMap<string, TranscriptRole> = new Map<string, TranscriptRole>([
  ["agent", "agent"],
  ["assistant", "agent"],
  ["bot", "agent"],
  ["user", "user"],
  ["customer", "user"],
  ["human", "user"],
  ["tool", "tool"],
  ["system", "system"],
])

const roleOf = (speaker: string): TranscriptRole => roles.get(speaker.trim().toLowerCase()) ?? "unknown"

const speakerLabel = /^[ \t]*(agent|assistant|bot|user|customer|human)[ \t]*:[ \t]*/i

/** A text is split where a line opens with a speaker; lines without one go on with the turn before. */
const turnsOfText = (text: string): ReadonlyArray<DomainTurn> => {
  const turns: Array<{ role: string; lines: Array<string> }> = []
  for (const line of text.split(/\r?\n/)) {
    const label = speakerLabel.exec(line)
    const role = label?.[1]
    const last = turns.at(-1)
    if (label !== null && role !== undefined) turns.push({ role, lines: [line.slice(label[0].length)] })
    else if (last !== undefined) last.lines.push(line)
    else if (line.trim() !== "") turns.push({ role: "unknown", lines: [line] })
  }
  return turns.map(({ role, lines }) => ({ role, content: lines.join("\n").trim(), start_ms: null, end_ms: null }))
}

const line = ({ role, content }: TranscriptTurn): string => (role === "unknown" ? content : `${role}: ${content}`)

/** A call's transcript in one shape, whatever shape the carrier gave it; without one there are no turns. */
export const toWireTranscript = (executionId: string, media: Pick<CallMedia, "transcript"> | null): CallTranscript => {
  const source = media?.transcript ?? []
  const turns = (typeof source === "string" ? turnsOfText(source) : source).map((turn, index) => ({
    index,
    role: roleOf(turn.role),
    content: turn.content,
    start_ms: turn.start_ms,
    end_ms: turn.end_ms,
  }))
  return {
    execution_id: executionId,
    format: "turns",
    transcript_status: turns.length === 0 ? "unavailable" : "available",
    turn_count: turns.length,
    turns,
    text: turns.map(line).join("\n"),
  }
}
