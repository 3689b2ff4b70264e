import { expect, it } from "vitest"
import { stage } from "./Stage.ts"

it("shows the requests of a call fifteen minutes after its end, what made it among them, and none that was never sent", async () => {
  const { allEvents, clock, dial, get } = await stage({
    faults: { request: () => null, callback: ({ on }) => (on === "status:ringing" ? "lost" : null) },
  })
  const { body } = await dial(allEvents)
  const record = `/Calls/${String(body["sid"])}/Events.json?PageSize=100`
  await clock.advance(60_000)
  expect((await get(record)).body["events"]).toEqual([])
  await clock.advance(15 * 60_000)
  const { events } = (await get(record)).body
  expect(events).toMatchObject([
    { request: { method: "POST", parameters: { status_callback: allEvents.StatusCallback } } },
    { request: { url: allEvents.StatusCallback, parameters: { call_status: "initiated" } } },
    { request: { url: allEvents.StatusCallback, parameters: { call_status: "in-progress" } } },
    { request: { url: allEvents.StatusCallback, parameters: { call_status: "completed" } } },
  ])
  expect((await get("/Calls/CA00000000000000000000000000000000/Events.json")).status).toBe(404)
})
