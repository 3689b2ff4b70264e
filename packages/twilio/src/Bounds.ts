/** Every bound of the adapter, in one place. Units are in the names. */
export const bounds = {
  /** Dials whose legs this process remembers by itself; what is older is known by the rows. */
  rememberedLegs: 10_000,
  /** TwiML that Twilio takes with a dial (its API document, `Twiml`). */
  twimlCharacters: 4_000,
  /** A parameter of a `<Stream>` with its name: Twilio wants "under 500 characters". */
  parameterCharacters: 499,
  /** Of an answer of Twilio's API, and of a callback, what is read. */
  answerBytes: 4 * 1024 * 1024,
  callbackBytes: 64 * 1024,
  /** Parameters of a callback: Twilio sends some dozens, and whoever is not Twilio has them all sorted before that is known. */
  callbackParameters: 1_000,
  /** How long Twilio's API has for any answer. The engine itself waits for a shorter time. */
  answerMs: 30_000,
  /** How long Twilio's API has to answer what a callback makes us ask: Twilio itself waits 15 s for the answer to a callback. */
  callbackQuestionMs: 4_000,
  /** Times that a hang-up looks at the leg anew because it went on to another phase meanwhile. */
  hangupRounds: 3,
  /** Legs to one number that are looked at to find the one whose answer got lost. */
  candidates: 20,
  /** Twilio's clock may be behind ours. */
  clockSkewMs: 60_000,
  /** When the record of a leg's requests is complete: Twilio promises it 15 minutes after the end. */
  eventsReadyMs: 20 * 60_000,
  /** From when on a leg that ended is taken for nobody's, where its record cannot be read at all. */
  unprovableMs: 24 * 3_600_000,
  /** When Twilio is asked what a call cost, from its end; a final report waits for it within the host's `priceWaitSeconds`. */
  priceQuestionsMs: [2_000, 5_000, 10_000, 20_000] as ReadonlyArray<number>,
  /** The same once the final report is in, from then. */
  latePriceQuestionsMs: [60_000, 300_000, 900_000, 3_600_000, 6 * 3_600_000] as ReadonlyArray<number>,
  /** Ended calls whose price is asked for at once. */
  pricesWaitedFor: 10_000,
  /** Calls of a `settle` that are asked about: at once, and how many of a page are read. */
  settledTogether: 4,
  settledPage: 100,
  executionIdCharacters: 255,
} as const
