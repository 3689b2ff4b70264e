import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text as bodyOf } from "node:stream/consumers"
import {
  AgentDispatch,
  AgentDispatchState,
  CreateAgentDispatchRequest,
  CreateRoomRequest,
  CreateSIPParticipantRequest,
  DeleteRoomRequest,
  Job,
  JobState,
  type JobStatus,
  ListAgentDispatchRequest,
  ListAgentDispatchResponse,
  ListEgressRequest,
  type EgressInfo,
  ListParticipantsRequest,
  ParticipantInfo,
  Room,
  RoomParticipantIdentity,
  WebhookEvent,
} from "@livekit/protocol"
import { AccessToken, TokenVerifier } from "livekit-server-sdk"

export const apiKey = "APIkey"
export const apiSecret = "a-secret-that-nobody-may-see-and-long-enough"
export const publicUrl = "https://voice.example.com/livekit"
export const trunkId = "ST_trunk"

/** What happens to a leg: `ringing`, `active`, `left` with a reason, or the end of its invitation with a SIP code and a reason. */
type Happening =
  | { readonly to: "ringing" | "active" }
  | { readonly to: "left"; readonly reason: number }
  | { readonly to: "refused"; readonly sip: number; readonly reason: number }

type Plan = ReadonlyArray<readonly [afterMs: number, what: Happening]>

interface Leg {
  readonly id: string
  readonly request: CreateSIPParticipantRequest
  readonly sipCallId: string
  status: string
  plan: Plan
  /** The open request; null once it was answered. */
  response: ServerResponse | null
  isOver: boolean
}

const answered: Plan = [
  [1_000, { to: "ringing" }],
  [5_000, { to: "active" }],
  [20_000, { to: "left", reason: 1 }],
]
const talking: Plan = [
  [1_000, { to: "ringing" }],
  [5_000, { to: "active" }],
  [2 * 3_600_000, { to: "left", reason: 1 }],
]
const refusedLater = (sip: number, reason: number): Plan => [
  [1_000, { to: "ringing" }],
  [9_000, { to: "refused", sip, reason }],
]

const plans: Readonly<Record<string, Plan>> = {
  "01": talking,
  "02": talking,
  "03": refusedLater(486, 12),
  "04": refusedLater(480, 11),
  "05": refusedLater(500, 13),
  "06": refusedLater(404, 11),
  "07": [[1_000, { to: "refused", sip: 403, reason: 12 }]],
  "08": [...answered.slice(0, 2), [9_000, { to: "left", reason: 15 }]],
}

/** Dials that are refused at once, by the last digits of the number. */
const refusals: Readonly<Record<string, readonly [status: number, code: string, sip: number | null]>> = {
  "20": [400, "failed_precondition", 404],
  "21": [404, "not_found", null],
  "22": [429, "resource_exhausted", null],
}

/** One request that came, with what its token allows. */
export interface Seen {
  readonly method: string
  readonly body: unknown
  readonly grants: unknown
}

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}

const failure = (response: ServerResponse, status: number, code: string, sip: number | null = null): void =>
  json(response, status, {
    code,
    msg: "No.",
    ...(sip === null ? {} : { meta: { sip_status_code: String(sip), sip_status: "No" } }),
  })

const tick = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))

/** How long the adapter has to take the answer of a request that waited, before time goes on. */
const takenMs = 20

/**
 * A small stand-in of LiveKit for this package's own tests, over real HTTP, with a clock that only they move. What it is sent is read by LiveKit's
 * own protocol, which refuses what it does not know, and what it sends is signed by LiveKit's own SDK.
 */
