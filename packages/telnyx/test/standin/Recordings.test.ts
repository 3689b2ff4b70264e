import { expect, it } from "vitest"
import { codeOf, stage, under } from "./Stage.ts"

const recorded = { record: "record-from-answer", record_channels: "dual", record_format: "mp3", client_state: "ZTE=" }

const urlOf = (urls: unknown): string =>
  typeof urls === "object" && urls !== null && "mp3" in urls ? String(urls.mp3) : ""

it("saves a recording, tells of it without the control id, and gives its sound for ten minutes", async () => {
  const { clock, dialled, host } = await stage()
  await dialled(recorded)
  await clock.advance(29_000)
  const saved = host.heard.at(-1)
  expect(saved?.type).toBe("call.recording.saved")
  expect(saved?.payload).toMatchObject({ channels: "dual", client_state: "ZTE=" })
  expect(saved?.payload).not.toHaveProperty("call_control_id")
  const url = urlOf(saved?.payload["recording_urls"])
  expect(await (await fetch(url)).text()).toMatch(/^audio of /)
  expect((await fetch(url.replace("signature=", "signature=0"))).status).toBe(403)
  await clock.advance(600_001)
  expect((await fetch(url)).status).toBe(403)
})

it("lists what is saved, by call, leg and number, and gives each a new address", async () => {
  const { ask, clock, dialled, telnyx } = await stage()
  const first = await dialled(recorded)
  await dialled({ ...recorded, to: "+12125550101" })
  const before = await ask("GET", "/v2/recordings")
  await clock.runOut()
  const list = async (query: string) => {
    const { data } = (await ask("GET", `/v2/recordings${query}`)).body
    return Array.isArray(data) ? data : []
  }
  expect(before.body["data"]).toEqual([])
  expect(await list("")).toHaveLength(2)
  expect(await list("?filter[to]=%2B12125550101")).toHaveLength(1)
  const leg = telnyx.calls()[0]?.call_leg_id
  const [one] = await list(`?filter[call_leg_id]=${leg}`)
  expect(one).toMatchObject({ call_control_id: first, initiated_by: "OutboundAPI", duration_millis: 20_000 })
  const same = under((await ask("GET", `/v2/recordings/${one.id}`)).body, "data")
  expect((await fetch(urlOf(same["download_urls"]))).status).toBe(200)
})

it("has none of a call that nobody answered, or whose script has none", async () => {
  const { ask, clock, dialled, host, telnyx } = await stage({
    script: ({ to }) => (to.endsWith("1") ? { outcome: "busy" } : { outcome: "answered", recorded: false }),
  })
  await dialled({ ...recorded, to: "+12125550101" })
  await dialled(recorded)
  await clock.runOut()
  expect(host.heard.filter(({ type }) => type === "call.recording.saved")).toEqual([])
  const missing = await ask("GET", `/v2/recordings/${telnyx.recordings()[0]?.id}`)
  expect([missing.status, codeOf(missing)]).toEqual([404, "10005"])
})

it("records from when it is told to, until it is told to stop", async () => {
  const { act, clock, dialled, host } = await stage({ script: () => ({ outcome: "answered", talk_s: 60 }) })
  const id = await dialled()
  await clock.advance(10_000)
  await act(id, "record_start", { channels: "single", format: "wav" })
  await clock.advance(5_000)
  await act(id, "record_stop")
  await clock.runOut()
  const [saved] = host.heard.filter(({ type }) => type === "call.recording.saved")
  expect(saved?.payload).toMatchObject({
    channels: "single",
    recording_started_at: "2026-01-05T09:00:10.000Z",
    recording_ended_at: "2026-01-05T09:00:15.000Z",
  })
})
