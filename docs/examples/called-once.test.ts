import { simulatorTest } from "@carillon/simulator/vitest"
import { expect } from "vitest"
import { careful as remind } from "./called-once.ts"

const test = simulatorTest({ seed: 1, clock: "scaled:100" })

test("nobody is called twice, though an acknowledgement is lost", async ({ fetch, tenant }) => {
  const { agent_id, key } = tenant
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const place = (to_number: string) => {
    const body = JSON.stringify({ agent_id, to_number })
    return fetch("http://carillon.test/v2/calls", { method: "POST", headers, body })
  }
  // +999 20: the dial is taken, its acknowledgement is lost.
  await remind(place, "+999200000000001")
  const listed = await fetch("http://carillon.test/v2/calls", { headers })
  expect(await listed.json()).toMatchObject({ pagination: { total: 1 } })
})
