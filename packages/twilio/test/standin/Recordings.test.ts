import { expect, it } from "vitest"
import { nonconformities } from "./Conformity.ts"
import { callRecordingFields, pageFields, recordingFields } from "./Contract.ts"
import type { Answered } from "./Stage.ts"
import { stage } from "./Stage.ts"

const recorded = { Record: "true", RecordingChannels: "dual", RecordingTrack: "both" }

const listed = ({ body }: Answered): ReadonlyArray<unknown> => {
  const { recordings, ...page } = body
  expect(nonconformities(pageFields, page)).toEqual([])
  return Array.isArray(recordings) ? recordings : []
}

it("records a call, tells of it, and gives it to those with credentials alone", async () => {
  const { account, allEvents, ask, clock, dial, fetch, get, host, twilio } = await stage()
  const form = {
    ...recorded,
    RecordingStatusCallback: `${host.url}/r`,
    RecordingStatusCallbackEvent: "in-progress completed",
  }
  const { body } = await dial({ ...allEvents, ...form })
  const ofCall = `/Calls/${String(body["sid"])}/Recordings.json`
  expect(listed(await get(ofCall))).toEqual([])
  await clock.advance(10_000)
  expect(listed(await get(ofCall))).toMatchObject([{ status: "in-progress", duration: null, channels: 2 }])
  const sid = twilio.calls()[0]?.recording?.sid
  expect((await get(`/Recordings/${sid}.mp3`)).status).toBe(404)
  await clock.runOut()
  expect((await fetch(body["sid"]))["duration"]).toBe("20")
  const told = host.heard.filter(({ path }) => path === "/r")
  expect(told.map(({ parameters }) => [parameters["RecordingStatus"], parameters["RecordingDuration"]])).toEqual([
    ["in-progress", undefined],
    ["completed", "20"],
  ])
  const url = `${twilio.url}${account}/Recordings/${sid}`
  expect(told.at(-1)?.parameters).toMatchObject({
    RecordingUrl: url,
    RecordingChannels: "2",
    RecordingSource: "OutboundAPI",
  })
  const ended = host.heard.find(({ parameters }) => parameters["CallStatus"] === "completed")
  expect(ended?.parameters).toMatchObject({ RecordingUrl: url, RecordingSid: sid })
  for (const extension of ["", ".wav", ".mp3"]) {
    expect((await ask("GET", `${account}/Recordings/${sid}${extension}`, undefined, "")).status).toBe(401)
    const media = await get(`/Recordings/${sid}${extension}`)
    expect(media.headers.get("content-type")).toBe(extension === ".mp3" ? "audio/mpeg" : "audio/x-wav")
    expect(media.body["text"]).toBe(`audio of ${sid}`)
  }
})

it("shows recordings as the document says, by call and by account", async () => {
  const { clock, dial, get, twilio } = await stage()
  const first = await dial(recorded)
  await dial(recorded)
  await dial()
  await clock.runOut()
  const ofCall = listed(await get(`/Calls/${String(first.body["sid"])}/Recordings.json`))
  const all = listed(await get("/Recordings.json"))
  const ofOne = listed(await get(`/Recordings.json?CallSid=${String(first.body["sid"])}`))
  expect([ofCall.length, all.length, ofOne.length]).toEqual([1, 2, 1])
  const sid = twilio.calls()[0]?.recording?.sid
  const one = await get(`/Calls/${String(first.body["sid"])}/Recordings/${sid}.json`)
  const same = await get(`/Recordings/${sid}.json`)
  for (const recording of [...ofCall, one.body]) expect(nonconformities(callRecordingFields, recording)).toEqual([])
  for (const recording of [...all, same.body]) expect(nonconformities(recordingFields, recording)).toEqual([])
  const other = twilio.calls()[1]?.sid
  expect((await get(`/Calls/${other}/Recordings/${sid}.json`)).status).toBe(404)
})

it("has none of a call that was too short, or whose script has none, or that nobody answered", async () => {
  const { clock, dial, get, host, twilio } = await stage({
    script: ({ to }) => {
      if (to.endsWith("1")) return { outcome: "completed", talk_s: 0 }
      return to.endsWith("2") ? { outcome: "completed", recording: "absent" } : { outcome: "busy" }
    },
  })
  const form = {
    ...recorded,
    RecordingStatusCallback: `${host.url}/r`,
    RecordingStatusCallbackEvent: ["completed", "absent"],
  }
  for (const end of [1, 2, 3]) await dial({ ...form, To: `+1212555010${end}` })
  await clock.runOut()
  expect(host.heard.map(({ parameters }) => [parameters["RecordingStatus"], parameters["ErrorCode"]])).toEqual([
    ["absent", "16101"],
    ["absent", "16101"],
  ])
  expect(twilio.calls().map(({ recording }) => recording?.status)).toEqual(["absent", "absent", undefined])
  expect((await get(`/Recordings/${twilio.calls()[0]?.recording?.sid}.mp3`)).status).toBe(404)
})

it("gives recordings to everybody where the account has chosen that, and nothing else", async () => {
  const { account, ask, clock, dial, twilio } = await stage({ openMedia: true })
  await dial(recorded)
  await clock.runOut()
  const sid = twilio.calls()[0]?.recording?.sid
  expect((await ask("GET", `${account}/Recordings/${sid}.mp3`, undefined, "")).status).toBe(200)
  expect((await ask("GET", `${account}/Recordings/${sid}.json`, undefined, "")).status).toBe(401)
})
