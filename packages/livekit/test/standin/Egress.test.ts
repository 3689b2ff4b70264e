import {
  EgressStatus,
  EncodedFileOutput,
  EncodedFileType,
  RoomCompositeEgressRequest,
  RoomEgress,
} from "@livekit/protocol"
import { expect, it } from "vitest"
import { failureOf, stage } from "./Stage.ts"

const number = "+12125550100"
const file = new EncodedFileOutput({ fileType: EncodedFileType.OGG, filepath: "calls/{room_name}.ogg" })

it("records a room until it is closed, and tells of the file", async () => {
  const { clock, egress, host, rooms, sip, trunkId } = await stage()
  await rooms.createRoom({ name: "a" })
  const { egressId, status } = await egress.startRoomCompositeEgress("a", { file }, { audioOnly: true })
  expect(status).toBe(EgressStatus.EGRESS_STARTING)
  await sip.createSipParticipant(trunkId, number, "a")
  await clock.advance(1_000)
  expect((await egress.listEgress({ roomName: "a", active: true })).map((info) => info.status)).toEqual([
    EgressStatus.EGRESS_ACTIVE,
  ])
  await rooms.deleteRoom("a")
  await clock.runOut()
  const told = host.heard.flatMap(({ event }) => (event.egressInfo === undefined ? [] : [event]))
  expect(told.map(({ event }) => event)).toEqual(["egress_started", "egress_updated", "egress_ended"])
  expect(told.at(-1)?.egressInfo).toMatchObject({
    egressId,
    status: EgressStatus.EGRESS_COMPLETE,
    fileResults: [{ filename: "calls/a.ogg", location: "https://recordings.livekit.test/calls/a.ogg" }],
  })
  expect(await failureOf(egress.stopEgress(egressId))).toMatchObject({ code: "failed_precondition" })
})

it("begins with the room where the room was made so, once", async () => {
  const { clock, livekit, rooms } = await stage({ recordings: "failed" })
  const composite = new RoomCompositeEgressRequest({ roomName: "a", audioOnly: true, fileOutputs: [file] })
  const made = { name: "a", egress: new RoomEgress({ room: composite }) }
  await rooms.createRoom(made)
  await rooms.createRoom(made)
  await clock.runOut()
  expect(livekit.egresses()).toMatchObject([{ status: EgressStatus.EGRESS_FAILED, fileResults: [] }])
})

it("stops by request, and records nothing where there is no room, no output or no such egress", async () => {
  const { clock, egress, livekit, rooms } = await stage()
  await rooms.createRoom({ name: "a" })
  const { egressId } = await egress.startParticipantEgress("a", "callee", { file })
  await clock.advance(2_000)
  expect((await egress.stopEgress(egressId)).status).toBe(EgressStatus.EGRESS_ENDING)
  await clock.advance(3_000)
  expect(livekit.egresses()).toMatchObject([{ status: EgressStatus.EGRESS_COMPLETE }])
  expect(await failureOf(egress.startRoomCompositeEgress("none", { file }))).toMatchObject({ code: "not_found" })
  expect(await failureOf(egress.stopEgress("EG_none"))).toMatchObject({ code: "not_found" })
  expect(await egress.listEgress({ egressId: "EG_none" })).toEqual([])
})
