/** The times that a request is sent again at most, unless told. */
export const defaultRetries = 2

/** The longest that a client waits before it sends again, unless told: what the service asks for after too many requests. */
export const defaultLongestWaitMs = 60_000

/** How long one attempt may take, unless told: a dial waits five seconds for a line, an agent may take 45. */
export const defaultTimeoutMs = 60_000

/** How long an attempt may take that sends a form: the service reads files for up to 180 seconds. */
export const defaultFormTimeoutMs = 200_000

const firstWaitMs = 500
const longestBackoffMs = 8_000

/** The part of a wait that chance may take away, so that clients that failed together do not come back together. */
const jitter = 0.25

/** What came of an attempt. */
export interface Outcome {
  /** Null: no answer came, and nobody knows whether the service has done what it was asked. */
  readonly status: number | null
  /** What the answer's `Retry-After` says; null where it says nothing. */
  readonly retryAfterMs: number | null
}

/** What decides whether a request is sent again. */
export interface Attempt {
  /** Whether it does no harm to do it twice: it only reads, or carries an `Idempotency-Key` that the route honours. */
  readonly repeatable: boolean
  /** How often it was sent so far. */
  readonly sent: number
  readonly retries: number
  readonly longestWaitMs: number
  /** From 0 up to 1. */
  readonly chance: number
}

/** Answers that may be others soon, after which something may have been done all the same. */
const passing: ReadonlySet<number> = new Set([408, 502, 503, 504])

const backoffMs = ({ chance, sent }: Attempt): number =>
  Math.min(firstWaitMs * 2 ** (sent - 1), longestBackoffMs) * (1 - jitter * chance)

const maySend = ({ repeatable }: Attempt, { retryAfterMs, status }: Outcome): boolean => {
  // Nothing was done: the request came too early.
  if (status === 429 || (status === 409 && retryAfterMs !== null)) return true
  return repeatable && (status === null || passing.has(status))
}

/**
 * How long to wait before a request is sent again, in milliseconds; null: what came of it is final. Requests that may do harm twice are
 * sent again only where the answer says that nothing was done (429, and 409 with `Retry-After`). Never sooner than asked for; a longer
 * wait than allowed is none at all.
 */
export const waitMs = (attempt: Attempt, outcome: Outcome): number | null => {
  if (attempt.sent > attempt.retries || !maySend(attempt, outcome)) return null
  const wait = Math.max(outcome.retryAfterMs ?? 0, backoffMs(attempt))
  return wait > attempt.longestWaitMs ? null : wait
}

/** What a `Retry-After` says, in milliseconds from now: seconds, or a date (RFC 9110, 10.2.3). Null where it says nothing. */
export const readRetryAfter = (text: string | null | undefined, now: number): number | null => {
  if (text == null) return null
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

/** A key that nobody else has. */
export const mintIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

/**
 * The part of a path that cannot be what it is put in for: empty, it names the list; a dot or two lead elsewhere. Null where all can.
 */
export const unusableParam = (params: object | undefined): string | null =>
  Object.entries(params ?? {}).find(([, value]) => value === "" || value === "." || value === "..")?.[0] ?? null
