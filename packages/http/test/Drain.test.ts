import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { DependencyUnavailable, limits, Telephony } from "@carillon/core"
import { type Change, Steps, Store, Wakeups } from "@carillon/core/ports"
import { MemoryTables } from "@carillon/core/memory"
import { Effect, Layer, Logger } from "effect"
import { expect, it, vi } from "vitest"
import { Carillon } from "../src/Carillon.ts"
import { closeServer, nodeListener } from "../src/node.ts"
import { acknowledging, agentId, keyRow, keyText, memoryPorts, seed, send } from "./World.ts"

/** A carrier that leaves every dial without a word until the test tells it to speak; the scripted one of the test world speaks by a clock. */
const silentCarrier = () => {
  const open = new Map<string, () => void>()
  const layer = Layer.succeed(Telephony, {
    dial: ({ to_number, execution_id }) =>
      Effect.callback((resume) => {
        open.set(to_number, () => resume(Effect.succeed({ _tag: "Accepted", call_sid: `leg-${execution_id}` })))
      }),
    hangup: () => Effect.succeed("Sent"),
    find: () => Effect.succeed({ _tag: "Unknown" }),
  })
  return { open, layer }
}

const key = keyText(1)

/** One line for the organization. */
const rows: ReadonlyArray<Change> = [
  ...seed.map((change) =>
    change.put === "organization"
      ? { ...change, row: { ...change.row, concurrency: { organization: 1, per_agent: null, enforced: true } } }
      : change,
  ),
  { put: "api_key", row: keyRow(key, {}) },
]

const open = async () => {
  const tables = new MemoryTables()
  const carrier = silentCarrier()
  const make = () => Carillon.make({ ports: Layer.mergeAll(memoryPorts(tables), carrier.layer, acknowledging) })
  const carillon = await make()
  await carillon.run(Effect.flatMap(Steps, (steps) => steps.commit({ organization_id: "org_1", changes: rows })))
  const place = (to_number: string, more: object = {}) =>
    send(carillon.handle, { key, method: "POST", target: "/v2/calls", body: { agent_id: agentId, to_number, ...more } })
  return { tables, carrier, carillon, make, place }
}

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1))
}

const reportOf = (execution_id: string) => ({ execution_id, at: Date.now(), call_sid: "leg", type: "ringing" as const })

it("finishes a dial under way, answers who waits for a line with 1501, and refuses what is new", async () => {
  const { carrier, carillon, place } = await open()
  const dialled = place("+15551230001")
  await until(() => carrier.open.size === 1)
  const waiting = place("+15551230002")
  await new Promise((resolve) => setTimeout(resolve, 20))
  let isClosed = false
  const closing = carillon.close().then(() => (isClosed = true))
  const waited = await waiting
  expect(waited.status).toBe(503)
  expect(waited.json["error"]).toBe(1501)
  const late = await place("+15551230003")
  expect(late.status).toBe(503)
  expect(late.json["error"]).toBe(1501)
  await expect(carillon.report(reportOf("exec_any"))).rejects.toMatchObject({ _tag: "DependencyUnavailable" })
  expect(isClosed).toBe(false)
  carrier.open.get("+15551230001")?.()
  expect((await dialled).status).toBe(201)
  await closing
  expect(carrier.open.has("+15551230002")).toBe(false)
})

it("gives back at once what it had claimed", async () => {
  const { carillon, carrier, make, place, tables } = await open()
  const dialled = place("+15551230001")
  await until(() => carrier.open.size === 1)
  carrier.open.get("+15551230001")?.()
  await dialled
  const scheduled_at = new Date(Date.now() + limits.scheduleMinMs + 1_000).toISOString()
  const booked = await place("+15551230002", { scheduled_at })
  expect(booked.status).toBe(202)
  const executionId = String(booked.json["execution_id"])
  // Its time comes while the only line is taken: it waits in line under a claim.
  await carillon.run(
    Effect.gen(function* () {
      const call = tables.calls.get(executionId)
      if (call === undefined) throw new Error("The call is not there.")
      const due_at = Date.now()
      const row = { ...call, revision: call.revision + 1, due_at }
      yield* (yield* Steps).commit({ organization_id: "org_1", changes: [{ put: "call", row }] })
      yield* (yield* Wakeups).set({ kind: "call", subject: executionId, at: due_at })
    }),
  )
  const isClaimed = () => tables.wakeups.next(false) !== null && (tables.wakeups.next(false) ?? 0) > Date.now()
  await until(isClaimed)
  await carillon.close()
  expect(tables.wakeups.next(false)).toBeLessThanOrEqual(Date.now())
  const successor = await make()
  await until(isClaimed)
  await successor.close()
})

