import type { CallMedia, TranscriptTurn } from "./Call.ts"

/** Who speaks, in the words of the transcript route (decisions.md, "Calls"). */
export const transcriptRoles = ["agent", "user", "tool", "system", "unknown"] as const

export type TranscriptRole = (typeof transcriptRoles)[number]

/** A turn whose role is one of the known ones. */
export type NormalTurn = TranscriptTurn & { readonly role: TranscriptRole }

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
const turnsOfText = (text: string): ReadonlyArray<TranscriptTurn> => {
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

/** The turns of a conversation in one shape, whatever shape the carrier gave them. */
export const transcriptTurns = (transcript: CallMedia["transcript"]): ReadonlyArray<NormalTurn> =>
  (typeof transcript === "string" ? turnsOfText(transcript) : (transcript ?? [])).map((turn) => ({
    role: roleOf(turn.role),
    content: turn.content,
    start_ms: turn.start_ms,
    end_ms: turn.end_ms,
  }))

/** How much of a conversation is there, given its turns. */
export const transcriptStatus = (
  turns: ReadonlyArray<NormalTurn>,
  media: Pick<CallMedia, "truncated"> | null,
): "available" | "unavailable" | "truncated" =>
  turns.length === 0 ? "unavailable" : media?.truncated === true ? "truncated" : "available"
