/**
 * Keeps the suite under the request rate of the server under test, from the server's own headers. Limits are per
 * organization, so this matters where all cases share the one key of a run without fixtures.
 */
import type { Answer } from "./Answer.ts"
import { bucketOf, type Bucket } from "./Route.ts"

/** Requests that are left unused in a window, for whoever else shares the key. */
const reserve = 3

/** Longest pause for one request: the window and a second for rounding. */
const maxPauseSeconds = 61

/** What the last answer in a bucket said. */
interface Window {
  readonly remaining: number
  readonly resetAt: number
}

/** Remembers the rate headers by bucket and says how long the next request should wait. */
export class Pacing {
  readonly #windows = new Map<Bucket, Window>()

  /** Milliseconds to wait before a request, from what the server last said of its bucket. */
  pauseMs(method: string, path: string, now: number): number {
    const window = this.#windows.get(bucketOf(method, path))
    if (window === undefined || window.remaining > reserve) return 0
    return Math.min(Math.max(0, window.resetAt - now), maxPauseSeconds * 1_000)
  }

  /** Takes note of the headers of an answer. */
  observe(method: string, path: string, answer: Answer, now: number): void {
    const remaining = answer.integerHeader("x-ratelimit-remaining")
    const reset = answer.integerHeader("x-ratelimit-reset")
    if (Number.isNaN(remaining) || Number.isNaN(reset)) return
    this.#windows.set(bucketOf(method, path), { remaining, resetAt: now + reset * 1_000 })
  }
}

/** How long a refusal by the request rate asks to wait, in milliseconds; undefined for any other answer. */
export const refusalPauseMs = (answer: Answer): number | undefined => {
  if (answer.status !== 429 || !answer.message.startsWith("Rate limit exceeded")) return undefined
  const seconds = answer.integerHeader("retry-after")
  return Number.isNaN(seconds) ? undefined : Math.min(seconds, maxPauseSeconds) * 1_000
}
