import type { Settings } from "./Settings.ts"

/** What Twilio calls back about. */
export type Topic = "status" | "amd" | "recording" | "stream"

/** Every character that a query could be written in two ways with is escaped, so that a signed address reads the same everywhere. */
const strictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** The address of a callback, as Twilio asks for it and signs it. The execution id lies in it: Twilio keeps nothing of ours with a call. */
export const callbackUrl = ({ publicUrl }: Settings, topic: Topic, executionId: string): string =>
  `${publicUrl}/${topic}?execution_id=${strictly(executionId)}`

/**
 * The same with Twilio's connection overrides: it tries again up to five times when it cannot connect, gets no answer or a 5xx. The fragment
 * is neither sent nor signed (www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides).
 */
export const insistentUrl = (settings: Settings, topic: Topic, executionId: string): string =>
  `${callbackUrl(settings, topic, executionId)}#rc=5&rp=ct,rt,5xx`
