import { draw, sidOf } from "./Chance.ts"
import type { StandInClock } from "./Clock.ts"
import { type Faults, Occasions } from "./Faults.ts"
import type { Journal } from "./Journal.ts"
import { deliveryOf, type Failure } from "./Overrides.ts"
import { signature, signedUrl } from "./Signature.ts"
import { longestTwimlBytes } from "./Twiml.ts"

export interface Callback {
  /** `status:ringing`, `amd`, `recording:completed`, `twiml`. */
  readonly on: string
  readonly call: { readonly sid: string; readonly to: string }
  /** As the host gave it, with its query and its overrides. */
  readonly url: string
  readonly method: "GET" | "POST"
  readonly parameters: ReadonlyArray<readonly [name: string, value: string]>
}

/** What a host answered, in the 200s. */
export interface Answer {
  /** Its `Content-Type`. */
  readonly type: string
  readonly text: string
}

export interface CallbackOptions {
  readonly authToken: string
  readonly seed: string
  readonly clock: StandInClock
  readonly faults: Faults
  readonly journal: Journal
  /** Where a public URL is reached from here, as through a tunnel; what is signed stays the public one. */
  readonly reach: (url: URL) => URL
}

/** A callback that is late comes up to this much later. */
const latestMs = 60_000
/** A callback that waits for the next one of its call waits no longer. */
const longestHoldMs = 10_000

/** The stand-in calls back on this machine alone, whatever it is told. */
const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname)

const failureOf = (status: number): Failure | null => (status < 400 ? null : status < 500 ? "4xx" : "5xx")

/** The beginning of a body, a little more than the longest document of TwiML. */
const readText = async (response: Response): Promise<string> => {
  if (response.body === null) return ""
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of response.body) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes > longestTwimlBytes) break
  }
  return Buffer.concat(chunks).toString("utf8")
}

const formOf = (parameters: Callback["parameters"]): URLSearchParams => {
  const form = new URLSearchParams()
  for (const [name, value] of parameters) form.append(name, value)
  return form
}

interface Attempt {
  readonly status: number | null
  readonly failure: Failure | null
  readonly answer: Answer
}

/** Sends callbacks: signed, again where that was asked for, and with faults. */
export class Callbacks {
  readonly #options: CallbackOptions
  readonly #closing = new AbortController()
  readonly #occasions = new Occasions()
  readonly #held = new Map<string, Array<() => Promise<void>>>()
  #tokens = 0

  constructor(options: CallbackOptions) {
    this.#options = options
  }

  close(): void {
    this.#closing.abort()
  }

  /** Asks the host for something: what it answered, or null where it did not. */
  async ask(callback: Callback): Promise<Answer | null> {
    const fault = this.#options.faults.callback(this.#occasions.next(callback.on, callback.call.to))
    if (fault === "lost") return this.#lose(callback)
    return this.#send(callback, fault)
  }

  /** Tells the host something. With a fault it is told twice, late, out of order, or not at all. */
  async notify(callback: Callback): Promise<void> {
    const { clock, faults, seed } = this.#options
    const occasion = this.#occasions.next(callback.on, callback.call.to)
    const fault = faults.callback(occasion)
    const send = async () => void (await this.#send(callback, fault))
    switch (fault) {
      case null:
        await send()
        break
      case "lost":
        this.#lose(callback)
        break
      case "doubled":
        await send()
        await send()
        break
      case "late":
        clock.at(clock.now() + latestMs * draw(seed, "late", callback.on, occasion.to, occasion.nth), send)
        break
      case "reordered":
        return this.#hold(callback.call.sid, send)
    }
    await this.#release(callback.call.sid)
  }

  #lose(callback: Callback): null {
    this.#note(callback, 0, null, "lost")
    return null
  }

  #hold(sid: string, send: () => Promise<void>): void {
    const { clock } = this.#options
    this.#held.set(sid, [send, ...(this.#held.get(sid) ?? [])])
    clock.at(clock.now() + longestHoldMs, () => this.#release(sid))
  }

  async #release(sid: string): Promise<void> {
    const held = this.#held.get(sid) ?? []
    this.#held.delete(sid)
    for (const send of held) await send()
  }

  async #send(callback: Callback, fault: string | null): Promise<Answer | null> {
    const { journal, seed } = this.#options
    const { policy, readTimeoutMs, retries, totalMs } = deliveryOf(new URL(callback.url))
    const token = sidOf(seed, "", this.#tokens++)
    const start = performance.now()
    for (let attempt = 0; attempt <= retries; attempt++) {
      const left = totalMs - (performance.now() - start)
      if (left <= 0 || this.#closing.signal.aborted) break
      const { answer, failure, status } = await this.#attempt(callback, token, Math.min(readTimeoutMs, left))
      this.#note(callback, attempt, status, fault)
      if (failure === null) return answer
      // https://www.twilio.com/docs/api/errors/15003 for a status, /11200 where there was none.
      const code = status === null ? 11200 : 15003
      if (!this.#closing.signal.aborted) journal.warn(code, callback.call.sid, `${callback.on}: ${status ?? failure}`)
      if (!policy.has(failure)) break
    }
    return null
  }

  async #attempt({ method, parameters, url }: Callback, token: string, timeoutMs: number): Promise<Attempt> {
    const target = new URL(url)
    // Over GET the parameters are part of the URL, and signed as such.
    if (method === "GET") for (const [name, value] of parameters) target.searchParams.append(name, value)
    const reached = this.#options.reach(new URL(target))
    if (!isLoopback(reached)) throw new Error(`The stand-in calls back on this machine alone, not at ${reached.host}`)
    const headers = new Headers({
      "user-agent": "TwilioProxy/1.1",
      "i-twilio-idempotency-token": token,
      "x-twilio-signature": signature(this.#options.authToken, signedUrl(target), method === "POST" ? parameters : []),
    })
    if (reached.username !== "")
      headers.set("authorization", `Basic ${btoa(`${reached.username}:${reached.password}`)}`)
    reached.username = ""
    reached.password = ""
    reached.hash = ""
    const body = method === "POST" ? { body: formOf(parameters) } : {}
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(Math.ceil(timeoutMs))])
    try {
      const response = await fetch(reached, { method, headers, signal, ...body })
      const answer = { type: response.headers.get("content-type") ?? "", text: await readText(response) }
      return { status: response.status, failure: failureOf(response.status), answer }
    } catch (error) {
      const isLate = error instanceof DOMException && error.name === "TimeoutError"
      return { status: null, failure: isLate ? "rt" : "ct", answer: { type: "", text: "" } }
    }
  }

  #note({ call, method, on, parameters, url }: Callback, attempt: number, status: number | null, fault: string | null) {
    const at = this.#options.clock.now()
    this.#options.journal.callbacks.add({ at, on, call_sid: call.sid, method, url, parameters, attempt, status, fault })
  }
}
