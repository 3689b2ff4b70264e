import { createClient } from "@carillon/client/promise"
import { Simulator } from "@carillon/simulator"
import { expect, test } from "vitest"
import { missed, remind } from "./client-remind.ts"

/** A service of its own, in this process. Where the client waits, its time passes. */
const world = async () => {
  const simulator = await Simulator.start({ seed: 1, clock: "manual" })
  const carillon = createClient({
    baseUrl: "http://carillon.test",
    key: simulator.info.key,
    fetch: simulator.fetch,
    sleep: (ms) => simulator.advance({ by_ms: ms }),
  })
  return { simulator, carillon, agent_id: simulator.info.agent_id }
}

test("a reminder is one call, however often it is asked for", async () => {
  const { agent_id, carillon, simulator } = await world()
  // +999 02: nobody picks up.
  const first = await remind(carillon, agent_id, "17", "+999020000000001")
  expect(await remind(carillon, agent_id, "17", "+999020000000001")).toBe(first)
  expect(await carillon.callEnd(first)).toMatchObject({ status: "no-answer", variables: { order: "17" } })
  expect(await missed(carillon, agent_id)).toEqual(["+999020000000001"])
  await simulator.close()
})

test("an empty wallet is said in words", async () => {
  const { agent_id, carillon, simulator } = await world()
  expect(await remind(carillon, agent_id, "18", "+999070000000001")).toBe("the wallet is empty")
  await simulator.close()
})