export class FarEnd {
  now = Math.floor(Date.now() / 1000) * 1000
  url = ""
  readonly seen: Array<Seen> = []
  readonly legs: Array<Leg> = []
  readonly rooms = new Map<string, CreateRoomRequest>()
  readonly dispatches: Array<CreateAgentDispatchRequest> = []
  readonly egress: Array<EgressInfo> = []
  readonly statuses: Array<number> = []
  /** Whether an agent that is sent into a room is in it. */
  agentsJoin = true
  /** How the jobs of agents that were sent into a room stand. */
  jobs: ReadonlyArray<JobStatus> = []
  /** Answers instead, where it says true. */
  fault: (method: string, response: ServerResponse) => boolean = () => false
  callback: (request: Request) => Promise<Response> = async () => new Response(null, { status: 404 })
  readonly #server = createServer((request, response) => {
    void this.#serve(request, response).catch(() => failure(response, 400, "malformed"))
  })

  async start(): Promise<void> {
    await new Promise<void>((resolve) => void this.#server.listen(0, "127.0.0.1", resolve))
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  of(executionId: string): ReadonlyArray<Leg> {
    return this.legs.filter(({ id }) => id === executionId)
  }

  isAt(executionId: string, status: string): boolean {
    const [leg] = this.of(executionId)
    return leg === undefined || leg.status === status || leg.isOver
  }

  /** Goes on to the next thing that happens, and calls back; false when nothing does by then. */
  async step(by = Number.POSITIVE_INFINITY): Promise<boolean> {
    const [leg] = this.legs
      .filter(({ plan }) => plan.length > 0)
      .sort((a, b) => (a.plan[0]?.[0] ?? 0) - (b.plan[0]?.[0] ?? 0))
    const [next, ...rest] = leg?.plan ?? []
    if (leg === undefined || next === undefined || next[0] > by) return false
    const [at, what] = next
    this.now = Math.max(this.now, at)
    leg.plan = rest
    await this.#happen(leg, what)
    return true
  }

  /** A webhook as LiveKit sends it: a bare token over the hash of the body. */
  async webhook(event: WebhookEvent, change: (request: Request) => Request = (request) => request): Promise<number> {
    const body = event.toJsonString()
    const token = new AccessToken(apiKey, apiSecret, { ttl: 300 })
    const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body))
    token.sha256 = btoa(String.fromCharCode(...new Uint8Array(hash)))
    const headers = { authorization: await token.toJwt(), "content-type": "application/webhook+json" }
    const request = new Request("http://10.0.0.1:3000/livekit/webhook", { method: "POST", headers, body })
    const { status } = await this.callback(change(request))
    this.statuses.push(status)
    return status
  }

  eventOf(name: string, leg: Leg, reason = 0): WebhookEvent {
    return new WebhookEvent({
      event: name,
      id: crypto.randomUUID(),
      createdAt: BigInt(Math.floor(this.now / 1000)),
      room: new Room({ name: leg.request.roomName }),
      participant: this.#participant(leg, reason),
    })
  }

  left(leg: Leg, reason: number): Promise<number> {
    leg.isOver = true
    leg.plan = []
    return this.webhook(this.eventOf("participant_left", leg, reason))
  }

  #participant(leg: Leg, reason = 0): ParticipantInfo {
    return new ParticipantInfo({
      identity: leg.request.participantIdentity,
      disconnectReason: reason,
      attributes: {
        ...leg.request.participantAttributes,
        "sip.callID": leg.sipCallId,
        "sip.callStatus": leg.status,
      },
    })
  }

  async #happen(leg: Leg, what: Happening): Promise<void> {
    switch (what.to) {
      case "ringing":
        leg.status = "ringing"
        return
      case "active":
        leg.status = "active"
        this.#answer(leg, (response) => json(response, 200, this.#info(leg)))
        return tick(takenMs)
      case "left":
        await this.left(leg, what.reason)
        return
      case "refused":
        this.#answer(leg, (response) => failure(response, 412, "failed_precondition", what.sip))
        await this.left(leg, what.reason)
    }
  }

  #answer(leg: Leg, how: (response: ServerResponse) => void): void {
    if (leg.response !== null) how(leg.response)
    leg.response = null
  }

  #info(leg: Leg) {
    const { participantIdentity, roomName } = leg.request
    return { participantId: "PA_1", participantIdentity, roomName, sipCallId: leg.sipCallId }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = (request.url ?? "").replace("/twirp/livekit.", "")
    const body: unknown = JSON.parse((await bodyOf(request)) || "{}")
    const token = (request.headers.authorization ?? "").replace("Bearer ", "")
    const grants = await new TokenVerifier(apiKey, apiSecret).verify(token).catch(() => null)
    this.seen.push({ method, body, grants })
    if (grants === null) return failure(response, 401, "unauthenticated")
    if (this.fault(method, response)) return
    this.#handle(method, body, response)
  }

  #handle(method: string, body: unknown, response: ServerResponse): void {
    const value = body as never
    switch (method) {
      case "RoomService/CreateRoom": {
        const room = CreateRoomRequest.fromJson(value)
        this.rooms.set(room.name, room)
        return json(response, 200, { sid: "RM_1", name: room.name })
      }
      case "AgentDispatchService/ListDispatch": {
        const { room } = ListAgentDispatchRequest.fromJson(value)
        const state = new AgentDispatchState({
          jobs: this.jobs.map((status) => new Job({ state: new JobState({ status }) })),
        })
        const agentDispatches = [new AgentDispatch({ id: "AD_1", room, state })]
        return json(response, 200, new ListAgentDispatchResponse({ agentDispatches }).toJson())
      }
      case "AgentDispatchService/CreateDispatch": {
        const dispatch = CreateAgentDispatchRequest.fromJson(value)
        this.dispatches.push(dispatch)
        return json(response, 200, { id: "AD_1", agentName: dispatch.agentName, room: dispatch.room })
      }
      case "SIP/CreateSIPParticipant":
        return this.#call(CreateSIPParticipantRequest.fromJson(value), response)
      case "RoomService/ListParticipants": {
        const { room } = ListParticipantsRequest.fromJson(value)
        const there = this.legs.filter((leg) => leg.request.roomName === room && !leg.isOver)
        const agents = this.agentsJoin ? this.dispatches.filter((dispatch) => dispatch.room === room) : []
        const joined = agents.map((_, nth) => new ParticipantInfo({ identity: `agent-${nth}`, kind: 4 }))
        const all = [...there.map((leg) => this.#participant(leg)), ...joined]
        return json(response, 200, { participants: all.map((one) => one.toJson()) })
      }
      case "RoomService/RemoveParticipant": {
        const { identity, room } = RoomParticipantIdentity.fromJson(value)
        const leg = this.legs.find(
          (known) => known.request.roomName === room && known.request.participantIdentity === identity && !known.isOver,
        )
        if (leg === undefined) return failure(response, 404, "not_found")
        leg.plan = [[this.now + 200, { to: "left", reason: 4 }]]
        this.#answer(leg, (open) => failure(open, 408, "canceled"))
        return json(response, 200, {})
      }
      case "RoomService/DeleteRoom":
        this.rooms.delete(DeleteRoomRequest.fromJson(value).room)
        return json(response, 200, {})
      case "Egress/ListEgress": {
        const { egressId } = ListEgressRequest.fromJson(value)
        const items = this.egress.filter((info) => info.egressId === egressId)
        return json(response, 200, { items: items.map((info) => info.toJson()) })
      }
      default:
        return failure(response, 404, "bad_route")
    }
  }

  #call(request: CreateSIPParticipantRequest, response: ServerResponse): void {
    const end = request.sipCallTo.slice(-2)
    const [status, code, sip] = refusals[end] ?? []
    if (status !== undefined && code !== undefined) return failure(response, status, code, sip ?? null)
    const leg: Leg = {
      id: request.participantIdentity,
      request,
      sipCallId: `SCL_${this.legs.length + 1}`,
      status: "dialing",
      plan: (plans[end] ?? answered).map(([after, what]) => [this.now + after, what]),
      response: end === "02" ? null : response,
      isOver: false,
    }
    this.legs.push(leg)
    // The answer gets lost, and the leg goes on.
    if (end === "02") response.destroy()
  }
}
