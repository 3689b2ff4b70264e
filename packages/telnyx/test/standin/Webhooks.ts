import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto"
import { draw, sidOf } from "../../../twilio/test/standin/Chance.ts"
import type { StandInClock } from "../../../twilio/test/standin/Clock.ts"
import { type Faults, Occasions } from "../../../twilio/test/standin/Faults.ts"
import type { CallRecord } from "./CallRecord.ts"
import { uuidOf } from "./Ids.ts"
import type { Journal } from "./Journal.ts"

export interface WebhookOptions {
  readonly seed: string
  readonly clock: StandInClock
  readonly faults: Faults
  readonly journal: Journal
  /** The application's own addresses. */
  readonly webhookUrl: string | null
  readonly failoverUrl: string | null
  /** Where a public URL is reached from here, as through a tunnel. */
  readonly reach: (url: URL) => URL
}

interface Event {
  readonly id: string
  readonly type: string
  readonly call: CallRecord
  readonly at: number
  readonly payload: object
}

/** A webhook that is late comes up to this much later. */
const latestMs = 60_000
/** One that waits for the next one of its call waits no longer. */
const longestHoldMs = 10_000
/** The messaging pages name three attempts for each address; nothing is written of the voice API's times. */
const standardRetriesMs = [1_000, 2_000]
/** `webhook_retries_policies`: at most five, and together no more than a minute. */
const mostRetries = 5
const longestRetriesMs = 60_000
/** How long a host has to answer, in the machine's own time. */
const answerTimeoutMs = 15_000

/** The beginning of a DER private key of Ed25519 (RFC 8410), before its 32 bytes. */
const derPrefix = Buffer.from("302e020100300506032b657004220420", "hex")

/** The stand-in calls back on this machine alone, whatever it is told. */
const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname)

/** The key pair of an account, by the seed. */
export const keyOf = (seed: string): KeyObject => {
  const bytes = Buffer.from(sidOf(`${seed} key`, "", 0) + sidOf(`${seed} key`, "", 1), "hex")
  return createPrivateKey({ key: Buffer.concat([derPrefix, bytes]), format: "der", type: "pkcs8" })
}

/** The public key as the portal shows it: the last 32 bytes of its DER, in Base64. */
export const publicKeyOf = (key: KeyObject): string =>
  createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32).toString("base64")

/** `telnyx-signature-ed25519`: over the time in seconds, a bar and the body. */
export const signature = (key: KeyObject, timestamp: string, body: string): string =>
  sign(null, Buffer.from(`${timestamp}|${body}`), key).toString("base64")

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const retriesOf = (call: CallRecord, type: string): ReadonlyArray<number> => {
  const policy = call.asked.under("webhook_retries_policies", type)
  if (typeof policy !== "object" || policy === null || !("retries_ms" in policy)) return standardRetriesMs
  const delays = listOf(policy.retries_ms).filter((delay) => typeof delay === "number")
  const isTaken = delays.length <= mostRetries && delays.reduce((sum, delay) => sum + delay, 0) <= longestRetriesMs
  return isTaken ? delays : standardRetriesMs
}

/** Sends webhooks: signed, again where they were not taken, and with faults. */
export class Webhooks {
  readonly #options: WebhookOptions
  readonly #key: KeyObject
  readonly #closing = new AbortController()
  readonly #occasions = new Occasions()
  readonly #held = new Map<string, Array<() => Promise<void>>>()
  #events = 0

  constructor(options: WebhookOptions) {
    this.#options = options
    this.#key = keyOf(options.seed)
  }

