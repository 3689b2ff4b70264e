/** Every bound of the adapter, in one place. Units are in the names. */
export const bounds = {
  /** Dials whose legs this process remembers by itself; what is older is known by the rows. */
  rememberedLegs: 10_000,
  /** Of a webhook and of a worker's report, what is read. A report carries a transcript. */
  webhookBytes: 256 * 1024,
  reportBytes: 4 * 1024 * 1024,
  /** What the worker is told of a call goes as a dispatch's metadata. */
  metadataBytes: 64 * 1024,
  executionIdCharacters: 255,
  /** How long LiveKit has to answer what does not wait for a callee. */
  requestSeconds: 5,
  /** What the request that waits for the answer may take beyond the ring time: the ring must end before the request does. */
  answerSlackSeconds: 10,
  /** How often a dial looks whether its callee's leg is there, in the machine's own time: soon at first, then at this distance. */
  dialLooks: 24,
  dialFirstLookMs: 10,
  dialLookMs: 250,
  /** How long a webhook of a leg's end waits for the SIP code that the same end has, in the machine's own time. */
  verdictMs: 250,
  /**
   * How long a process that did not dial a leg leaves its end to the one that did, which hears the SIP code; LiveKit sends a webhook again for
   * fifteen seconds.
   */
  codeMs: 10_000,
  /** How often it is looked whether a callee is alone, or has left the room that they were taken out of, and at what distance. */
  agentLooks: 3,
  agentLookMs: 2_000,
  /** A worker's report is taken for this long after it was signed, and once. */
  reportSeconds: 300,
  reportsRemembered: 50_000,
  /** From when on a room in which nobody is left is closed by LiveKit, and one into which nobody came. */
  roomDepartureSeconds: 60,
  roomEmptySeconds: 120,
} as const
