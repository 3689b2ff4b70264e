import {
  type DeliveryRefusal,
  type IncomingDelivery,
  type VerifierOptions,
  type WebhookEvent,
  webhookVerifier,
} from "./WebhookVerifier.ts"

/** Remembers which events were handled. One that outlives the process is the receiver's own to provide. */
export interface SeenEvents {
  /** Takes an event for handling; false where it was taken before. Must be atomic among all processes that receive. */
  readonly take: (eventId: string) => boolean | Promise<boolean>
  /** Gives an event back whose handling failed, so that the next attempt is let in. */
  readonly release: (eventId: string) => void | Promise<void>
}

/** Events that are remembered in memory by default: far more than four attempts in two minutes can bring. */
const defaultCapacity = 100_000

/** Remembers the last so many events in this process. */
export const seenInMemory = (capacity: number = defaultCapacity): SeenEvents => {
  const seen = new Set<string>()
  return {
    take: (eventId) => {
      if (seen.has(eventId)) return false
      seen.add(eventId)
      if (seen.size > capacity) {
        const [oldest] = seen
        if (oldest !== undefined) seen.delete(oldest)
      }
      return true
    },
    release: (eventId) => {
      seen.delete(eventId)
    },
  }
}

/** How deliveries are received. */
export interface ReceiverOptions extends VerifierOptions {
  /** Handles an event, once for all attempts that reach this memory. A rejection asks the service to try again. */
  readonly handle: (event: WebhookEvent) => void | Promise<void>
  /** Default: the last 100,000 events, in this process. */
  readonly seen?: SeenEvents
  /** Told why a delivery was refused: `stale` and `future` are clocks that differ, `mismatch` is another secret or another body. */
  readonly onRefused?: (reason: DeliveryRefusal) => void
  /** Told of an event whose handling failed. */
  readonly onError?: (error: unknown, event: WebhookEvent) => void
}

/**
 * What to answer: 204 handled or already known, 400 not a genuine delivery, 500 handling failed and the service shall try again.
 * `outcome` says which.
 */
export interface Received {
  readonly status: 204 | 400 | 500
  readonly outcome: "handled" | "duplicate" | "refused" | "failed"
}

/** Does what must not turn a failure into a crash. */
const quietly = async (work: () => unknown): Promise<void> => {
  try {
    await work()
  } catch {
    // Whoever is told, or should forget, has failed too; the service asks again all the same.
  }
}

/**
 * Makes a receiver of deliveries: verifies, drops what was handled before by its `event_id`, hands on the rest. An attempt that comes
 * while an earlier one is still being handled is answered as that one, so that nothing is acknowledged before it is handled. It never
 * throws. A test event is an event like any other, with `test: true`.
 */
export const webhookReceiver = (options: ReceiverOptions): ((delivery: IncomingDelivery) => Promise<Received>) => {
  const verify = webhookVerifier(options)
  const seen = options.seen ?? seenInMemory()
  const underWay = new Map<string, Promise<Received>>()

  const failed = async (error: unknown, event: WebhookEvent): Promise<Received> => {
    await quietly(() => options.onError?.(error, event))
    return { status: 500, outcome: "failed" }
  }

  const handled = async (event: WebhookEvent): Promise<Received> => {
    try {
      if (!(await seen.take(event.event_id))) return { status: 204, outcome: "duplicate" }
    } catch (error) {
      return failed(error, event)
    }
    try {
      await options.handle(event)
      return { status: 204, outcome: "handled" }
    } catch (error) {
      await quietly(() => seen.release(event.event_id))
      return failed(error, event)
    }
  }

  return async (delivery) => {
    const verified = verify(delivery)
    if (!verified.ok) {
      await quietly(() => options.onRefused?.(verified.reason))
      return { status: 400, outcome: "refused" }
    }
    const { event } = verified
    const earlier = underWay.get(event.event_id)
    if (earlier !== undefined) {
      const { outcome, status } = await earlier
      return { status, outcome: outcome === "handled" ? "duplicate" : outcome }
    }
    const handling = handled(event)
    underWay.set(event.event_id, handling)
    try {
      return await handling
    } finally {
      underWay.delete(event.event_id)
    }
  }
}
