/** Real time that a run on an engine of production may take on a busy machine, a hundred times what it takes on an idle one. */
export const durableLimitMs = 900_000

/**
 * What is judged on every engine of production in each run of the tests: where rows and counters matter most, and no case of which takes
 * long. `scripts/conformance-everywhere.ts` judges everything.
 */
export const durableFolders: ReadonlyArray<string> = [
  "calls/create/immediate",
  "calls/lifecycle",
  "calls/stop",
  "batches",
  "campaigns/read",
  "concurrency/gate",
  "rate/ceiling/calls.create",
  "webhooks/events",
  "faults",
  "idempotency",
  "audit",
]

/** What is judged in PGlite: it runs the statements of PostgreSQL, whose whole port suite it passes too, at three times the cost. */
export const embeddedFolders: ReadonlyArray<string> = ["calls/lifecycle/told", "campaigns/read", "webhooks/events"]
