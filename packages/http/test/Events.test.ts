import { DependencyUnavailable, type PromiseCarrier } from "@carillon/core"
import { DeliveryStore } from "@carillon/core/ports"
import { memoryRows, MemoryTables } from "@carillon/core/memory"
import { Effect, Layer, Logger } from "effect"
import { assert, expect, it } from "vitest"
import { Carillon } from "../src/Carillon.ts"
import type { HostEvent } from "../src/HostEvents.ts"
import { accepting, acknowledging, memoryPorts, send } from "./World.ts"

const carrier: PromiseCarrier = {
  dial: (call) => Promise.resolve({ _tag: "Accepted", call_sid: `leg-of-${call.execution_id}` }),
  hangup: () => Promise.resolve("Sent"),
  find: () => Promise.resolve({ _tag: "NoAnswer" }),
}

/** Opens an organization with an agent, and says how a call of it is made to ring. */
const ringing = async (carillon: Carillon) => {
  const { key } = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })
  const agent = { display_name: "Reminder", status: "ACTIVE" }
  const { json } = await send(carillon.handle, { key, method: "POST", target: "/v2/agents", body: agent })
  return async () => {
    const body = { agent_id: json["agent_id"], to_number: "+15551234567" }
    const placed = await send(carillon.handle, { key, method: "POST", target: "/v2/calls", body })
    const execution_id = String(placed.json["execution_id"])
    await carillon.report({ execution_id, at: Date.now(), call_sid: null, type: "ringing" })
    return execution_id
  }
}

/** The first so many. */
const taken = async (events: AsyncIterable<HostEvent>, count: number) => {
  const found: Array<HostEvent> = []
  for await (const event of events) if (found.push(event) === count) break
  return found
}

it("tells a loop of what is committed, as it comes, until it breaks off", async () => {
  const carillon = await Carillon.inMemory({ carrier, keepEvents: true })
  const ring = await ringing(carillon)
  const rung = [await ring()]
  const told: Array<HostEvent> = []
  for await (const event of carillon.events()) {
    if (told.push(event) === 3) break
    rung.push(await ring())
  }
  assert.deepStrictEqual(
    told.map(({ execution_id, payload }) => [execution_id, payload.call_id, payload.event_type]),
    rung.map((id) => [id, id, "call_ringing"]),
  )
  assert.deepStrictEqual(await taken(carillon.events(told[0]?.cursor), 1), told.slice(1, 2))
  await carillon.close()
})

it("ends every loop when the engine closes, also one that waits", async () => {
  const carillon = await Carillon.inMemory({ carrier, keepEvents: true })
  await (
    await ringing(carillon)
  )()
  const waiting = taken(carillon.events("newest"), Infinity)
  const reading = carillon.events()[Symbol.asyncIterator]()
  assert.isFalse((await reading.next()).done)
  await carillon.close()
  assert.deepStrictEqual(await waiting, [])
  assert.isTrue((await reading.next()).done)
  assert.deepStrictEqual(await taken(carillon.events("newest"), Infinity), [])
})

it("rejects with what is wrong about a cursor, and where no events are kept", async () => {
  const carillon = await Carillon.inMemory({ carrier, keepEvents: true })
  const lost = taken(carillon.events("7.evt_of_nobody"), 1)
  await expect(lost).rejects.toMatchObject({ _tag: "CursorLost", why: "unknown" })
  await carillon.close()
  const forgetful = await Carillon.inMemory({ carrier })
  await expect(taken(forgetful.events(), 1)).rejects.toThrow("keepEvents: true")
  await forgetful.close()
})

it("goes on in another engine on the same rows, and warns one that would keep nothing of its own", async () => {
  const tables = new MemoryTables()
  const said: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
  const ports = Layer.mergeAll(memoryPorts(tables), accepting, acknowledging, logger)
  const first = await Carillon.make({ ports, keepEvents: true })
  await (
    await ringing(first)
  )()
  const [event] = await taken(first.events(), 1)
  await first.close()

  const second = await Carillon.make({ ports, keepEvents: true })
  const later = await (await ringing(second))()
  const [next] = await taken(second.events(event?.cursor), 1)
  assert.strictEqual(next?.execution_id, later)
  await second.close()
  const warned = () => said.filter((text) => text.includes("Events are kept on these rows")).length
  assert.strictEqual(warned(), 0)

  const third = await Carillon.make({ ports })
  assert.strictEqual(warned(), 1)
  await third.close()
})

it("waits while the store is away, and says so in the host's log", async () => {
  const tables = new MemoryTables()
  const said: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
  const { deliveries } = memoryRows(tables)
  let isAway = true
  const flaky = Layer.succeed(DeliveryStore, {
    ...deliveries,
    kept: (place, limit) =>
      Effect.suspend(() => {
        if (!isAway) return deliveries.kept(place, limit)
        isAway = false
        return Effect.fail(new DependencyUnavailable({ dependency: "webhook_store" }))
      }),
  })
  const ports = Layer.mergeAll(memoryPorts(tables), accepting, acknowledging, logger, flaky)
  const carillon = await Carillon.make({ ports, keepEvents: true })
  const id = await (await ringing(carillon))()
  const [event] = await taken(carillon.events(), 1)
  assert.strictEqual(event?.execution_id, id)
  assert.lengthOf(
    said.filter((text) => text.includes("The store does not answer")),
    1,
  )
  await carillon.close()
})
