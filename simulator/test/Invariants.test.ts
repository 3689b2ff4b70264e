import { type Call, DependencyUnavailable } from "@carillon/core"
import { Effect } from "effect"
import { expect, test } from "vitest"
import type { StoragePorts } from "@carillon/core/ports"
import { Client } from "./Client.ts"

/** A world in which one thing is broken, and a day in it. */
const brokenWorld = (decorate: (ports: StoragePorts) => StoragePorts) => Client.start({ decorate })

const broken = async (client: Client) => new Set((await client.violations()).map(({ name }) => name))

const hold = "+99950010000"

test("are checked after every event, and all of them hold in a sound world", async () => {
  const client = await Client.start()
  await client.post("/v2/webhooks", { callback_url: "https://all.inbox.test/" })
  const { body } = await client.dial(`${hold}0001`)
  await client.advance({ until: { execution_id: body.execution_id, status: "in-progress" } })
  await client.post(`/v2/calls/${body.execution_id}/stop`)
  await client.dial("+12125550100")
  // One whose dial is taken back.
  const unreachable = [{ to_number: "+999300000000001" }]
  const { agent_id } = client.simulator.info
  const away = await client.post("/v2/campaigns", { name: "x", agent_id, contacts: unreachable })
  await client.advance({ by: "PT1S" })
  await client.post(`/v2/campaigns/${String(away.body["campaign_id"])}/cancel`)
  const contacts = Array.from({ length: 30 }, (_, nth) => ({ to_number: `+9990002000010${10 + nth}` }))
  // Three campaigns share twenty lines: two lines are left beside their floors, and these are taken in turn.
  await client.advance({ by: "PT2M" })
  for (let nth = 0; nth < 3; nth++) {
    await client.post("/v2/campaigns", { name: "x", agent_id: client.simulator.info.agent_id, contacts })
  }
  await client.idle()
  // One that may be called only so often.
  await client.put("/v2/call-caps", { per_day: 2 })
  await client.dial("+12125550100")
  await client.idle()
  await client.send("DELETE", "/v2/call-caps")
  // A number that comes twice, and one that is busy: its retry waits in a world that is calm.
  const twice = [{ to_number: "+999000200001" }, { to_number: "+999000200001" }, { to_number: "+999010200001" }]
  await client.post("/v2/campaigns", { name: "x", agent_id: client.simulator.info.agent_id, contacts: twice })
  await client.advance({ by: "PT10M" })
  // One that goes by priority, and begins when that is known.
  const later = new Date(Date.parse((await client.get("/_sim/clock")).body.now) + 10 * 60_000).toISOString()
  const ordered = await client.post("/v2/campaigns", { name: "x", agent_id, start_time: later })
  const path = `/v2/campaigns/${String(ordered.body["campaign_id"])}`
  await client.put(`${path}/order`, { priority_column: "vip" })
  const several = [1, 9].map((vip) => ({ to_number: `+99900020000200${vip}`, vip }))
  await client.post(`${path}/contacts`, { contacts: several })
  await client.advance({ by: "PT20M" })
  const [number] = (await client.get("/v2/phone-numbers")).body.data
  await client.send("DELETE", `/v2/phone-numbers/${number?.phone_number_id}`)
  const [minter] = (await client.post("/_sim/organizations", { keys: [{ keys_write: true }] })).body.keys
  const authorization = `Bearer ${minter?.key}`
  expect((await client.send("POST", "/v2/api-keys", { name: "another" }, { authorization })).status).toBe(201)
  const { checked, violations } = (await client.get("/_sim/invariants")).body
  expect(violations).toEqual([])
  expect(checked.map(({ name }) => name).sort()).toEqual([
    "K1",
    "L2",
    "L3",
    "L4",
    "L5",
    "L6",
    "L7",
    "S1",
    "S10",
    "S11",
    "S12",
    "S13",
    "S13b",
    "S15",
    "S16",
    "S17",
    "S18",
    "S19",
    "S1b",
    "S2",
    "S20",
    "S21",
    "S23",
    "S24",
    "S25",
    "S26",
    "S27",
    "S3",
    "S4",
    "S5",
    "S6",
    "S7",
    "S8",
    "S9",
    "S9b",
    "S9c",
  ])
  for (const { checks, name } of checked) expect([name, checks > 0]).toEqual([name, name !== "S15" || checks > 0])
})

test("S1: a slot store that admits too many is seen by what the carrier saw", async () => {
  const client = await brokenWorld((ports) => ({
    ...ports,
    slots: {
      ...ports.slots,
      acquire: (request) =>
        ports.slots.acquire({ ...request, levels: request.levels.map((level) => ({ ...level, ceiling: null })) }),
    },
    // The count of committed calls would hold the ceiling without it.
    store: { ...ports.store, admit: (commit) => ports.store.commit(commit) },
  }))
  for (let nth = 0; nth < 20; nth++) await client.dial(`${hold}00${String(nth).padStart(2, "0")}`)
  expect(await broken(client)).toEqual(new Set())
  await client.dial(`${hold}0020`)
  expect(await broken(client)).toEqual(new Set(["S1", "S1b"]))
  const first = (await client.violations()).find(({ name }) => name === "S1")
  expect(first).toMatchObject({ at: "2026-01-05T09:00:00.000Z" })
  expect(first!.detail).toContain("21 live legs")
})

