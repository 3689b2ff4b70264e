import {
  CreateAgentDispatchRequest,
  CreateRoomRequest,
  CreateSIPParticipantRequest,
  DeleteRoomRequest,
  DeleteRoomResponse,
  type EncodedFileOutput,
  ListAgentDispatchRequest,
  ListAgentDispatchResponse,
  ListEgressRequest,
  ListEgressResponse,
  ListParticipantsRequest,
  ListParticipantsResponse,
  ListRoomsRequest,
  ListRoomsResponse,
  ParticipantEgressRequest,
  RemoveParticipantResponse,
  RoomCompositeEgressRequest,
  RoomParticipantIdentity,
  StopEgressRequest,
} from "@livekit/protocol"
import type { ClaimGrants } from "livekit-server-sdk"
import type { Agents } from "./Agents.ts"
import type { Calls } from "./Calls.ts"
import type { Egresses } from "./Egresses.ts"
import type { Rooms } from "./Rooms.ts"
import { type Codec, type Format, decoded, TwirpFailure, type Wire } from "./Twirp.ts"

export interface World {
  readonly rooms: Rooms
  readonly agents: Agents
  readonly calls: Calls
  readonly egresses: Egresses
}

/** What a request asks for, before anything is done. */
export interface Intent {
  /** The number that is called, or otherwise the room. */
  readonly about: string
  readonly message: Wire
  /** Why the token is not enough; null: it is. */
  readonly denied: string | null
  readonly act: () => Promise<Acted>
}

/** What was done; what is answered may have to wait for something more. */
export type Acted = Wire | (() => Promise<Wire>)

interface Method<M extends Wire> {
  readonly codec: Codec<M>
  readonly about: (message: M) => string
  readonly isAllowed: (grants: ClaimGrants, message: M) => boolean
  readonly act: (message: M) => Promise<Acted>
}

type Reader = (bytes: Buffer, format: Format, grants: ClaimGrants | null, unknown: () => void) => Intent

/** livekit/livekit, `config.go`, `LimitConfig`. */
const longestMetadataBytes = 64_000
const longestRoomName = 256

const reader =
  <M extends Wire>({ about, act, codec, isAllowed }: Method<M>): Reader =>
  (bytes, format, grants, unknown) => {
    const message = decoded(codec, format, bytes, unknown)
    // livekit/livekit, `auth.go`: "permissions denied", as unauthenticated.
    const isGranted = grants !== null && isAllowed(grants, message)
    return { about: about(message), message, denied: isGranted ? null : "permissions denied", act: () => act(message) }
  }

const administers = (grants: ClaimGrants, room: string): boolean =>
  grants.video?.roomAdmin === true && grants.video.room === room

const checkMetadata = (metadata: string): void => {
  if (Buffer.byteLength(metadata) > longestMetadataBytes)
    throw new TwirpFailure("invalid_argument", "metadata size exceeds limits")
}

const checkRoomName = (name: string): void => {
  if (name === "") throw new TwirpFailure("invalid_argument", "no room name")
  if (name.length > longestRoomName) throw new TwirpFailure("invalid_argument", "room name length exceeds limits")
}

const filesOf = ({ fileOutputs, output }: RoomCompositeEgressRequest): ReadonlyArray<EncodedFileOutput> =>
  output.case === "file" ? [output.value, ...fileOutputs] : fileOutputs

const pathsOf = (files: ReadonlyArray<EncodedFileOutput>): ReadonlyArray<string> => {
  // livekit/protocol: at least one output is required.
  if (files.length === 0) throw new TwirpFailure("invalid_argument", "request has missing or invalid field: output")
  return files.map(({ filepath }) => filepath)
}

