import { simulatorTest } from "@carillon/simulator/vitest"
import { expect } from "vitest"

/** The code under test: it knows a base URL, a key and `fetch`, and nothing of simulators. */
const remind = async (to_number: string, agent_id: string, key: string, send: typeof fetch) => {
  const response = await send("http://carillon.test/v2/calls", {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ agent_id, to_number }),
  })
  const call: { execution_id: string; status: string } = JSON.parse(await response.text())
  return { status: response.status, call }
}

/** One world for this file, and an organization in it for each test. */
const test = simulatorTest({ seed: 1 })

test("a reminder is placed, and what came of it can be read", async ({ fetch, simulator, tenant }) => {
  const { agent_id, key } = tenant
  // +999 00 01: completes after ten seconds of talk.
  const { call, status } = await remind("+999000100000001", agent_id, key, fetch)
  expect(status).toBe(201)
  await simulator.advance({ until: { execution_id: call.execution_id, status: "completed" } })

  const headers = { authorization: `Bearer ${key}` }
  const read = await fetch(`http://carillon.test/v2/calls/${call.execution_id}`, { headers })
  expect(await read.json()).toMatchObject({ status: "completed", duration_seconds: 10 })
})

test("a lost acknowledgement is not an error: the call may be live, so it is never placed again", async ({
  fetch,
  simulator,
  tenant,
}) => {
  // +999 20: the dial is taken, its acknowledgement is lost. The request waits for it, so time has to pass.
  const placed = remind("+999200000000001", tenant.agent_id, tenant.key, fetch)
  await simulator.waiting()
  await simulator.advance({ until_idle: true })
  expect(await placed).toMatchObject({ status: 202, call: { dispatch: "pending_confirmation" } })
})

test("a program that knows only a URL is given one", async ({ tenant, url }) => {
  const listed = await fetch(`${url}/v2/calls`, { headers: { authorization: `Bearer ${tenant.key}` } })
  expect(await listed.json()).toMatchObject({ data: [], pagination: { total: 0 } })
})
