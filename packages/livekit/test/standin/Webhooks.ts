import { createHash } from "node:crypto"
import { AccessToken } from "livekit-server-sdk"
import { WebhookEvent } from "@livekit/protocol"
import { draw } from "../../../twilio/test/standin/Chance.ts"
import type { Guids } from "./Guids.ts"
import type { StandInClock } from "../../../twilio/test/standin/Clock.ts"
import { type Faults, Occasions } from "./Faults.ts"
import type { Journal } from "./Journal.ts"

export interface WebhookOptions {
  readonly apiKey: string
  readonly apiSecret: string
  readonly seed: string
  readonly guids: Guids
  readonly clock: StandInClock
  readonly faults: Faults
  readonly journal: Journal
  /** Where the project's webhooks go, as its settings have it; null: nowhere. */
  readonly target: () => URL | null
}

/** The fields of an event that depend on what it is about. */
export type Told = Pick<Partial<WebhookEvent>, "participant" | "egressInfo" | "job" | "room">

/** A webhook that is late comes up to this much later. */
const latestMs = 60_000
/** A webhook that waits for the next one of its room waits no longer. */
const longestHoldMs = 10_000
/** livekit/protocol, `webhook/url_notifier.go`: the token is good for five minutes, of the machine's own time. */
const tokenSeconds = 300
/** hashicorp/go-retryablehttp as livekit/protocol starts it: four more attempts, after 1, 2, 4 and 8 seconds. */
const retryWaitsMs = [1_000, 2_000, 4_000, 8_000]
const answerTimeoutMs = 10_000

/** The stand-in sends to this machine alone, whatever it is told. */
const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname)

/** go-retryablehttp, `DefaultRetryPolicy`: no answer, 429, and what is 500 or more, but 501. */
const isTriedAgain = (status: number | null): boolean =>
  status === null || status === 429 || (status >= 500 && status !== 501)

interface Delivery {
  readonly event: string
  readonly room: string
  readonly body: string
  readonly token: string
}

/** Sends webhooks: signed by the vendor's own token, again where they were not taken, and with faults. */
export class Webhooks {
  readonly #options: WebhookOptions
  readonly #closing = new AbortController()
  readonly #occasions = new Occasions()
  readonly #held = new Map<string, Array<() => Promise<void>>>()

  constructor(options: WebhookOptions) {
    this.#options = options
  }

  close(): void {
    this.#closing.abort()
  }

  /** Tells the host something, as soon as the clock goes on: whoever asked for what happened is not kept waiting by it. */
  notify(event: string, room: string, told: Told): void {
    const { clock, guids } = this.#options
    const createdAt = BigInt(Math.floor(clock.now() / 1000))
    const body = new WebhookEvent({ event, id: guids.next("EV"), createdAt, ...told }).toJsonString()
    clock.at(clock.now(), () => this.#deliver(event, room, body))
  }

  /** With a fault it is told twice, late, out of order, or not at all. */
  async #deliver(event: string, room: string, body: string): Promise<void> {
    const { clock, faults, seed } = this.#options
    const delivery = { event, room, body, token: await this.#token(body) }
    const occasion = this.#occasions.next(event, room)
    const fault = faults.webhook(occasion)
    const send = () => this.#attempt(delivery, 0, fault)
    switch (fault) {
      case null:
        await send()
        break
      case "lost":
        this.#note(delivery, 0, null, fault)
        break
      case "doubled":
        await send()
        await send()
        break
      case "late":
        clock.at(clock.now() + latestMs * draw(seed, "late", event, room, occasion.nth), send)
        break
      case "reordered":
        return this.#hold(room, send)
    }
    await this.#release(room)
  }

  async #token(body: string): Promise<string> {
    const token = new AccessToken(this.#options.apiKey, this.#options.apiSecret, { ttl: tokenSeconds })
    token.sha256 = createHash("sha256").update(body).digest("base64")
    return token.toJwt()
  }

  #hold(room: string, send: () => Promise<void>): void {
    const { clock } = this.#options
    this.#held.set(room, [send, ...(this.#held.get(room) ?? [])])
    clock.at(clock.now() + longestHoldMs, () => this.#release(room))
  }

  async #release(room: string): Promise<void> {
    const held = this.#held.get(room) ?? []
    this.#held.delete(room)
    for (const send of held) await send()
  }

  async #attempt(delivery: Delivery, attempt: number, fault: string | null): Promise<void> {
    const { clock, journal, target } = this.#options
    const url = target()
    if (url === null || this.#closing.signal.aborted) return
    if (!isLoopback(url)) throw new Error(`The stand-in sends to this machine alone, not to ${url.host}`)
    const status = await this.#post(url, delivery)
    this.#note(delivery, attempt, status, fault)
    if (status !== null && status < 300) return
    if (this.#closing.signal.aborted) return
    journal.warn("webhook_not_taken", `${delivery.event}: ${status ?? "no answer"}`)
    const wait = retryWaitsMs[attempt]
    if (wait !== undefined && isTriedAgain(status))
      clock.at(clock.now() + wait, () => this.#attempt(delivery, attempt + 1, fault))
  }

  async #post(url: URL, { body, token }: Delivery): Promise<number | null> {
    const headers = { authorization: token, "content-type": "application/webhook+json", "user-agent": "LiveKit" }
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(answerTimeoutMs)])
    try {
      const response = await fetch(url, { method: "POST", headers, body, signal })
      await response.arrayBuffer()
      return response.status
    } catch {
      return null
    }
  }

  #note({ body, event, room }: Delivery, attempt: number, status: number | null, fault: string | null): void {
    this.#options.journal.webhooks.add({ at: this.#options.clock.now(), event, room, attempt, status, fault, body })
  }
}
