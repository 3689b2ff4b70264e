import { createHash } from "node:crypto"
import { createServer, type Server } from "node:http"
import type { AgentDispatch, EgressInfo, ParticipantInfo, Room } from "@livekit/protocol"
import { Agents } from "./Agents.ts"
import { methodsOf } from "./Api.ts"
import { type CallRecord, Calls, type Moment, type Trunk, type Watch } from "./Calls.ts"
import { Guids } from "./Guids.ts"
import { realClock, ScopedClock, type StandInClock } from "../../../twilio/test/standin/Clock.ts"
import { Egresses } from "./Egresses.ts"
import { agentsJoin, type AgentScript, everybodyAnswers, type Script } from "./Fate.ts"
import { type Faults, noFaults } from "./Faults.ts"
import { Journal, type RequestEntry, type Warning, type WebhookEntry } from "./Journal.ts"
import { Rooms } from "./Rooms.ts"
import { Service } from "./Service.ts"
import { Webhooks } from "./Webhooks.ts"

export interface LiveKitStandInOptions {
  /** Decides each call's fate. */
  readonly script?: Script
  /** Decides what becomes of each agent that is sent into a room. */
  readonly agents?: AgentScript
  /** What the agent's own program does when its callee answers or has left; it is waited for. */
  readonly worker?: (moment: Moment) => Promise<void>
  /** The machine's own time where it is left out. Tokens are in that time always. */
  readonly clock?: StandInClock
  /** What goes wrong; nothing where it is left out. */
  readonly faults?: Faults
  /** Ids, the secret, and what the stand-in draws itself hang on it. */
  readonly seed?: string
  /** Trunks that calls go out by; `ST_standin` with one number where it is left out. */
  readonly trunks?: ReadonlyArray<Trunk>
  /** Where the project's webhooks go, on this machine; asked at each one. None are sent where it is left out. */
  readonly webhooks?: () => URL | null
  /** What a 429 of the faults says in `Retry-After`, in seconds; no such header where it is left out, as LiveKit sends none. */
  readonly retryAfterSeconds?: number
  /** How recordings end. */
  readonly recordings?: "complete" | "failed"
  readonly watch?: Watch
}

/** LiveKit's server API as it looks from outside, on a port of this machine. */
export interface LiveKitStandIn {
  /** In the place of `https://project.livekit.cloud`. */
  readonly url: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly trunkId: string
  /** All calls that there ever were, the first one first. */
  readonly calls: () => ReadonlyArray<CallRecord>
  /** Rooms that are open. */
  readonly rooms: () => ReadonlyArray<Room>
  readonly participants: (room: string) => ReadonlyArray<ParticipantInfo>
  readonly dispatches: () => ReadonlyArray<AgentDispatch>
  readonly egresses: () => ReadonlyArray<EgressInfo>
  /** Requests that are not answered yet because they wait until somebody answers the phone. */
  readonly waiting: () => number
  /** The callee hangs up; nothing happens where nobody talks. */
  readonly hangUp: (callId: string) => Promise<void>
  readonly requests: () => ReadonlyArray<RequestEntry>
  readonly webhooks: () => ReadonlyArray<WebhookEntry>
  readonly warnings: () => ReadonlyArray<Warning>
  /** Nothing is done, told or answered any more. */
  readonly close: () => Promise<void>
}

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

const standardTrunk: Trunk = { id: "ST_standin", numbers: ["+12125550199"] }

/** Starts a stand-in. What it does is written from LiveKit's protocol and its servers' public sources; the source is beside each rule. */
export const startLiveKitStandIn = async (options: LiveKitStandInOptions = {}): Promise<LiveKitStandIn> => {
  const { faults = noFaults, script = everybodyAnswers, seed = "standin", trunks = [standardTrunk] } = options
  const clock = new ScopedClock(options.clock ?? realClock())
  const journal = new Journal()
  const guids = new Guids(seed)
  const apiKey = guids.next("API")
  const apiSecret = createHash("sha256").update(`${seed} secret`).digest("hex")
  const target = options.webhooks ?? (() => null)
  const webhooks = new Webhooks({ apiKey, apiSecret, seed, guids, clock, faults, journal, target })
  const rooms = new Rooms({ guids, clock, journal, webhooks })
  const agents = new Agents({ guids, clock, rooms, webhooks, script: options.agents ?? agentsJoin })
  const egresses = new Egresses({ guids, clock, rooms, webhooks, comesTo: options.recordings ?? "complete" })
  const worker = options.worker ?? (async () => undefined)
  const watch = options.watch ?? (() => undefined)
  const calls = new Calls({ guids, clock, rooms, script, trunks, worker, watch })
  const methods = methodsOf({ rooms, agents, calls, egresses })
  const retryAfterSeconds = options.retryAfterSeconds ?? null
  const service = new Service({ apiKey, apiSecret, faults, journal, now: clock.now, methods, retryAfterSeconds })
  const server = createServer((request, response) => void service.serve(request, response))
  const url = await listen(server)
  return {
    url,
    apiKey,
    apiSecret,
    trunkId: trunks[0]?.id ?? "",
    calls: () => calls.all,
    rooms: () => rooms.all(),
    participants: (room) => rooms.participants(room),
    dispatches: () => agents.dispatches,
    egresses: () => egresses.all,
    waiting: () => calls.waiting(),
    hangUp: (id) => calls.hangUp(id),
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