const roomMethods = ({ agents, egresses, rooms }: World): ReadonlyArray<readonly [name: string, read: Reader]> => [
  [
    "livekit.RoomService/CreateRoom",
    reader({
      codec: CreateRoomRequest,
      about: ({ name }) => name,
      isAllowed: ({ video }) => video?.roomCreate === true,
      act: async (asked) => {
        checkRoomName(asked.name)
        checkMetadata(asked.metadata)
        for (const { metadata } of asked.agents) checkMetadata(metadata)
        const { isNew, open } = rooms.ensure(asked.name, asked)
        // Agents and the recording come with the room, not with each request for it.
        if (!isNew) return open.room
        for (const agent of asked.agents) agents.dispatch(asked.name, agent)
        const composite = asked.egress?.room
        if (composite !== undefined)
          egresses.start(asked.name, { case: "roomComposite", value: composite }, pathsOf(filesOf(composite)))
        return open.room
      },
    }),
  ],
  [
    "livekit.RoomService/ListRooms",
    reader({
      codec: ListRoomsRequest,
      about: ({ names }) => names[0] ?? "",
      isAllowed: ({ video }) => video?.roomList === true,
      act: async ({ names }) => {
        const listed = rooms.all().filter(({ name }) => names.length === 0 || names.includes(name))
        return new ListRoomsResponse({ rooms: [...listed] })
      },
    }),
  ],
  [
    "livekit.RoomService/DeleteRoom",
    reader({
      codec: DeleteRoomRequest,
      about: ({ room }) => room,
      isAllowed: ({ video }) => video?.roomCreate === true,
      act: async ({ room }) => {
        await rooms.delete(room)
        return new DeleteRoomResponse()
      },
    }),
  ],
  [
    "livekit.RoomService/ListParticipants",
    reader({
      codec: ListParticipantsRequest,
      about: ({ room }) => room,
      isAllowed: (grants, { room }) => administers(grants, room),
      act: async ({ room }) => new ListParticipantsResponse({ participants: [...rooms.participants(room)] }),
    }),
  ],
  [
    "livekit.RoomService/GetParticipant",
    reader({
      codec: RoomParticipantIdentity,
      about: ({ room }) => room,
      isAllowed: (grants, { room }) => administers(grants, room),
      act: async ({ identity, room }) => rooms.participant(room, identity),
    }),
  ],
  [
    "livekit.RoomService/RemoveParticipant",
    reader({
      codec: RoomParticipantIdentity,
      about: ({ room }) => room,
      isAllowed: (grants, { room }) => administers(grants, room),
      act: async ({ identity, room }) => {
        await rooms.removeParticipant(room, identity)
        return new RemoveParticipantResponse()
      },
    }),
  ],
]

const agentMethods = ({ agents, rooms }: World): ReadonlyArray<readonly [name: string, read: Reader]> => [
  [
    "livekit.AgentDispatchService/CreateDispatch",
    reader({
      codec: CreateAgentDispatchRequest,
      about: ({ room }) => room,
      isAllowed: (grants, { room }) => administers(grants, room),
      act: async (asked) => {
        checkMetadata(asked.metadata)
        // livekit/livekit, `agent_dispatch_service.go`: the room is made where there is none.
        rooms.ensure(asked.room)
        return agents.dispatch(asked.room, asked)
      },
    }),
  ],
  [
    "livekit.AgentDispatchService/ListDispatch",
    reader({
      codec: ListAgentDispatchRequest,
      about: ({ room }) => room,
      isAllowed: (grants, { room }) => administers(grants, room),
      act: async ({ dispatchId, room }) =>
        new ListAgentDispatchResponse({ agentDispatches: [...agents.list(room, dispatchId)] }),
    }),
  ],
]

const egressMethods = ({ egresses }: World): ReadonlyArray<readonly [name: string, read: Reader]> => [
  [
    "livekit.Egress/StartRoomCompositeEgress",
    reader({
      codec: RoomCompositeEgressRequest,
      about: ({ roomName }) => roomName,
      isAllowed: ({ video }) => video?.roomRecord === true,
      act: async (asked) =>
        egresses.start(asked.roomName, { case: "roomComposite", value: asked }, pathsOf(filesOf(asked))),
    }),
  ],
  [
    "livekit.Egress/StartParticipantEgress",
    reader({
      codec: ParticipantEgressRequest,
      about: ({ roomName }) => roomName,
      isAllowed: ({ video }) => video?.roomRecord === true,
      act: async (asked) =>
        egresses.start(asked.roomName, { case: "participant", value: asked }, pathsOf(asked.fileOutputs)),
    }),
  ],
  [
    "livekit.Egress/ListEgress",
    reader({
      codec: ListEgressRequest,
      about: ({ roomName }) => roomName,
      isAllowed: ({ video }) => video?.roomRecord === true,
      act: async (asked) => new ListEgressResponse({ items: [...egresses.list(asked)] }),
    }),
  ],
  [
    "livekit.Egress/StopEgress",
    reader({
      codec: StopEgressRequest,
      about: ({ egressId }) => egressId,
      isAllowed: ({ video }) => video?.roomRecord === true,
      act: async ({ egressId }) => egresses.stop(egressId),
    }),
  ],
]

/** The methods that the stand-in serves, by their paths. */
export const methodsOf = (world: World): ReadonlyMap<string, Reader> =>
  new Map([
    ...roomMethods(world),
    ...agentMethods(world),
    ...egressMethods(world),
    [
      "livekit.SIP/CreateSIPParticipant",
      reader({
        codec: CreateSIPParticipantRequest,
        about: ({ sipCallTo }) => sipCallTo,
        isAllowed: ({ sip }) => sip?.call === true,
        act: (asked) => world.calls.create(asked),
      }),
    ],
  ])
