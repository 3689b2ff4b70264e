import { createServer, type Server } from "node:http"
import { Api } from "./Api.ts"
import { Callbacks } from "./Callbacks.ts"
import type { CallRecord, Watch } from "./CallRecord.ts"
import { sidOf } from "./Chance.ts"
import { realClock, ScopedClock, type StandInClock } from "./Clock.ts"
import type { ProgressEvent } from "./Contract.ts"
import { Exchange } from "./Exchange.ts"
import { everybodyAnswers, type Script } from "./Fate.ts"
import { type Faults, noFaults } from "./Faults.ts"
import { type CallbackEntry, Journal, type RequestEntry, type Warning } from "./Journal.ts"
import { Service } from "./Service.ts"

export interface TwilioStandInOptions {
  /** Decides each call's fate. */
  readonly script?: Script
  /** The machine's own time where it is left out. */
  readonly clock?: StandInClock
  /** What goes wrong; nothing where it is left out. */
  readonly faults?: Faults
  /** SIDs, the token, and what the stand-in draws itself hang on it. */
  readonly seed?: string
  /** Calls that are dialled in a second; the others wait. https://www.twilio.com/docs/voice/api/call-resource: 1, unless more was agreed. */
  readonly callsPerSecond?: number
  /** Numbers that calls may come from; any where it is left out. */
  readonly numbers?: ReadonlyArray<string>
  /** The account is a trial, and may call these numbers alone. */
  readonly verified?: ReadonlyArray<string>
  /** Where a public URL is reached on this machine, as through a tunnel. Signatures are over the public one. */
  readonly reach?: (url: URL) => URL
  /** From a call's creation until lists show it. */
  readonly listedAfterMs?: number
  /** From a call's end until the record of its requests can be had; 15 minutes where it is left out, as Twilio promises. */
  readonly eventsAfterMs?: number
  /** What a 429 says in `Retry-After`, in seconds; no such header where it is left out. */
  readonly retryAfterSeconds?: number
  /** Recordings are given without credentials. */
  readonly openMedia?: boolean
  /**
   * Up to which event a call has gone before its dial is answered: its callbacks come first. Null, or left out: it begins after the answer.
   * A call that waits for its turn in the queue begins after the answer in any case.
   */
  readonly answersAfter?: (to: string) => ProgressEvent | null
  readonly watch?: Watch
}

/** Twilio's voice API as it looks from outside, on a port of this machine. */
export interface TwilioStandIn {
  /** In the place of `https://api.twilio.com`. */
  readonly url: string
  readonly accountSid: string
  readonly authToken: string
  /** All calls that there ever were, the first one first. */
  readonly calls: () => ReadonlyArray<CallRecord>
  /** The callee hangs up; nothing happens where nobody talks. */
  readonly hangUp: (callSid: string) => Promise<void>
  readonly requests: () => ReadonlyArray<RequestEntry>
  readonly callbacks: () => ReadonlyArray<CallbackEntry>
  /** What Twilio would warn of. */
  readonly warnings: () => ReadonlyArray<Warning>
  /** Nothing is done, called back or answered any more. */
  readonly close: () => Promise<void>
}

const standardEventsAfterMs = 15 * 60_000

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

/** Starts a stand-in. What it does is written from Twilio's document and pages alone; the source is beside each rule. */
export const startTwilioStandIn = async (options: TwilioStandInOptions = {}): Promise<TwilioStandIn> => {
  const { callsPerSecond = 1, faults = noFaults, numbers = null, script = everybodyAnswers, seed = "standin" } = options
  const clock = new ScopedClock(options.clock ?? realClock())
  const journal = new Journal()
  const accountSid = sidOf(seed, "AC", 0)
  const authToken = sidOf(seed, "", 0)
  const reach = options.reach ?? ((at: URL) => at)
  let url = ""
  const callbacks = new Callbacks({ authToken, seed, clock, faults, journal, reach })
  const verified = options.verified ?? null
  const world = {
    accountSid,
    url: () => url,
    seed,
    clock,
    journal,
    callbacks,
    script,
    callsPerSecond,
    numbers,
    verified,
    answersAfter: options.answersAfter ?? (() => null),
    watch: options.watch ?? (() => undefined),
  }
  const exchange = new Exchange(world)
  const { eventsAfterMs = standardEventsAfterMs, listedAfterMs = 0, openMedia = false } = options
  const account = () => ({ sid: accountSid, url })
  const api = new Api({ account, authToken, clock, exchange, journal, listedAfterMs, eventsAfterMs, openMedia })
  const service = new Service(api, faults, journal, clock.now, options.retryAfterSeconds)
  const server = createServer((request, response) => void service.serve(request, response))
  url = await listen(server)
  return {
    url,
    accountSid,
    authToken,
    calls: () => [...exchange.calls.values()],
    hangUp: (sid) => exchange.hangUp(sid),
    requests: () => journal.requests.entries,
    callbacks: () => journal.callbacks.entries,
    warnings: () => journal.warnings.entries,
    close: async () => {
      clock.close()
      callbacks.close()
      await close(server)
    },
  }
}
