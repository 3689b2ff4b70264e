import type { RowAsked, StoragePorts } from "@carillon/core/ports"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { Client } from "../Client.ts"

const isOfNumber = (asked: RowAsked): asked is RowAsked<"phone_number"> => asked.kind === "phone_number"

/** A simulator whose engine, once it is blind, takes every agent for ACTIVE, every number for its organization's, and nobody for suppressed. */
const started = async () => {
  const sight = { isBlind: false }
  const numbers = new Map<string, Effect.Success<ReturnType<StoragePorts["accounts"]["number"]>>>()
  const decorate = (ports: StoragePorts): StoragePorts => ({
    ...ports,
    agents: {
      ...ports.agents,
      find: (...args) =>
        Effect.map(ports.agents.find(...args), (agent) =>
          agent === null || !sight.isBlind ? agent : { ...agent, status: "ACTIVE" },
        ),
    },
    accounts: {
      ...ports.accounts,
      number: (organizationId, number) =>
        Effect.map(ports.accounts.number(organizationId, number), (found) => {
          if (found !== null) numbers.set(number, found)
          return sight.isBlind ? (numbers.get(number) ?? null) : found
        }),
    },
    callees: {
      ...ports.callees,
      find: (...args) => (sight.isBlind ? Effect.succeed(null) : ports.callees.find(...args)),
      hours: (...args) => (sight.isBlind ? Effect.succeed(null) : ports.callees.hours(...args)),
    },
    store: {
      ...ports.store,
      rows: (asked) =>
        Effect.map(ports.store.rows(asked), (found) => {
          for (const each of asked) {
            if (!isOfNumber(each) || !("key" in each)) continue
            const row = found.of(each)
            const known = numbers.get(each.key)
            if (row !== null) numbers.set(each.key, row)
            else if (sight.isBlind && known !== undefined && known !== null) found.add(each, known)
          }
          return found
        }),
      admit: (commit, levels) => ports.store.admit(sight.isBlind ? { ...commit, expect: [] } : commit, levels),
    },
  })
  return { client: await Client.start({ decorate }), sight }
}

const broken = async (client: Client) => (await client.violations()).map(({ name }) => name)

test.each([
  [false, []],
  [true, ["S19"]],
])("S19: an agent that has left dials, where the engine is blind: %s", async (isBlind, names) => {
  const { client, sight } = await started()
  const { agent_id } = client.simulator.info
  await client.dial("+999000000000001")
  await client.patch(`/v2/agents/${agent_id}`, { status: "INACTIVE" })
  sight.isBlind = isBlind
  await client.dial("+999000000000002")
  expect(await broken(client)).toEqual(names)
})

test.each([
  [false, []],
  [true, ["S19"]],
])("S19: a call shows a number that was given up, where the engine is blind: %s", async (isBlind, names) => {
  const { client, sight } = await started()
  const { agent_id } = client.simulator.info
  const [number] = (await client.get("/v2/phone-numbers")).body.data
  const placed = { agent_id, from_number: number?.phone_number, to_number: "+999000000000001" }
  await client.post("/v2/calls", placed)
  await client.idle()
  await client.send("DELETE", `/v2/phone-numbers/${number?.phone_number_id}`)
  sight.isBlind = isBlind
  await client.post("/v2/calls", placed)
  expect(await broken(client)).toEqual(names)
})

test.each([
  [false, []],
  [true, ["S23"]],
])(
  "S23: a number that is suppressed by how its last call ended is called, where the engine is blind: %s",
  async (isBlind, names) => {
    const { client, sight } = await started()
    const called = "+999000000000001"
    const put = await client.put("/v2/suppressions/rules", { suppress_on: [{ outcomes: ["completed"] }] })
    expect(put.status).toBe(200)
    await client.dial(called)
    await client.idle()
    const checked = await client.post("/v2/suppressions/check", { to_numbers: [called] })
    expect(checked.body.data).toMatchObject([{ suppressions: [{ in_force: true }] }])
    sight.isBlind = isBlind
    await client.dial(called)
    expect(await broken(client)).toEqual(names)
  },
)

test.each([
  [false, []],
  [true, ["S24"]],
])("S24: a number is called whose hours never open, where the engine is blind: %s", async (isBlind, names) => {
  const { client, sight } = await started()
  expect((await client.put("/v2/callee-hours", { elsewhere: {} })).status).toBe(200)
  sight.isBlind = isBlind
  await client.dial("+999000000000001")
  await client.idle()
  expect(await broken(client)).toEqual(names)
})

test.each([
  [false, []],
  [true, ["S25"]],
])("S25: a number is called once more than caps allow, where the engine is blind: %s", async (isBlind, names) => {
  const { client, sight } = await started()
  const called = "+999000000000001"
  expect((await client.put("/v2/call-caps", { per_day: 1 })).status).toBe(200)
  await client.dial(called)
  await client.idle()
  sight.isBlind = isBlind
  await client.dial(called)
  await client.idle()
  expect(await broken(client)).toEqual(names)
})
