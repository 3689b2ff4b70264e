import {
  CreateSIPParticipantRequest,
  DisconnectReason,
  ListParticipantsRequest,
  ListParticipantsResponse,
} from "@livekit/protocol"
import { AccessToken } from "livekit-server-sdk"
import { expect, it } from "vitest"
import type { Fate } from "./Fate.ts"
import { failureOf, stage, until } from "./Stage.ts"

const number = "+12125550100"

it("rings, is answered and ends, and the participant says so all the while", async () => {
  const { clock, host, livekit, rooms, sip, trunkId } = await stage()
  const info = await sip.createSipParticipant(trunkId, number, "a", { participantIdentity: "callee" })
  const statusAt = async (ms: number) => {
    await clock.runTo(start + ms)
    return (await rooms.getParticipant("a", "callee")).attributes["sip.callStatus"]
  }
  const start = clock.now()
  expect(await statusAt(0)).toBe("dialing")
  expect(await statusAt(1_000)).toBe("ringing")
  expect(await statusAt(5_999)).toBe("ringing")
  expect(await statusAt(6_000)).toBe("active")
  await clock.runTo(start + 26_000)
  expect(livekit.calls()).toMatchObject([
    {
      id: info.sipCallId,
      to: number,
      status: "ended",
      reason: DisconnectReason.CLIENT_INITIATED,
      answeredAt: start + 6_000,
    },
  ])
  const { participant } = host.heard.at(-1)?.event ?? {}
  expect(participant).toMatchObject({
    identity: "callee",
    disconnectReason: DisconnectReason.CLIENT_INITIATED,
    attributes: { "sip.callID": info.sipCallId, "sip.callStatus": "hangup", "sip.phoneNumber": number },
  })
})

/** Each final code of an INVITE: what a request that waits fails with, and why the participant left. */
const endings: ReadonlyArray<readonly [sip: number, status: number, code: string, reason: DisconnectReason]> = [
  [403, 403, "permission_denied", DisconnectReason.USER_REJECTED],
  [404, 404, "not_found", DisconnectReason.USER_UNAVAILABLE],
  [408, 408, "deadline_exceeded", DisconnectReason.USER_UNAVAILABLE],
  [480, 429, "resource_exhausted", DisconnectReason.USER_UNAVAILABLE],
  [484, 400, "invalid_argument", DisconnectReason.USER_REJECTED],
  [486, 429, "resource_exhausted", DisconnectReason.USER_REJECTED],
  [503, 412, "failed_precondition", DisconnectReason.CLIENT_INITIATED],
  [603, 403, "permission_denied", DisconnectReason.USER_REJECTED],
]

it.each(endings)("SIP %i: HTTP %i %s", async (sipCode, status, code, reason) => {
  const { clock, livekit, sip, trunkId } = await stage({ script: () => ({ outcome: { code: sipCode } }) })
  const asked = sip.createSipParticipant(trunkId, number, "a", { waitUntilAnswered: true })
  expect(await failureOf(until(clock, asked))).toMatchObject({
    status,
    code,
    metadata: { sip_status_code: String(sipCode) },
  })
  expect(livekit.calls()).toMatchObject([{ reason, status: "ended" }])
})

const unanswered: Fate = { outcome: "unanswered" }

it("stops ringing when it may ring no longer, and says so without a SIP code", async () => {
  const { clock, livekit, sip, trunkId } = await stage({ script: () => unanswered })
  const asked = sip.createSipParticipant(trunkId, number, "a", { waitUntilAnswered: true, ringingTimeout: 20 })
  expect(await failureOf(until(clock, asked))).toEqual({ status: 408, code: "canceled", metadata: undefined })
  expect(livekit.calls()).toMatchObject([{ reason: DisconnectReason.USER_UNAVAILABLE, sipCode: null }])
  expect((livekit.calls()[0]?.endedAt ?? 0) - (livekit.calls()[0]?.createdAt ?? 0)).toBe(20_000)
})

it("keeps a request that waits for eighty seconds", async () => {
  const { clock, livekit, sip, trunkId } = await stage({ script: () => unanswered })
  const asked = sip.createSipParticipant(trunkId, number, "a", { waitUntilAnswered: true, ringingTimeout: 120 })
  expect(await failureOf(until(clock, asked))).toMatchObject({ status: 408, code: "deadline_exceeded" })
  expect((livekit.calls()[0]?.endedAt ?? 0) - (livekit.calls()[0]?.createdAt ?? 0)).toBe(80_000)
})

