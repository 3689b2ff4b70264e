import type { Finished, Job } from "@carillon/livekit/worker"

/** What is read of a message of a conversation, as `@livekit/agents` keeps it. */
export interface Said {
  readonly role: string
  readonly text: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** How far the callee's leg is, of its attribute `sip.callStatus`; null: it is not there yet, or about to go. */
export const phaseOf = (status: string | undefined): "ringing" | "answered" | null => {
  if (status === "ringing") return "ringing"
  return status === "active" || status === "automation" ? "answered" : null
}

/** Reasons with which a participant leaves whom somebody else took out of the room, or with it (LiveKit's `DisconnectReason`). */
const takenOut: ReadonlySet<number> = new Set([4, 5, 10])
const clientInitiated = 1

/** Who hung up, of the reason with which the callee left; null: nobody did, the connection broke. */
export const hangupOf = (reason: number | undefined): Finished["hangup_by"] => {
  if (reason === clientInitiated) return "customer"
  return reason !== undefined && takenOut.has(reason) ? "agent" : null
}

/** The conversation in the words of the API: from the answer on, each turn with its time. */
export const transcriptOf = (said: ReadonlyArray<Said>, answeredAt: number) =>
  said
    .filter(({ role, text }) => (role === "assistant" || role === "user") && text.trim() !== "")
    .map(({ at, role, text }) => ({
      role: role === "assistant" ? "agent" : "user",
      content: text,
      start_ms: Math.max(0, at - answeredAt),
      end_ms: null,
    }))

/** What a conversation of this length costs, in the organization's currency: put your own rates here. */
const perMinute = { llm: 0.01, transcriber: 0.006, synthesizer: 0.02, telephony: 0.014, network: 0, platform: 0 }

export const costOf = (milliseconds: number): NonNullable<Finished["cost"]> => {
  const minutes = milliseconds / 60_000
  const part = (rate: number) => Number((rate * minutes).toFixed(6))
  const { llm, network, platform, synthesizer, telephony, transcriber } = perMinute
  const breakdown = {
    llm: part(llm),
    network: part(network),
    platform: part(platform),
    synthesizer: part(synthesizer),
    telephony: part(telephony),
    transcriber: part(transcriber),
  }
  const total = Object.values(breakdown).reduce((sum, value) => sum + value, 0)
  return { total: Number(total.toFixed(6)), breakdown }
}

const textAt = (value: unknown, name: string): string | null => {
  if (typeof value !== "object" || value === null) return null
  const field: unknown = Reflect.get(value, name)
  return typeof field === "string" && field !== "" ? field : null
}

/** What the agent is told to be: the call's prompt, else its configuration's, with the call's variables beside it. */
export const instructionsOf = ({ configuration, prompt, variables }: Job): string => {
  const own = prompt ?? textAt(configuration, "prompt") ?? "You are a polite caller. Say why you call, and be brief."
  return `${own}\n\nWhat you know of this call: ${JSON.stringify(variables)}`
}
