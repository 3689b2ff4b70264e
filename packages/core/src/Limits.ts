/** Every bound of the engine, in one place. Units are in the names. */
export const limits = {
  /** Times a step is decided anew when rows have changed meanwhile. */
  commitAttempts: 5,
  /** Times a commit whose answer was lost is sent again. */
  commitResends: 2,
  /** How long a direct dial waits for a line (specification, "Concurrency"). */
  directDialWaitMs: 5_000,
  directDialRetryAfterSeconds: 5,
  /** How long a scheduled call or a batch contact waits for a line. */
  queuedDialWaitMs: 15_000,
  /** A scheduled call that found no line is booked again this long after it gave up. */
  rescheduleMs: 60_000,
  /** How long a request waits for the carrier to take the dial. */
  dialAcknowledgementMs: 8_000,
  /** A reservation that was not committed by then is void. */
  reservationMs: 20_000,
  /** First question about a dial whose outcome is unknown, and the bounds of the back-off after it. */
  questionDelayMs: 30_000,
  questionBackoffMaxMs: 300_000,
  /** Questions to a carrier that gives no answer before the dial counts as lost. */
  ringGraceMs: 30_000,
  answeredSilenceMs: 600_000,
  /** How often slots are compared with the rows. */
  reconcileMs: 15_000,
  reconcilePage: 500,
  /** Resolved ceilings, keys and subscriptions are cached per process. */
  cacheMs: 60_000,
  /** A cached key is served this long while the key store is away. */
  staleKeyMs: 3_600_000,
  cachedKeys: 50_000,
  cachedOrganizations: 50_000,
  /** Rate counters kept in memory before idle ones are dropped. */
  rateCounters: 100_000,
  /** The real-time driver looks at least and at most this often, so that what another process sets is seen. */
  driverMinPauseMs: 5,
  driverMaxPauseMs: 250,
  wakeupLeaseMs: 60_000,
  wakeupBatch: 64,
  /** A failed wake-up is tried again after this long. */
  wakeupRetryMs: 5_000,
  /** Times that a process tries to set it before it leaves it to the claim's lease. */
  wakeupRetries: 60,
  refusedReports: 8,
  scheduleMinMs: 120_000,
  scheduleMaxMs: 30 * 24 * 3_600_000,
  ringTimeoutSeconds: { default: 30, min: 5, max: 120 },
  page: { default: 1, min: 1, max: 10_000 },
  pageSize: { default: 20, min: 1, max: 100 },
  /** Request bodies without contacts. */
  bodyBytes: 1024 * 1024,
  jsonDepth: 64,
  /** Uploads into knowledge bases (specification, "Other constants"). */
  knowledgeFiles: 10,
  knowledgeFileBytes: 25 * 1024 * 1024,
  knowledgeUploadBytes: 50 * 1024 * 1024,
  /** What the form may have beside the bytes of its files. */
  knowledgeFormBytes: 1024 * 1024,
  knowledgeUploadMs: 180_000,
  /** An upload's place that was not given back is free again after this long. */
  knowledgePlaceMs: 240_000,
  knowledgeRetryAfterSeconds: 5,
  knowledgeChunkSize: { default: 512, min: 32, max: 8192 },
  knowledgeOverlapping: { default: 128, min: 0 },
  /** Chunks that one upload may make. */
  knowledgeChunks: 50_000,
  knowledgeQueryCharacters: 2000,
  knowledgeTopK: { default: 5, min: 1, max: 50 },
} as const
