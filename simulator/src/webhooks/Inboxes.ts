import type { ErrorClass } from "@carillon/core/domain"
import type { WebhookRequest } from "@carillon/core/ports"
import { Ring } from "../Ring.ts"

/** The domain of the simulator's own endpoints: `http://<name>.inbox.test/<anything>`. */
const inboxDomain = ".inbox.test"

/** The public-looking address that inboxes resolve to; nothing is ever sent there. */
export const inboxAddress = "93.184.216.34"

/** What can go wrong before an inbox answers. */
export const inboxErrors = [
  "dns_error",
  "connect_error",
  "tls_error",
  "timeout",
] as const satisfies ReadonlyArray<ErrorClass>

/** How an inbox answers; `statuses` are used in order, the last one from then on. */
export interface InboxBehaviour {
  readonly status?: number
  readonly statuses?: ReadonlyArray<number>
  readonly delay_ms?: number
  readonly error?: (typeof inboxErrors)[number]
}

/** A request as an inbox got it. `answered` is the status it gave, null while it has given none. */
export interface InboxRequest {
  readonly received_at: number
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  answered: number | null
}

interface Inbox {
  behaviour: InboxBehaviour
  taken: number
  received: Ring<InboxRequest>
}

/** What an inbox does with one request. */
export type InboxReaction =
  | { readonly error: (typeof inboxErrors)[number]; readonly delayMs: number }
  | { readonly status: number; readonly delayMs: number; readonly answer: () => void }

/** The name of the inbox that a host is, or null. */
export const inboxOf = (hostname: string): string | null =>
  hostname.endsWith(inboxDomain) && hostname.length > inboxDomain.length ? hostname.slice(0, -inboxDomain.length) : null

/** The endpoints of the simulated world, with everything they were sent. */
export class Inboxes {
  readonly #inboxes = new Map<string, Inbox>()
  readonly #retention: number
  readonly #listeners = new Set<(name: string, request: InboxRequest) => void>()

  constructor(retention: number) {
    this.#retention = retention
  }

  /** Calls back with every request that arrives. */
  onRequest(listener: (name: string, request: InboxRequest) => void): void {
    this.#listeners.add(listener)
  }

  configure(name: string, behaviour: InboxBehaviour): void {
    const inbox = this.#inbox(name)
    inbox.behaviour = behaviour
    inbox.taken = 0
  }

  /** Every inbox that was configured or was sent something. */
  get names(): ReadonlyArray<string> {
    return [...this.#inboxes.keys()]
  }

  /** What an inbox was sent, oldest first: all that is remembered, or only the latest so many. */
  received(name: string, latest = Infinity): ReadonlyArray<InboxRequest> {
    const ring = this.#inboxes.get(name.toLowerCase())?.received
    return ring?.after(Math.max(0, ring.appended - latest)) ?? []
  }

  empty(name: string): void {
    this.#inboxes.get(name.toLowerCase())?.received.clear()
  }

  /** Takes a request. One that the network loses does not arrive. */
  take(name: string, { body, destination, headers, method }: WebhookRequest, now: number): InboxReaction {
    const inbox = this.#inbox(name)
    const { delay_ms: delayMs = 0, error, status = 200, statuses = [status] } = inbox.behaviour
    if (error !== undefined && error !== "timeout") return { error, delayMs }
    const request: InboxRequest = {
      received_at: now,
      method,
      path: destination.target,
      headers: Object.fromEntries(headers),
      body,
      answered: null,
    }
    inbox.received.append(request)
    for (const listener of this.#listeners) listener(name, request)
    if (error !== undefined) return { error, delayMs }
    const answered = statuses[Math.min(inbox.taken++, statuses.length - 1)] ?? status
    return {
      status: answered,
      delayMs,
      answer: () => {
        request.answered = answered
      },
    }
  }

  /** The inbox of a name, which is part of a host: upper and lower case are the same there. */
  #inbox(written: string): Inbox {
    const name = written.toLowerCase()
    let inbox = this.#inboxes.get(name)
    if (inbox === undefined) {
      inbox = { behaviour: {}, taken: 0, received: new Ring(this.#retention) }
      this.#inboxes.set(name, inbox)
    }
    return inbox
  }
}