  get publicKey(): string {
    return publicKeyOf(this.#key)
  }

  close(): void {
    this.#closing.abort()
  }

  /** Tells the host of an event. With a fault it is told twice, late, out of order, or not at all. */
  async tell(call: CallRecord, type: string, payload: object): Promise<void> {
    const { clock, faults, seed } = this.#options
    const event = { id: uuidOf(seed, "event", this.#events++), type, call, at: clock.now(), payload }
    call.events.push({ name: type, at: event.at, payload })
    const occasion = this.#occasions.next(type, call.to)
    const fault = faults.callback(occasion)
    const send = () => this.#deliver(event, fault)
    switch (fault) {
      case null:
        await send()
        break
      case "lost":
        this.#note(event, "", 1, null, fault)
        break
      case "doubled":
        await send()
        await send()
        break
      case "late":
        clock.at(clock.now() + latestMs * draw(seed, "late", type, occasion.to, occasion.nth), send)
        break
      case "reordered":
        return this.#hold(call.call_control_id, send)
    }
    await this.#release(call.call_control_id)
  }

  #hold(id: string, send: () => Promise<void>): void {
    const { clock } = this.#options
    this.#held.set(id, [send, ...(this.#held.get(id) ?? [])])
    clock.at(clock.now() + longestHoldMs, () => this.#release(id))
  }

  async #release(id: string): Promise<void> {
    const held = this.#held.get(id) ?? []
    this.#held.delete(id)
    for (const send of held) await send()
  }

  /** `webhook_urls` has the first word on an event, then `webhook_url`, then the application. */
  #addresses({ call, type }: Event): ReadonlyArray<string> {
    const own = listOf(call.asked.under("webhook_urls", type)).filter((url) => typeof url === "string")
    if (own.length > 0) return own
    const url = call.asked.text("webhook_url") ?? this.#options.webhookUrl
    return url === null ? [] : [url]
  }

  async #deliver(event: Event, fault: string | null): Promise<void> {
    for (const url of this.#addresses(event)) await this.#try(event, url, 1, retriesOf(event.call, event.type), fault)
  }

  /** Sends once, and plans the next time where the host did not take it. The failover address comes last, and once. */
  async #try(
    event: Event,
    url: string,
    attempt: number,
    delays: ReadonlyArray<number>,
    fault: string | null,
  ): Promise<void> {
    const { clock, failoverUrl, journal } = this.#options
    if (this.#closing.signal.aborted) return
    const status = await this.#post(event, url, attempt)
    this.#note(event, url, attempt, status, fault)
    if (status !== null && status >= 200 && status < 300) return
    if (this.#closing.signal.aborted) return
    journal.warn(event.call.call_control_id, `${event.type} was not taken: ${status ?? "no answer"}`)
    const [delay, ...rest] = delays
    if (delay !== undefined) {
      clock.at(clock.now() + delay, () => this.#try(event, url, attempt + 1, rest, fault))
    } else if (failoverUrl !== null && url !== failoverUrl) {
      await this.#try(event, failoverUrl, attempt + 1, [], fault)
    }
  }

  async #post({ at, id, payload, type }: Event, url: string, attempt: number): Promise<number | null> {
    const reached = this.#options.reach(new URL(url))
    if (!isLoopback(reached)) throw new Error(`The stand-in calls back on this machine alone, not at ${reached.host}`)
    const body = JSON.stringify({
      data: { event_type: type, id, occurred_at: new Date(at).toISOString(), payload, record_type: "event" },
      meta: { attempt, delivered_to: url },
    })
    const timestamp = String(Math.floor(this.#options.clock.now() / 1000))
    const headers = {
      "content-type": "application/json",
      "user-agent": "telnyx-webhooks",
      "telnyx-timestamp": timestamp,
      "telnyx-signature-ed25519": signature(this.#key, timestamp, body),
    }
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(answerTimeoutMs)])
    try {
      const response = await fetch(reached, { method: "POST", headers, signal, body })
      await response.body?.cancel()
      return response.status
    } catch {
      // Whatever the reason: the host gave no answer, which is what the journal says.
      return null
    }
  }

  #note({ call, id, type }: Event, url: string, attempt: number, status: number | null, fault: string | null): void {
    const at = this.#options.clock.now()
    const { call_control_id } = call
    this.#options.journal.webhooks.add({ at, id, event_type: type, call_control_id, url, attempt, status, fault })
  }
}
