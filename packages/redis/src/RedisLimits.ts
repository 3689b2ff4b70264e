/** Every bound of the adapter, in one place. Times are wall time: they guard sockets and collect garbage, and decide nothing else. */
export const redisLimits = {
  /** What takes longer counts as never answered. */
  answerMs: 100,
  /** So long may a host let an answer take at most. */
  answerMsMost: 60_000,
  connectMs: 1_000,
  /** How long the start waits for Redis before it goes on without. */
  startMs: 2_000,
  reconnectMinMs: 20,
  reconnectMaxMs: 500,
  /** While Redis does not answer it is probed this often; so many probes in vain make a new connection. */
  probeMs: 100,
  probesToReconnect: 10,
  /** A rebuild that failed is tried again after this long. */
  rebuildRetryMs: 250,
  /** Memberships that a rebuild enters at once. */
  rebuildBatch: 100,
  /** Memberships that are read at once, and how long what was read may be given out page by page. */
  membersRead: 1_000,
  membersReadMs: 1_000,
  /** All memberships are counted anew after this long for each of them: a thousand every five seconds, which takes a millisecond of the server. */
  recountMsEach: 5,
  /** What a gate of an older release has left goes once no process of it has told Redis the time for this long. */
  olderGateMs: 3_600_000,
  /** Redis forgets rate counters and rebuilds that nobody has used for this long. */
  rateGarbageMs: 24 * 3_600_000,
  rebuildGarbageMs: 3_600_000,
  /** Counters that are remembered as refusing. */
  denials: 50_000,
} as const