it("tells the host's log of what is lost when it ends", async () => {
  let isDown = false
  const away = new DependencyUnavailable({ dependency: "call_storage" })
  const memory = memoryPorts(new MemoryTables())
  const failing = Layer.effect(
    Store,
    Effect.map(Store, (store) => ({
      ...store,
      commit: (...commit: Parameters<typeof store.commit>) =>
        Effect.suspend(() => (isDown ? Effect.fail(away) : store.commit(...commit))),
    })),
  ).pipe(Layer.provide(memory))
  const said: Array<unknown> = []
  const carrier = silentCarrier()
  const carillon = await Carillon.make({
    ports: Layer.mergeAll(memory, failing, carrier.layer, acknowledging),
    telemetry: Logger.layer([Logger.make(({ message }) => void said.push(String(message)))]),
    limits: { drainFinishMs: 1_000, drainEndMs: 1_000 },
  })
  await carillon.run(Effect.flatMap(Steps, (steps) => steps.commit({ organization_id: "org_1", changes: rows })))
  const body = { agent_id: agentId, to_number: "+15551230001" }
  const dialled = send(carillon.handle, { key, method: "POST", target: "/v2/calls", body })
  await until(() => carrier.open.size === 1)
  carrier.open.get("+15551230001")?.()
  const execution_id = String((await dialled).json["execution_id"])
  isDown = true
  await expect(carillon.report(reportOf(execution_id))).rejects.toMatchObject(away)
  await carillon.close()
  expect(said).toContain("Reports of the carrier are given up: this process ends, and could not store them.")
})

it("closes a server whose client hangs on to its connection", async () => {
  const { carillon } = await open()
  const server = createServer(nodeListener(carillon.handle))
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}/v2/calls`, { headers: { authorization: `Bearer ${key}` } })
  expect(answer.status).toBe(200)
  await answer.text()
  await closeServer(server, carillon.close)
  await expect(fetch(`http://127.0.0.1:${port}/v2/calls`)).rejects.toThrow()
})

it("closes a server whose engine fails to drain, and says so", async () => {
  const server = createServer((_, response) => void response.end())
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  await (await fetch(`http://127.0.0.1:${port}/`)).text()
  let isClosed = false
  server.once("close", () => (isClosed = true))
  await expect(closeServer(server, () => Promise.reject(new Error("A test fails it.")))).rejects.toThrow(
    "A test fails it.",
  )
  expect(isClosed).toBe(true)
})

it("lets go of a port that does not close, in the time that its host has set", async () => {
  const stuck = Layer.effectDiscard(Effect.addFinalizer(() => Effect.never))
  const ports = Layer.mergeAll(memoryPorts(new MemoryTables()), silentCarrier().layer, acknowledging, stuck)
  const carillon = await Carillon.make({ ports, limits: { drainCloseMs: 2_000 } })
  vi.useFakeTimers()
  try {
    let isClosed = false
    const closing = carillon.close().then(() => (isClosed = true))
    await vi.advanceTimersByTimeAsync(1_999)
    expect(isClosed).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await closing
  } finally {
    vi.useRealTimers()
  }
})

it("does not start with a limit that is out of its bounds", async () => {
  const ports = Layer.mergeAll(memoryPorts(new MemoryTables()), silentCarrier().layer, acknowledging)
  await expect(Carillon.make({ ports, limits: { ringGraceMs: 1 } })).rejects.toMatchObject({
    _tag: "WrongLimit",
    message: "limits.ringGraceMs is 1; it must be a whole number of milliseconds from 1000 to 600000.",
  })
})
