import type { JsonObject } from "@carillon/core"
import type { CallCost, CostBreakdown, SetupTiming, TranscriptTurn, TurnTiming } from "@carillon/core/domain"
import type { Outcome, Sentiment } from "./Outcome.ts"
import type { Draw } from "./Timeline.ts"

/** A short exchange with a purpose; `agent` and `user` take turns, the agent first. */
interface Scene {
  readonly topic: string
  readonly turns: ReadonlyArray<readonly [agent: string, user: string]>
}

const scenes: ReadonlyArray<Scene> = [
  {
    topic: "an appointment",
    turns: [
      ["Hello, this is a call about your appointment. Is this a good moment?", "Yes, go ahead."],
      ["You are booked for Thursday at ten. Does that still suit you?", "Thursday is fine."],
      ["Would you like a reminder the day before?", "A text message would be good."],
      ["I have noted that. Is there anything else you would like to change?", "No, that is all."],
      ["The practice has moved to the second floor. Shall I send the directions?", "Please do."],
    ],
  },
  {
    topic: "a delivery",
    turns: [
      ["Good day, I am calling about the parcel that is on its way to you.", "Oh, I was waiting for that."],
      ["It can arrive tomorrow between two and four. Will someone be at home?", "I should be back by three."],
      ["Shall the driver leave it with a neighbour otherwise?", "With the one on the ground floor."],
      ["Does the driver need a code for the door?", "No, just ring twice."],
      ["May we send you the exact time in the morning?", "Yes, to this number."],
    ],
  },
  {
    topic: "a short survey",
    turns: [
      ["Hi, would you answer three questions about your last visit?", "If it is quick."],
      ["How satisfied were you, from one to ten?", "I would say eight."],
      ["What could have been better?", "The waiting time, really."],
      ["Would you recommend us to a friend?", "Probably, yes."],
      ["May we ask again after your next visit?", "That is all right."],
    ],
  },
]

const farewell = "Thank you for your time. Goodbye."

/** A turn of the agent or of the customer takes about this long. */
const turnMs = 3_500

/** A long call repeats itself; its transcript does not grow for ever. */
const maxTurns = 40

const sceneOf = (draw: Draw): Scene => scenes[Math.floor(draw("scene") * scenes.length)]!

/** What was said in `talkMs` of talk. A call that is cut off ends in the middle. */
export const transcriptOf = (talkMs: number, finished: boolean, draw: Draw): ReadonlyArray<TranscriptTurn> => {
  const scene = sceneOf(draw)
  const count = Math.max(1, Math.min(maxTurns, Math.floor(talkMs / turnMs)))
  const turns: Array<TranscriptTurn> = []
  for (let index = 0; index < count; index++) {
    const [agent, user] = scene.turns[Math.floor(index / 2) % scene.turns.length]!
    const last = index === count - 1
    turns.push({
      role: index % 2 === 0 ? "agent" : "user",
      content: index % 2 === 1 ? user : last && finished && index > 0 ? farewell : agent,
      start_ms: Math.floor((index * talkMs) / count),
      end_ms: Math.floor(((index + 0.8) * talkMs) / count),
    })
  }
  return turns
}

/** The same words as one string, as some carriers hand them over. */
export const transcriptText = (turns: ReadonlyArray<{ readonly role: string; readonly content: string }>): string =>
  turns.map(({ role, content }) => `${role}: ${content}`).join("\n")

const between = (from: number, to: number, point: number): number => Math.round(from + point * (to - from))

/** How fast the agent was, one entry for each of its replies. */
export const turnTimingsOf = (turns: number, draw: Draw): ReadonlyArray<TurnTiming> =>
  Array.from({ length: turns }, (_, index) => {
    const first_token_ms = between(180, 520, draw(`first-token-${index}`))
    const first_audio_ms = between(90, 260, draw(`first-audio-${index}`))
    return {
      final_transcript_ms: between(120, 420, draw(`heard-${index}`)),
      first_token_ms,
      last_token_ms: first_token_ms + between(150, 700, draw(`last-token-${index}`)),
      first_audio_ms,
      complete_ms: first_audio_ms + between(900, 3_200, draw(`spoken-${index}`)),
    }
  })

/** One-off connection costs before the conversation. */
export const setupOf = (draw: Draw): SetupTiming => ({
  stream_connect_ms: between(40, 140, draw("stream")),
  transcriber_connect_ms: between(60, 220, draw("transcriber")),
  language_model_connect_ms: between(80, 260, draw("language-model")),
  synthesizer_connect_ms: between(60, 240, draw("synthesizer")),
  time_to_first_audio_ms: between(350, 900, draw("first-audio")),
})

/** Price of a minute of talk, by part, in millionths. */
const microsPerMinute: CostBreakdown = {
  llm: 21_000,
  network: 1_500,
  platform: 30_000,
  synthesizer: 24_000,
  telephony: 14_000,
  transcriber: 8_600,
}

const parts = ["llm", "network", "platform", "synthesizer", "telephony", "transcriber"] as const

const rounded = (amount: number): number => Math.round(amount * 1e6) / 1e6

/** What a leg costs: by the minute of talk, or as the script says. */
export const costOf = (talkMs: number, scripted: Outcome["cost"]): Omit<CallCost, "currency"> => {
  const breakdown = { llm: 0, network: 0, platform: 0, synthesizer: 0, telephony: 0, transcriber: 0 }
  for (const part of parts) {
    breakdown[part] =
      scripted === undefined
        ? rounded((microsPerMinute[part] * talkMs) / 60_000 / 1e6)
        : (scripted.breakdown?.[part] ?? 0)
  }
  return { total: scripted?.total ?? rounded(parts.reduce((sum, part) => sum + breakdown[part], 0)), breakdown }
}

/** How the customer felt: mostly well. */
export const sentimentOf = (draw: Draw): Sentiment => {
  const point = draw("sentiment")
  return point < 0.55 ? "positive" : point < 0.85 ? "neutral" : "negative"
}

/** What the analysis makes of the conversation. */
export const summaryOf = (finished: boolean, draw: Draw): string =>
  `The agent called about ${sceneOf(draw).topic}. ` +
  (finished ? "The customer answered all questions." : "The call ended before everything was settled.")

const values = ["yes", "no", "later", "Thursday at ten", "not mentioned"] as const

/** Answers for what an agent's analysis configuration asks: one object for each entry, with its required keys. */
export const extractedOf = (analytics: JsonObject, draw: Draw): JsonObject | null => {
  const custom = analytics["custom"]
  if (!Array.isArray(custom)) return null
  const extracted: Array<readonly [string, JsonObject]> = []
  for (const entry of custom) {
    const name: unknown = entry?.name
    if (typeof name !== "string") continue
    const keys: ReadonlyArray<unknown> = Array.isArray(entry.required_keys) ? entry.required_keys : []
    const answers = keys.flatMap((key) =>
      typeof key === "string" ? [[key, values[Math.floor(draw(`${name}.${key}`) * values.length)]!] as const] : [],
    )
    extracted.push([name, Object.fromEntries(answers)])
  }
  return extracted.length === 0 ? null : Object.fromEntries(extracted)
}
