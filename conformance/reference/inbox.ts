import { isRefused, literalOf } from "./destinations.ts"
import { Table } from "./table.ts"

export const errorClasses = ["dns_error", "timeout", "connect_error", "tls_error", "http_error"] as const

export type ErrorClass = (typeof errorClasses)[number]

/** How an inbox answers. */
export interface Behaviour {
  readonly status?: number
  readonly statuses?: ReadonlyArray<number>
  readonly delay_ms?: number
  readonly error?: string
}

interface Received {
  readonly received_at: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  answered: number | null
}

interface Inbox {
  behaviour: Behaviour
  taken: number
  received: Array<Received>
}

/** One request to somebody's endpoint. */
export interface Outgoing {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How it went, and how long that took. */
export interface Sent {
  readonly status: number | null
  readonly error: ErrorClass | null
  readonly refused: boolean
  readonly afterMs: number
}

const maxInboxes = 20_000
const maxReceived = 10_000
const domain = ".inbox.test"
const inboxAddress = "93.184.216.34"

/** The network of this server: inboxes in memory, and a resolver that knows what it was told. Nothing leaves the process. */
export class Network {
  readonly #inboxes = new Table<Inbox>(maxInboxes)
  #records: Readonly<Record<string, ReadonlyArray<string>>> = {}
  #flips: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>> = {}
  readonly #asked = new Map<string, number>()

  setNames(records: typeof this.records, flips: typeof this.flips): void {
    this.#records = records
    this.#flips = flips
    this.#asked.clear()
  }

  get records(): Readonly<Record<string, ReadonlyArray<string>>> {
    return this.#records
  }

  get flips(): Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>> {
    return this.#flips
  }

  configure(name: string, behaviour: Behaviour): void {
    const inbox = this.#inbox(name)
    inbox.behaviour = behaviour
    inbox.taken = 0
  }

  received(name: string): ReadonlyArray<Received> {
    return this.#inboxes.get(name)?.received ?? []
  }

  empty(name: string): void {
    this.#inbox(name).received = []
  }

  /** Sends a request; the answer is known at once and is to be told after `afterMs`. */
  send({ body, headers, method, url }: Outgoing, at: string, budgetMs: number): Sent {
    const addresses = this.#resolve(url.hostname)
    if (addresses.length === 0) return { status: null, error: "dns_error", refused: false, afterMs: 0 }
    if (addresses.some(isRefused)) return { status: null, error: "connect_error", refused: true, afterMs: 0 }
    if (!url.hostname.endsWith(domain)) return { status: null, error: "dns_error", refused: false, afterMs: 0 }
    const inbox = this.#inbox(url.hostname.slice(0, -domain.length))
    const { delay_ms: afterMs = 0, error, status = 200, statuses = [status] } = inbox.behaviour
    const failed = errorClasses.find((one) => one === error)
    if (failed !== undefined && failed !== "timeout") return { status: null, error: failed, refused: false, afterMs }
    const received: Received = {
      received_at: at,
      method,
      path: url.pathname + url.search,
      headers,
      body,
      answered: null,
    }
    inbox.received.push(received)
    if (inbox.received.length > maxReceived) inbox.received.shift()
    if (failed === "timeout" || afterMs >= budgetMs) {
      return { status: null, error: "timeout", refused: false, afterMs: budgetMs }
    }
    const answered = statuses[Math.min(inbox.taken++, statuses.length - 1)] ?? status
    received.answered = answered
    const ok = answered >= 200 && answered < 300
    return { status: answered, error: ok ? null : "http_error", refused: false, afterMs }
  }

  #resolve(host: string): ReadonlyArray<string> {
    const literal = literalOf(host)
    if (literal !== null) return [literal]
    const flips = this.#flips[host]
    if (flips !== undefined) {
      const asked = this.#asked.get(host) ?? 0
      this.#asked.set(host, asked + 1)
      return flips[Math.min(asked, flips.length - 1)] ?? []
    }
    return this.#records[host] ?? (host.endsWith(domain) ? [inboxAddress] : [])
  }

  #inbox(name: string): Inbox {
    const known = this.#inboxes.get(name)
    if (known !== undefined) return known
    const made: Inbox = { behaviour: {}, taken: 0, received: [] }
    this.#inboxes.put(name, made)
    return made
  }
}
