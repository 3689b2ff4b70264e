import { DisconnectReason, ParticipantInfo_Kind } from "@livekit/protocol"
import { AccessToken, RoomServiceClient } from "livekit-server-sdk"
import { expect, it } from "vitest"
import { failureOf, stage } from "./Stage.ts"

it("makes a room once, and has it as it was asked for last", async () => {
  const { clock, events, rooms } = await stage()
  const first = await rooms.createRoom({ name: "a", emptyTimeout: 30, metadata: "x" })
  const second = await rooms.createRoom({ name: "a", departureTimeout: 5 })
  expect(second.sid).toBe(first.sid)
  expect(second).toMatchObject({ emptyTimeout: 30, departureTimeout: 5, metadata: "x", numParticipants: 0 })
  expect((await rooms.listRooms()).map(({ name }) => name)).toEqual(["a"])
  expect(await rooms.listRooms(["b"])).toEqual([])
  await clock.advance(0)
  expect(events()).toEqual(["room_started"])
})

it("closes a room that nobody came to, and one that all but its agent have left", async () => {
  const { agents, clock, events, host, livekit, rooms, sip, trunkId } = await stage()
  await rooms.createRoom({ name: "empty", emptyTimeout: 30 })
  await clock.advance(29_999)
  expect(livekit.rooms()).toHaveLength(1)
  await clock.advance(1)
  expect(events()).toEqual(["room_started", "room_finished"])
  await agents.createDispatch("left", "caller", { metadata: "{}" })
  await sip.createSipParticipant(trunkId, "+12125550100", "left")
  const start = clock.now()
  await clock.runOut()
  // An answer after six seconds, a talk of twenty, and twenty more until the room is given up.
  expect(host.heard.at(-1)).toMatchObject({ at: start + 46_000, event: { event: "room_finished" } })
  expect(events().slice(2)).toEqual([
    "room_started",
    "participant_joined",
    "agent_job_started",
    "participant_joined",
    "participant_left",
    "participant_left",
    "agent_job_ended",
    "room_finished",
  ])
  const left = host.heard.flatMap(({ event }) => (event.event === "participant_left" ? (event.participant ?? []) : []))
  expect(left.map(({ disconnectReason, kind }) => [kind, disconnectReason])).toEqual([
    [ParticipantInfo_Kind.SIP, DisconnectReason.CLIENT_INITIATED],
    [ParticipantInfo_Kind.AGENT, DisconnectReason.ROOM_CLOSED],
  ])
})

it("knows nothing of what is not there", async () => {
  const { agents, rooms } = await stage()
  expect(await rooms.listParticipants("none")).toEqual([])
  const notFound = { status: 404, code: "not_found" }
  expect(await failureOf(rooms.getParticipant("none", "x"))).toMatchObject(notFound)
  expect(await failureOf(rooms.removeParticipant("none", "x"))).toMatchObject(notFound)
  expect(await failureOf(rooms.deleteRoom("none"))).toMatchObject(notFound)
  expect(await failureOf(agents.listDispatch("none"))).toMatchObject({ status: 503, code: "unavailable" })
})

it("sends agents with what they are told, from the room's making and by request", async () => {
  const { agents, clock, livekit, rooms } = await stage({
    agents: ({ agent_name }) => (agent_name === "never" ? { joins_after_s: null } : {}),
  })
  await agents.createDispatch("a", "never", { metadata: "1" })
  const asked = await agents.createDispatch("a", "caller", { metadata: "2" })
  await clock.advance(1_000)
  const listed = await agents.listDispatch("a")
  expect(listed.map(({ agentName, metadata, state }) => [agentName, metadata, state?.jobs.length])).toEqual([
    ["never", "1", 0],
    ["caller", "2", 1],
  ])
  expect(livekit.dispatches()[1]?.id).toBe(asked.id)
  expect((await rooms.listParticipants("a")).map(({ kind, name }) => [kind, name])).toEqual([
    [ParticipantInfo_Kind.AGENT, "caller"],
  ])
})

it("tells of an agent that dies", async () => {
  const { agents, clock, host } = await stage({ agents: () => ({ fails_after_s: 3 }) })
  await agents.createDispatch("a", "caller")
  await clock.advance(4_000)
  expect(host.heard.at(-2)?.event.participant?.disconnectReason).toBe(DisconnectReason.AGENT_ERROR)
  expect(host.heard.at(-1)?.event).toMatchObject({ event: "agent_job_ended", job: { state: { status: 3 } } })
})

it("takes the tokens of its own secret that grant what is asked for", async () => {
  const { livekit } = await stage()
  const { apiKey, apiSecret, url } = livekit
  const stranger = new RoomServiceClient(url, apiKey, "another secret")
  expect(await failureOf(stranger.listRooms())).toMatchObject({ status: 401 })
  const ask = async (authorization: string | null, path = "livekit.RoomService/ListRooms", body = "{}") => {
    const headers = { "content-type": "application/json", ...(authorization === null ? {} : { authorization }) }
    const response = await fetch(`${url}/twirp/${path}`, { method: "POST", headers, body })
    return [response.status, await response.text()]
  }
  const token = new AccessToken(apiKey, apiSecret)
  token.addGrant({ roomList: true })
  const jwt = await token.toJwt()
  expect(await ask(`Bearer ${jwt}`)).toEqual([200, '{"rooms":[]}'])
  expect((await ask(jwt))[0]).toBe(401)
  const denied = [401, '{"code":"unauthenticated","msg":"permissions denied"}']
  expect(await ask(null)).toEqual(denied)
  expect(await ask(`Bearer ${jwt}`, "livekit.RoomService/CreateRoom", '{"name":"a"}')).toEqual(denied)
  expect((await ask(`Bearer ${jwt}`, "livekit.RoomService/Nothing"))[0]).toBe(404)
  expect((await ask(`Bearer ${jwt}`, "livekit.RoomService/ListRooms", "{"))[0]).toBe(400)
})
