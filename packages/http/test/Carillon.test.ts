import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Engine, Funds } from "@carillon/core"
import { DomainClock, Steps } from "@carillon/core/ports"
import { MemoryTables } from "@carillon/core/memory"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { Carillon } from "../src/Carillon.ts"
import { nodeListener } from "../src/node.ts"
import {
  accepting,
  acknowledging,
  agentId,
  keyRow,
  keyText,
  memoryPorts,
  scripted,
  seed,
  send,
  start,
} from "./World.ts"

it("starts on its ports, serves, takes reports, and closes", async () => {
  const carillon = await Carillon.make({
    ports: Layer.mergeAll(memoryPorts(new MemoryTables()), accepting, acknowledging),
  })
  const key = keyText(1)
  const changes = [...seed, { put: "api_key" as const, row: keyRow(key, {}) }]
  await carillon.run(Effect.flatMap(Steps, (steps) => steps.commit({ organization_id: "org_1", changes })))

  const server = createServer(nodeListener(carillon.handle))
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const url = `http://127.0.0.1:${port}/v2/calls`
  const body = JSON.stringify({ agent_id: agentId, to_number: "+15551234567" })
  const placed = await fetch(url, { method: "POST", headers, body })
  expect(placed.status).toBe(201)
  const { execution_id } = Object(await placed.json())
  expect(execution_id).toMatch(/^exec_/)
  await carillon.report({ execution_id, at: Date.now(), call_sid: "leg_1", type: "ringing" })
  expect(await (await fetch(`${url}/${execution_id}`, { headers })).json()).toMatchObject({ status: "ringing" })

  await new Promise((resolve) => server.close(resolve).closeAllConnections())
  await carillon.close()
  const late = await new Promise<number>((resolve) =>
    carillon.handle({ method: "GET", target: "/v2/calls", header: () => null, body: null }, ({ status }) =>
      resolve(status),
    ),
  )
  expect(late).toBe(503)
})

it("prefers what the host brings to its own sources", async () => {
  const broke = Layer.succeed(Funds, { open: () => Effect.succeed(true), covers: () => Effect.succeed(false) })
  const carillon = await Carillon.make({
    ports: Layer.mergeAll(memoryPorts(new MemoryTables()), accepting, acknowledging, broke),
  })
  expect(await carillon.run(Effect.flatMap(Funds, (funds) => funds.covers(Object(null), Object(null))))).toBe(false)
  expect(await carillon.run(Effect.as(Engine, true))).toBe(true)
  await carillon.close()
})

it("drives what falls due by the host's clock", async () => {
  let now = start
  let dialled: (executionId: string) => void
  const dial = new Promise<string>((resolve) => (dialled = resolve))
  const carrier = scripted(({ execution_id }) => {
    dialled(execution_id)
    return {}
  })
  const clock = Layer.succeed(DomainClock, { now: () => now })
  const tables = new MemoryTables()
  const carillon = await Carillon.make({ ports: Layer.mergeAll(memoryPorts(tables), carrier, clock, acknowledging) })
  const key = keyText(1)
  const changes = [...seed, { put: "api_key" as const, row: keyRow(key, {}) }]
  await carillon.run(Effect.flatMap(Steps, (steps) => steps.commit({ organization_id: "org_1", changes })))
  const body = { agent_id: agentId, to_number: "+15551234567", scheduled_at: "2026-01-05T09:02:00Z" }
  const { json, status } = await send(carillon.handle, { key, method: "POST", target: "/v2/calls", body })
  expect(status).toBe(202)
  now += 120_000
  expect(await dial).toBe(json["execution_id"])
  await carillon.close()
})

it("rejects when a port cannot be opened", async () => {
  const ports = Layer.mergeAll(
    memoryPorts(new MemoryTables()),
    accepting,
    acknowledging,
    Layer.effectDiscard(Effect.fail("no database")),
  )
  await expect(Carillon.make({ ports })).rejects.toBe("no database")
})
