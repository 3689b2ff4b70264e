import type { TwilioOptions } from "@carillon/twilio"

/** What your media endpoint heard, by call. */
export const transcripts = new Map<string, string>()

const perMinute = 0.12

export const facts: NonNullable<TwilioOptions["facts"]> = ({ duration_seconds, execution_id, price }) => {
  const telephony = price?.amount ?? 0
  const llm = ((duration_seconds ?? 0) / 60) * perMinute
  return {
    media: { transcript: transcripts.get(execution_id) ?? null, setup: null, turns: null },
    cost: {
      total: telephony + llm,
      breakdown: { telephony, llm, network: 0, platform: 0, synthesizer: 0, transcriber: 0 },
    },
  }
}
