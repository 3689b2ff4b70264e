import { AccessToken } from "livekit-server-sdk"
import { expect, it } from "vitest"
import { drawnFaults, type Faults, noFaults, type RequestFault, type WebhookFault } from "./Faults.ts"
import { stage } from "./Stage.ts"

const number = "+12125550100"

const onceAtCreate = (fault: RequestFault): Faults => ({
  ...noFaults,
  request: ({ nth, on }) => (on === "CreateSIPParticipant" && nth === 0 ? fault : null),
})

const requestCases: ReadonlyArray<readonly [fault: RequestFault, status: number | null, calls: number]> = [
  ["lost_before", null, 0],
  ["lost_after", null, 1],
  ["too_many", 429, 0],
  ["unavailable_before", 503, 0],
  ["unavailable_after", 503, 1],
]

it.each(requestCases)("%s: answered with %s, and there are %i calls", async (fault, status, calls) => {
  const { livekit, sip, trunkId } = await stage({ faults: onceAtCreate(fault) })
  const dial = () => sip.createSipParticipant(trunkId, number, "a", { participantIdentity: "x" })
  await expect(dial()).rejects.toThrow()
  while (livekit.requests().length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  expect(livekit.requests()).toMatchObject([{ method: "livekit.SIP/CreateSIPParticipant", fault, status }])
  expect(livekit.calls()).toHaveLength(calls)
  await dial()
  expect(livekit.calls()).toHaveLength(calls + 1)
})

const at = (on: string, fault: WebhookFault): Faults => ({
  ...noFaults,
  webhook: (occasion) => (occasion.on === on ? fault : null),
})

const webhookCases: ReadonlyArray<readonly [fault: WebhookFault, heard: ReadonlyArray<string>]> = [
  ["lost", ["room_started", "participant_left", "room_finished"]],
  ["doubled", ["room_started", "participant_joined", "participant_joined", "participant_left", "room_finished"]],
  ["reordered", ["room_started", "participant_left", "participant_joined", "room_finished"]],
]

it.each(webhookCases)("%s: the host hears %j", async (fault, heard) => {
  const { clock, events, livekit, sip, trunkId } = await stage({
    faults: at("participant_joined", fault),
    script: () => ({ outcome: "answered", setup_s: 1, ring_s: 1, talk_s: 5 }),
  })
  await sip.createSipParticipant(trunkId, number, "a")
  await clock.runOut()
  expect(events()).toEqual(heard)
  expect(livekit.webhooks().filter((entry) => entry.fault === fault)).toHaveLength(fault === "doubled" ? 2 : 1)
})

it("late: the host hears it up to a minute after it happened, with the time at which it happened", async () => {
  const { clock, host, sip, trunkId } = await stage({ faults: at("participant_joined", "late"), seed: "late" })
  const start = clock.now()
  await sip.createSipParticipant(trunkId, number, "a")
  await clock.runOut()
  const joined = host.heard.find(({ event }) => event.event === "participant_joined")
  expect(joined?.at).toBeGreaterThan(start)
  expect(joined?.at).toBeLessThanOrEqual(start + 60_000)
  expect(joined?.event.createdAt).toBe(BigInt(start / 1000))
})

it("sends a webhook again that was not taken, the same one, and gives up at last", async () => {
  const { clock, host, livekit, rooms } = await stage({}, ({ event }, nth) =>
    event.event === "room_started" ? (nth < 2 ? 503 : nth === 2 ? null : 200) : 400,
  )
  await rooms.createRoom({ name: "a", emptyTimeout: 100 })
  const start = clock.now()
  await clock.runOut()
  const started = host.heard.filter(({ event }) => event.event === "room_started")
  expect(started.map(({ at: time }) => time - start)).toEqual([0, 1_000, 3_000, 7_000])
  expect(new Set(started.map(({ event }) => event.id)).size).toBe(1)
  expect(host.heard.every(({ type }) => type === "application/webhook+json")).toBe(true)
  // What is refused by the host itself is not sent again.
  expect(livekit.webhooks().filter(({ event }) => event === "room_finished")).toHaveLength(1)
})

it("warns of fields that nobody knows", async () => {
  const { livekit } = await stage()
  const token = new AccessToken(livekit.apiKey, livekit.apiSecret)
  token.addGrant({ roomCreate: true })
  const headers = { "content-type": "application/json", authorization: `Bearer ${await token.toJwt()}` }
  const body = JSON.stringify({ name: "a", colour: "red" })
  const response = await fetch(`${livekit.url}/twirp/livekit.RoomService/CreateRoom`, { method: "POST", headers, body })
  expect(response.status).toBe(200)
  expect(livekit.warnings()).toMatchObject([{ what: "unknown_field" }])
})

/** Twelve calls while a seventh of all that can go wrong does; each is dialled again until there is an answer. */
const day = async (seed: string) => {
  const requests = { lost_before: 0.15, lost_after: 0.15, too_many: 0.15, unavailable_after: 0.15 }
  const webhooks = { lost: 0.15, doubled: 0.15, late: 0.15, reordered: 0.15 }
  const { clock, host, livekit, sip, trunkId } = await stage({
    faults: drawnFaults({ seed, requests, webhooks }),
    seed,
  })
  for (let call = 0; call < 12; call++) {
    const to = `+121255501${call + 10}`
    for (let tries = 0; tries < 20; tries++) {
      const answer = await sip.createSipParticipant(trunkId, to, `room ${call}`).catch(() => null)
      if (answer !== null) break
    }
  }
  await clock.runOut()
  const statuses = livekit.requests().map(({ fault, status }) => [fault, status])
  const told = livekit.webhooks().map(({ at: time, event, fault, room }) => [time, event, room, fault])
  return { statuses, told, calls: livekit.calls(), heard: host.heard.length }
}

it("is the same day again for the same seed, with every fault in it, and no call is left over", async () => {
  const { calls, heard, statuses, told } = await day("day")
  expect(calls.every(({ status }) => status === "ended")).toBe(true)
  const met = new Set([...statuses.map(([fault]) => fault), ...told.map(([, , , fault]) => fault)])
  for (const fault of ["lost_before", "lost_after", "too_many", "unavailable_after"]) expect(met).toContain(fault)
  for (const fault of ["lost", "doubled", "late", "reordered"]) expect(met).toContain(fault)
  expect(heard).toBe(told.filter(([, , , fault]) => fault !== "lost").length)
  const again = await day("day")
  expect([again.statuses, again.told]).toEqual([statuses, told])
})
