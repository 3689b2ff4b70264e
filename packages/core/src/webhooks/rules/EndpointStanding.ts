import type { Delivery, DeliveryAttempt, DeliveryStatus } from "./Delivery.ts"
import type { ErrorClass } from "./ErrorClass.ts"

/** How long attempts took, in milliseconds: the least of them that so many of a hundred were not longer than. */
export interface AttemptTimes {
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
}

/** The attempt that began last, with what the ledger says of a failure. Times are epoch milliseconds. */
export interface LastAttempt {
  readonly at: number
  readonly http_status: number | null
  readonly error_class: ErrorClass | null
  readonly error_message: string | null
}

/** What deliveries say of the endpoint that they go to. */
export interface EndpointAttempts {
  /** The deliveries that were looked at. */
  readonly deliveries: number
  readonly attempts: number
  readonly failures: number
  /** Null where there was none. */
  readonly last_attempt: LastAttempt | null
  readonly times_ms: AttemptTimes | null
  /** When the first of those that are not over is looked at next; null where all are. */
  readonly next_attempt_at: number | null
}

const isFailure = ({ error_class }: DeliveryAttempt): boolean => error_class !== null

/** Of values in ascending order the least that so many of a hundred are not greater than. */
const percentile = (sorted: ReadonlyArray<number>, hundredths: number): number =>
  sorted[Math.max(0, Math.ceil((sorted.length * hundredths) / 100) - 1)] ?? 0

const timesOf = (attempts: ReadonlyArray<DeliveryAttempt>): AttemptTimes | null => {
  if (attempts.length === 0) return null
  const sorted = attempts.map(({ duration_ms }) => duration_ms).toSorted((a, b) => a - b)
  return {
    p50: percentile(sorted, 50),
    p90: percentile(sorted, 90),
    p99: percentile(sorted, 99),
    max: percentile(sorted, 100),
  }
}

const lastOf = (deliveries: ReadonlyArray<Delivery>): LastAttempt | null => {
  let last: LastAttempt | null = null
  for (const { attempts, error_message } of deliveries) {
    const attempt = attempts.at(-1)
    if (attempt === undefined || attempt.started_at <= (last?.at ?? -Infinity)) continue
    const { error_class, http_status, started_at } = attempt
    last = { at: started_at, http_status, error_class, error_message: error_class === null ? null : error_message }
  }
  return last
}

/** The earliest time of those that are not over; null where all are. */
export const nextAttemptOf = (deliveries: ReadonlyArray<Delivery>): number | null => {
  const times = deliveries.flatMap(({ due_at }) => due_at ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

/** Adds up what deliveries to one endpoint say of it. */
export const attemptsOf = (deliveries: ReadonlyArray<Delivery>): EndpointAttempts => {
  const attempts = deliveries.flatMap((delivery) => delivery.attempts)
  return {
    deliveries: deliveries.length,
    attempts: attempts.length,
    failures: attempts.filter(isFailure).length,
    last_attempt: lastOf(deliveries),
    times_ms: timesOf(attempts),
    next_attempt_at: nextAttemptOf(deliveries),
  }
}

/** How many deliveries stand how. */
export type DeliveryCounts = { readonly [status in DeliveryStatus]: number }

export const countsOf = (deliveries: ReadonlyArray<Delivery>): DeliveryCounts => {
  const count = (asked: DeliveryStatus) => deliveries.filter(({ status }) => status === asked).length
  return {
    pending: count("pending"),
    retrying: count("retrying"),
    delivered: count("delivered"),
    failed: count("failed"),
  }
}
