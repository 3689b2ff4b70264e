import { expect, test } from "vitest"
import { Client } from "./Client.ts"

test("two processes on one world give no id twice, and lose no commit", async () => {
  const client = await Client.start()
  const ids: Array<string> = []
  for (let generation = 0; generation < 3; generation++) {
    for (let nth = 0; nth < 2; nth++) {
      const { body, headers } = await client.dial("+999010000000001")
      ids.push(String(body.execution_id), headers.get("x-request-id")!)
    }
    const made = await client.post("/v2/agents", { display_name: "Another" })
    ids.push(String(made.body["agent_id"]))
    await client.idle()
    await client.simulator.crash()
  }
  expect(new Set(ids).size).toBe(ids.length)
  const { body } = await client.get("/v2/calls?page_size=100")
  expect(body.data).toHaveLength(6)
  for (const call of body.data) expect(call["status"]).toBe("busy")
  expect(await client.violations()).toEqual([])
})

test("a crash answers what waits with 1501 and loses no call, wherever it strikes", async () => {
  for (let steps = 0; steps < 60; steps++) {
    const client = await Client.start({ seed: steps })
    await client.post("/v2/webhooks", { callback_url: "https://all.inbox.test/", event_types: ["call_completed"] })
    await client.simulator.crash(steps)
    const { body, status } = await client.dial("+999000100000001")
    expect([201, 503]).toContain(status)
    if (status === 503) expect(body.error).toBe(1501)
    await client.advance({ by: "PT1H" })
    expect(await client.violations()).toEqual([])
    const { data } = (await client.get("/v2/calls")).body
    const { data: legs } = await client.legs()
    expect(legs.length).toBeLessThanOrEqual(1)
    // A call that was stored and never dialled is cleaned up; one that the carrier has completed is told to the customer.
    const inbox = (await client.get("/_sim/inbox/all")).body.data
    for (const call of data) expect(call["status"]).toBe(legs.length === 1 ? "completed" : "error")
    expect(data.length).toBeGreaterThanOrEqual(legs.length)
    expect(inbox.length > 0).toBe(data.length > 0)
  }
})

test("a restarted process goes on with what was booked and with what is live", async () => {
  const client = await Client.start()
  const live = await client.dial("+999000100000001")
  const booked = await client.dial("+999010000000001", { scheduled_at: "2026-01-05T12:00:00Z" })
  await client.advance({ by_ms: 500 })
  await client.simulator.crash()
  await client.advance({ until_idle: true })
  expect((await client.call(live.body.execution_id))["status"]).toBe("completed")
  expect((await client.call(booked.body.execution_id))["status"]).toBe("busy")
  expect(await client.violations()).toEqual([])
})

test("a request with a key is answered when it comes again after a crash, wherever that strikes, and is done once", async () => {
  for (let steps = 0; steps < 60; steps += 3) {
    const client = await Client.start({ seed: steps })
    const { agent_id } = client.simulator.info
    const place = () =>
      client.send("POST", "/v2/calls", { agent_id, to_number: "+999000100000001" }, { "idempotency-key": "once" })
    await client.simulator.crash(steps)
    const first = await place()
    let again = await place()
    // The crash may strike only now.
    for (let tries = 0; again.status === 409 || again.body.error === 1501; tries++) {
      expect(tries).toBeLessThan(5)
      const seconds = Math.max(15, Number(again.headers.get("retry-after")))
      await client.advance({ by_ms: seconds * 1_000 })
      again = await place()
    }
    expect([201, 202]).toContain(again.status)
    if (first.status === 201) expect(again.body.execution_id).toBe(first.body.execution_id)
    await client.advance({ by: "PT1H" })
    const { data } = (await client.get("/v2/calls")).body
    expect(data.map((call) => call["execution_id"])).toEqual([again.body.execution_id])
    expect((await client.legs()).data.length).toBeLessThanOrEqual(1)
    expect((await place()).text).toBe(again.text)
    expect(await client.violations()).toEqual([])
  }
})
