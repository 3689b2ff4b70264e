import { createServer, type Server } from "node:http"
import { sidOf } from "../../../twilio/test/standin/Chance.ts"
import { realClock, ScopedClock, type StandInClock } from "../../../twilio/test/standin/Clock.ts"
import { type Faults, noFaults } from "../../../twilio/test/standin/Faults.ts"
import { Api } from "./Api.ts"
import type { CallRecord, RecordingRecord, Watch } from "./CallRecord.ts"
import { Exchange } from "./Exchange.ts"
import { everybodyAnswers, type Script } from "./Fate.ts"
import { Journal, type RequestEntry, type Warning, type WebhookEntry } from "./Journal.ts"
import { Service } from "./Service.ts"
import { Webhooks } from "./Webhooks.ts"

export interface TelnyxStandInOptions {
  /** Decides each call's fate. */
  readonly script?: Script
  /** The machine's own time where it is left out. */
  readonly clock?: StandInClock
  /** What goes wrong; nothing where it is left out. */
  readonly faults?: Faults
  /** Ids, keys, and what the stand-in draws itself hang on it. */
  readonly seed?: string
  /** https://developers.telnyx.com/docs/voice/programmable-voice/dials-per-second-limit: 30, over five seconds. */
  readonly dialsPerSecond?: number
  /** Numbers that calls may come from; any where it is left out. */
  readonly numbers?: ReadonlyArray<string>
  /** The application's own addresses, for calls that name none. */
  readonly webhookUrl?: string
  readonly failoverUrl?: string
  /** The application's `call_cost_in_webhooks`; off where it is left out. */
  readonly costWebhooks?: boolean
  /** Where a public URL is reached on this machine, as through a tunnel. */
  readonly reach?: (url: URL) => URL
  /** From a call's creation until the active calls show it. */
  readonly listedAfterMs?: number
  /** From a call's end until its status is gone; ten minutes where it is left out. */
  readonly shownMs?: number
  /** What a 429 says in `Retry-After`, in seconds; only `x-ratelimit-reset` where it is left out. */
  readonly retryAfterSeconds?: number
  /** Calls whose `call.initiated` is sent, and answered, before the answer to their dial. */
  readonly tellsEarly?: (to: string) => boolean
  readonly watch?: Watch
}

/** Telnyx's Call Control as it looks from outside, on a port of this machine. */
export interface TelnyxStandIn {
  /** In the place of `https://api.telnyx.com`. */
  readonly url: string
  readonly apiKey: string
  /** As the portal shows it: 32 bytes in Base64. */
  readonly publicKey: string
  readonly connectionId: string
  /** All calls that there ever were, the first one first. */
  readonly calls: () => ReadonlyArray<CallRecord>
  readonly recordings: () => ReadonlyArray<RecordingRecord>
  /** The callee hangs up; nothing happens where nobody talks. */
  readonly hangUp: (callControlId: string) => Promise<void>
  readonly requests: () => ReadonlyArray<RequestEntry>
  readonly webhooks: () => ReadonlyArray<WebhookEntry>
  /** What a host did that it should not. */
  readonly warnings: () => ReadonlyArray<Warning>
  /** Nothing is done, called back or answered any more. */
  readonly close: () => Promise<void>
}

const standardDialsPerSecond = 30
const standardShownMs = 600_000

const listen = (server: Server): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (address === null || typeof address === "string") reject(new Error("The server has no port"))
      else resolve(`http://127.0.0.1:${address.port}`)
    })
  })

const close = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)))
    server.closeAllConnections()
  })

/** Starts a stand-in. What it does is written from Telnyx's document and pages alone; the source is beside each rule. */
export const startTelnyxStandIn = async (options: TelnyxStandInOptions = {}): Promise<TelnyxStandIn> => {
  const { faults = noFaults, seed = "standin", webhookUrl = null, failoverUrl = null } = options
  const clock = new ScopedClock(options.clock ?? realClock())
  const journal = new Journal()
  const apiKey = `KEY${sidOf(`${seed} api`, "", 0).toUpperCase()}`
  const connectionId = String(BigInt(`0x${sidOf(seed, "", 1).slice(0, 15)}`))
  const reach = options.reach ?? ((at: URL) => at)
  const webhooks = new Webhooks({ seed, clock, faults, journal, webhookUrl, failoverUrl, reach })
  const served: { url: string } = { url: "" }
  const exchange: Exchange = new Exchange({
    seed,
    clock,
    journal,
    webhooks,
    script: options.script ?? everybodyAnswers,
    connectionId,
    numbers: options.numbers ?? null,
    dialsPerSecond: options.dialsPerSecond ?? standardDialsPerSecond,
    costWebhooks: options.costWebhooks ?? false,
    mediaUrl: (recording, now) => api.mediaUrl(served.url, recording, now),
    watch: options.watch ?? (() => undefined),
  })
  const api: Api = new Api({
    apiKey,
    clock,
    exchange,
    journal,
    connectionId,
    listedAfterMs: options.listedAfterMs ?? 0,
    shownMs: options.shownMs ?? standardShownMs,
    tellsEarly: options.tellsEarly ?? (() => false),
  })
  const service = new Service(api, faults, journal, clock.now, options.retryAfterSeconds)
  const server = createServer((request, response) => void service.serve(request, response))
  served.url = await listen(server)
  return {
    url: served.url,
    apiKey,
    publicKey: webhooks.publicKey,
    connectionId,
    calls: () => [...exchange.calls.values()],
    recordings: () => [...exchange.recordings.values()],
    hangUp: (id) => exchange.hangUp(id),
    requests: () => journal.requests.entries,
    webhooks: () => journal.webhooks.entries,
    warnings: () => journal.warnings.entries,
    close: async () => {
      clock.close()
      webhooks.close()
      await close(server)
    },
  }
}
