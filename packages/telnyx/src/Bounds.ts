/** Every bound of the adapter, in one place. Units are in the names. */
export const bounds = {
  /** Legs that this process remembers by itself; what is older is known by the rows. */
  rememberedLegs: 10_000,
  /** Of an answer of Telnyx's API, and of a webhook, what is read. */
  answerBytes: 4 * 1024 * 1024,
  webhookBytes: 256 * 1024,
  /** Ring times that Telnyx takes (`timeout_secs` of its dial). */
  ringSecondsMin: 5,
  ringSecondsMax: 600,
  /** The longest call that Telnyx knows (`time_limit_secs`). */
  callSecondsMax: 14_400,
  /** How old a webhook may be, or how far ahead its clock, where the host does not say. */
  webhookAgeSeconds: 300,
  webhookAgeSecondsMax: 3_600,
  /** How long Telnyx's API has for any answer. The engine itself waits for a shorter time. */
  answerMs: 30_000,
  /** How long Telnyx's API has to answer what a webhook makes us ask. */
  webhookQuestionMs: 4_000,
  /** Calls of a page of lists, and pages that are read of one list. */
  pageSize: 250,
  /** What Telnyx lists on a page where it does not look at the size. */
  pageSizeDefault: 20,
  activePages: 40,
  eventPages: 4,
  /**
   * How long after a leg's end Telnyx is asked again how it ended; after that nobody can say. A webhook is sent again for a minute at the most
   * (`webhook_retries_policies`). The engine asks ever less often, so what is waited for is its first question after that (`Patience.test.ts`).
   */
  causeWaitMs: 90_000,
  /** What one voice may tell Telnyx, as JSON. */
  voiceCharacters: 32_000,
  /** What is done when the callee answers lies in the state of the call. */
  stateCharacters: 2_000,
  executionIdCharacters: 255,
} as const