test("L2: a wake-up that is done and due again at the same moment", async () => {
  let left = 10_500
  const client = await brokenWorld(({ wakeups, ...ports }) => ({
    ...ports,
    wakeups: {
      ...wakeups,
      claimDue: (...args) =>
        Effect.tap(wakeups.claimDue(...args), (claims) =>
          Effect.forEach(claims, ({ at, kind, subject }) =>
            kind === "dispatch" && left-- > 0 ? wakeups.set({ kind, subject, at }) : Effect.void,
          ),
        ),
    },
  }))
  const { agent_id } = client.simulator.info
  await client.post("/v2/campaigns", { name: "x", agent_id, contacts: [{ to_number: `${hold}0001` }] })
  await client.advance({ by_ms: 2_000 })
  const [first] = await client.violations()
  expect(first?.detail).toMatch(/^dispatch org_\w+ is due again and again$/)
  expect(await broken(client)).toEqual(new Set(["L2"]))
})

test("S2: a store whose levels disagree with its members", async () => {
  const client = await brokenWorld((ports) => ({
    ...ports,
    slots: {
      ...ports.slots,
      used: (levels) => Effect.map(ports.slots.used(levels), (used) => used.map((count) => count + 1)),
    },
  }))
  expect(await broken(client)).toEqual(new Set(["S2"]))
})

test("S3: a line that is never given back", async () => {
  const client = await brokenWorld((ports) => ({
    ...ports,
    // The reconciler finds it and cannot free it either.
    slots: { ...ports.slots, release: () => new DependencyUnavailable({ dependency: "slot_store" }) },
  }))
  await client.dial("+999010000000001")
  await client.idle()
  await client.advance({ by_ms: 30_000 })
  expect(await broken(client)).toEqual(new Set())
  await client.advance({ by_ms: 1 })
  expect(await broken(client)).toEqual(new Set(["S3"]))
})

test("S3: a dial without a line", async () => {
  const client = await brokenWorld((ports) => ({
    ...ports,
    slots: {
      ...ports.slots,
      hold: () => Effect.succeed(true),
      acquire: () => Effect.succeed({ _tag: "Acquired", fence: 1 }),
    },
    store: {
      ...ports.store,
      admit: (commit) => {
        const changes = commit.changes.map((change) =>
          change.put === "call" ? { ...change, row: { ...change.row, slot: null } satisfies Call } : change,
        )
        return ports.store.commit({ ...commit, changes })
      },
    },
  }))
  await client.dial("+999010000000001")
  expect(await broken(client)).toEqual(new Set(["S3"]))
})

test("S12: a limiter that is off by one", async () => {
  const client = await brokenWorld((ports) => ({
    ...ports,
    rates: {
      ...ports.rates,
      hit: (organization, bucket, limit, now) => ports.rates.hit(organization, bucket, limit - 1, now),
    },
  }))
  for (let nth = 0; nth < 599; nth++) await client.get("/v2/calls")
  expect(await broken(client)).toEqual(new Set())
  await client.get("/v2/calls")
  expect(await broken(client)).toEqual(new Set(["S12"]))
})

test("S15: a store that lets a terminal status change", async () => {
  const client = await brokenWorld((ports) => ({
    ...ports,
    store: {
      ...ports.store,
      commit: (commit) => {
        const changes = commit.changes.map((change) =>
          change.put === "call" && change.row.final_report_at !== null
            ? { ...change, row: { ...change.row, status: "completed" } satisfies Call }
            : change,
        )
        return ports.store.commit({ ...commit, changes })
      },
    },
  }))
  await client.dial("+999010000000001")
  await client.idle()
  expect(await broken(client)).toEqual(new Set(["S15"]))
})

test("S17: a commit that writes into another organization", async () => {
  const client = await brokenWorld((ports) => ({
    ...ports,
    store: { ...ports.store, commit: (commit) => ports.store.commit({ ...commit, organization_id: "org_other" }) },
  }))
  await client.dial("+999010000000001")
  expect(await broken(client)).toEqual(new Set(["S17"]))
})

test("violations are bounded", async () => {
  const client = await brokenWorld((ports) => ({
    ...ports,
    rates: { ...ports.rates, hit: (organization, bucket, _, now) => ports.rates.hit(organization, bucket, 0, now) },
  }))
  for (let nth = 0; nth < 150; nth++) await client.get("/v2/calls")
  expect(await client.violations()).toHaveLength(100)
})
