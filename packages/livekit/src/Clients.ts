import { type Sign, tellingOf, wasNeverSent } from "@carillon/core/carrier"
import { Effect } from "effect"
import {
  type AgentDispatch,
  AgentDispatchClient,
  type CreateOptions,
  EgressClient,
  type EgressInfo,
  type ParticipantInfo,
  RoomServiceClient,
  ServerError,
  SipCallError,
  SipClient,
} from "livekit-server-sdk"
import { bounds } from "./Bounds.ts"
import type { Settings } from "./Settings.ts"

/**
 * What became of a request. `NotSent`: no connection was made, so nothing was asked. `Lost`: it may have arrived. `Sip`: the call was begun, and
 * ended with this final code. `Failed` is LiveKit's own refusal, by its HTTP status and the code of its protocol.
 */
export type Answer<A> =
  | { readonly _tag: "Done"; readonly value: A }
  | { readonly _tag: "Sip"; readonly sip: number; readonly text: string }
  | { readonly _tag: "Failed"; readonly status: number; readonly code: string | null }
  | { readonly _tag: "NotSent" }
  | { readonly _tag: "Lost" }

/** What the SDK throws, as an answer. */
export const answerOf = (error: unknown): Exclude<Answer<never>, { readonly _tag: "Done" }> => {
  if (error instanceof SipCallError) {
    return { _tag: "Sip", sip: error.sipStatusCode ?? 0, text: error.sipStatus ?? "" }
  }
  if (error instanceof ServerError) return { _tag: "Failed", status: error.status, code: error.code ?? null }
  return wasNeverSent(error) ? { _tag: "NotSent" } : { _tag: "Lost" }
}

const ok = 200

/** What an answer shows of LiveKit's servers: a trunk's word came by them. */
const signOf = (answer: Answer<unknown>): Sign => {
  switch (answer._tag) {
    case "NotSent":
      return "no connection"
    case "Lost":
      return "no answer"
    case "Failed":
      return answer.status
    case "Done":
    case "Sip":
      return ok
  }
}

const requested = <A>(request: () => Promise<A>): Effect.Effect<Answer<A>> =>
  Effect.promise(() =>
    request().then(
      (value): Answer<A> => ({ _tag: "Done", value }),
      (error: unknown): Answer<A> => answerOf(error),
    ),
  )

/** A request that is answered at once, or shows that LiveKit is away. */
const asked = <A>(request: () => Promise<A>): Effect.Effect<Answer<A>> => tellingOf(requested(request), signOf)

/** One participant that is dialled by its trunk. */
export interface Dialled {
  readonly room: string
  readonly identity: string
  readonly number: string
  readonly from: string | undefined
  readonly ringSeconds: number
  readonly maxCallSeconds: number | undefined
  readonly attributes: Readonly<Record<string, string>>
}

/**
 * LiveKit's server SDK, with its throws as answers. It would send a request again to another region where an answer got lost; a dial that is
 * sent twice rings twice, so that is off for all of them.
 */
export const makeClients = ({ apiKey, apiSecret, trunkId, url }: Settings) => {
  const options = { requestTimeout: bounds.requestSeconds, failover: false }
  const rooms = new RoomServiceClient(url, apiKey, apiSecret, options)
  const dispatches = new AgentDispatchClient(url, apiKey, apiSecret, options)
  const sip = new SipClient(url, apiKey, apiSecret, options)
  const egress = new EgressClient(url, apiKey, apiSecret, options)
  return {
    createRoom: (room: CreateOptions) => asked(() => rooms.createRoom(room)),
    dispatch: (room: string, agentName: string, metadata: string) =>
      asked(() => dispatches.createDispatch(room, agentName, { metadata })),
    /** What became of the agents that were sent into a room. */
    dispatches: (room: string): Effect.Effect<Answer<Array<AgentDispatch>>> =>
      asked(() => dispatches.listDispatch(room)),
    /**
     * Waits until the callee answers. The ring ends first: a request that ends while it rings leaves a leg of which nobody hears. That it waits says
     * nothing of LiveKit: the room and its agent, which are asked for before, do.
     */
    call: ({ attributes, from, identity, maxCallSeconds, number, ringSeconds, room }: Dialled) =>
      requested(() =>
        sip.createSipParticipant(trunkId, number, room, {
          participantIdentity: identity,
          participantAttributes: { ...attributes },
          hidePhoneNumber: true,
          waitUntilAnswered: true,
          ringingTimeout: ringSeconds,
          timeout: ringSeconds + bounds.answerSlackSeconds,
          ...(from === undefined ? {} : { fromNumber: from }),
          // LiveKit counts it from the request.
          ...(maxCallSeconds === undefined ? {} : { maxCallDuration: ringSeconds + maxCallSeconds }),
        }),
      ),
    participants: (room: string): Effect.Effect<Answer<Array<ParticipantInfo>>> =>
      asked(() => rooms.listParticipants(room)),
    remove: (room: string, identity: string) => asked(() => rooms.removeParticipant(room, identity)),
    deleteRoom: (room: string) => asked(() => rooms.deleteRoom(room)),
    recording: (egressId: string): Effect.Effect<Answer<Array<EgressInfo>>> =>
      asked(() => egress.listEgress({ egressId })),
  }
}

export type Clients = ReturnType<typeof makeClients>