it("rings on when whoever waits for it goes away", async () => {
  const { clock, livekit } = await stage()
  const { apiKey, apiSecret, trunkId, url } = livekit
  const token = new AccessToken(apiKey, apiSecret)
  token.addSIPGrant({ call: true })
  const headers = { "content-type": "application/protobuf", authorization: `Bearer ${await token.toJwt()}` }
  const asked = { sipTrunkId: trunkId, sipCallTo: number, roomName: "a", waitUntilAnswered: true }
  const body = new Uint8Array(new CreateSIPParticipantRequest(asked).toBinary())
  const leaving = new AbortController()
  const path = "/twirp/livekit.SIP/CreateSIPParticipant"
  const gone = fetch(url + path, { method: "POST", headers, body, signal: leaving.signal }).catch(() => "gone")
  while (livekit.waiting() === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  leaving.abort()
  expect(await gone).toBe("gone")
  while (livekit.warnings().length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  expect(livekit.warnings()).toMatchObject([{ what: "gone_before_answer" }])
  await clock.advance(6_000)
  expect(livekit.calls()).toMatchObject([{ status: "active" }])
})

const removals: ReadonlyArray<readonly [by: "agent" | "agent_removes" | "media", reason: DisconnectReason]> = [
  ["agent", DisconnectReason.ROOM_DELETED],
  ["agent_removes", DisconnectReason.PARTICIPANT_REMOVED],
  ["media", DisconnectReason.CLIENT_INITIATED],
]

it.each(removals)("ended by %s", async (ended_by, reason) => {
  const { clock, host, livekit, sip, trunkId } = await stage({ script: () => ({ outcome: "answered", ended_by }) })
  await sip.createSipParticipant(trunkId, number, "a")
  await clock.runOut()
  expect(livekit.calls()).toMatchObject([{ reason, status: "ended" }])
  const left = host.heard.filter(({ event }) => event.event === "participant_left")
  expect(left.map(({ event }) => event.participant?.attributes["sip.callStatus"])).toEqual(["active"])
})

it("hangs up by removal in every phase, and by deletion, once", async () => {
  for (const ms of [0, 2_000, 10_000]) {
    const { clock, livekit, rooms, sip, trunkId } = await stage()
    await sip.createSipParticipant(trunkId, number, "a", { participantIdentity: "callee" })
    await clock.advance(ms)
    await rooms.removeParticipant("a", "callee")
    expect(livekit.calls()).toMatchObject([{ reason: DisconnectReason.PARTICIPANT_REMOVED, endedAt: clock.now() }])
    expect(await failureOf(rooms.removeParticipant("a", "callee"))).toMatchObject({ code: "not_found" })
    await sip.createSipParticipant(trunkId, number, "a")
    await rooms.deleteRoom("a")
    expect(livekit.calls()[1]).toMatchObject({ reason: DisconnectReason.ROOM_DELETED })
    await clock.runOut()
  }
})

it("puts out whoever has the same identity, and rings again", async () => {
  const { clock, livekit, sip, trunkId } = await stage()
  const dial = () => sip.createSipParticipant(trunkId, number, "a", { participantIdentity: "callee" })
  await dial()
  await dial()
  await clock.runOut()
  expect(livekit.calls().map(({ reason }) => reason)).toEqual([
    DisconnectReason.DUPLICATE_IDENTITY,
    DisconnectReason.CLIENT_INITIATED,
  ])
  expect(livekit.warnings()).toMatchObject([{ what: "duplicate_identity" }])
})

it("ends a call at its longest, counted from the request", async () => {
  const { clock, livekit, sip, trunkId } = await stage()
  await sip.createSipParticipant(trunkId, number, "a", { maxCallDuration: 10 })
  const start = clock.now()
  await clock.runOut()
  expect(livekit.calls()[0]?.endedAt).toBe(start + 10_000)
})

it("refuses what cannot be placed", async () => {
  const { clock, livekit, sip, trunkId } = await stage({
    script: () => ({ refused: "resource_exhausted", message: "outbound limit" }),
  })
  expect(await failureOf(sip.createSipParticipant("ST_other", number, "a"))).toMatchObject({ code: "not_found" })
  expect(await failureOf(sip.createSipParticipant(trunkId, "", "a"))).toMatchObject({ code: "invalid_argument" })
  expect(await failureOf(sip.createSipParticipant(trunkId, "a@b", "a"))).toMatchObject({ code: "invalid_argument" })
  expect(await failureOf(sip.createSipParticipant(trunkId, number, ""))).toMatchObject({ code: "invalid_argument" })
  expect(await failureOf(sip.createSipParticipant(trunkId, number, "a"))).toMatchObject({ status: 429 })
  await clock.runOut()
  expect(livekit.calls()).toEqual([])
  expect(livekit.rooms()).toEqual([])
})

it("hides the number where that is asked for", async () => {
  const { rooms, sip, trunkId } = await stage()
  const participantAttributes = { execution: "e1" }
  await sip.createSipParticipant(trunkId, number, "a", {
    participantIdentity: "x",
    hidePhoneNumber: true,
    participantAttributes,
  })
  const { attributes } = await rooms.getParticipant("a", "x")
  expect(Object.keys(attributes).toSorted()).toEqual(["execution", "sip.callID", "sip.callStatus", "sip.trunkID"])
})

it("speaks protobuf as well", async () => {
  const { livekit, sip, trunkId } = await stage()
  await sip.createSipParticipant(trunkId, number, "a", { participantIdentity: "x" })
  const token = new AccessToken(livekit.apiKey, livekit.apiSecret)
  token.addGrant({ roomAdmin: true, room: "a" })
  const headers = { "content-type": "application/protobuf", authorization: `Bearer ${await token.toJwt()}` }
  const body = new Uint8Array(new ListParticipantsRequest({ room: "a" }).toBinary())
  const path = "/twirp/livekit.RoomService/ListParticipants"
  const response = await fetch(livekit.url + path, { method: "POST", headers, body })
  expect(response.headers.get("content-type")).toBe("application/protobuf")
  const { participants } = ListParticipantsResponse.fromBinary(new Uint8Array(await response.arrayBuffer()))
  expect(participants.map(({ identity }) => identity)).toEqual(["x"])
})

it("tells the worker of its callee", async () => {
  const moments: Array<readonly [on: string, id: string]> = []
  const { clock, livekit, sip, trunkId } = await stage({
    worker: async ({ call, on }) => void moments.push([on, call.id]),
  })
  await sip.createSipParticipant(trunkId, number, "a")
  await clock.runOut()
  const id = livekit.calls()[0]?.id
  expect(moments).toEqual([
    ["answered", id],
    ["left", id],
  ])
})
