import { Effect } from "effect"
import { expect, test } from "vitest"
import type { StoragePorts } from "@carillon/core/ports"
import { Client } from "../Client.ts"

/** A world in which one thing is broken. */
const brokenWorld = async (decorate: (ports: StoragePorts) => StoragePorts) => {
  const client = await Client.start({ decorate })
  const make = async (numbers: ReadonlyArray<string>): Promise<string> => {
    const contacts = numbers.map((to_number) => ({ to_number }))
    const body = { name: "x", agent_id: client.simulator.info.agent_id, contacts }
    return String((await client.post("/v2/campaigns", body)).body.campaign_id)
  }
  const broken = async () => new Set((await client.violations()).map(({ name }) => name))
  return { client, make, broken }
}

const distinct = (count: number) => Array.from({ length: count }, (_, nth) => `+99900021000${nth}`)

test("L3: contacts that nobody looks at any more are seen when the world is at rest", async () => {
  const { broken, client, make } = await brokenWorld((ports) => ({
    ...ports,
    store: {
      ...ports.store,
      commit: (commit) =>
        ports.store.commit({
          ...commit,
          wakeups: commit.wakeups.filter((wakeup) => !("set" in wakeup) || wakeup.set.kind !== "dispatch"),
        }),
    },
  }))
  await make(distinct(3))
  await client.idle()
  expect(await broken()).toEqual(new Set(["L3"]))
})

test("L3: a contact that is due and never dialled is seen after six minutes of calm", async () => {
  const { broken, client, make } = await brokenWorld((ports) => ({
    ...ports,
    contacts: {
      ...ports.contacts,
      load: (...args) => Effect.map(ports.contacts.load(...args), (load) => ({ ...load, dialable: 0 })),
    },
  }))
  await make(distinct(2))
  await client.advance({ by_ms: 300_000 })
  expect(await broken()).not.toContain("L3")
  await client.advance({ by_ms: 120_000 })
  expect(await broken()).toContain("L3")
})

/** Hours by UTC, the same every day. */
const hoursOf = (openings: ReadonlyArray<{ start: string; end: string }>) => {
  const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
  return { unknown_timezone: "UTC", elsewhere: Object.fromEntries(days.map((day) => [day, openings])) }
}

test("L3: a contact whose callee's hours are closed is owed nothing, before it was looked at and after", async () => {
  const { broken, client, make } = await brokenWorld((ports) => ports)
  await client.send("PUT", "/v2/callee-hours", hoursOf([]))
  await make(distinct(2))
  const { agent_id } = client.simulator.info
  await client.post("/v2/calls", { agent_id, to_number: "+999000100000001", override_callee_hours: true })
  await client.advance({ by_ms: 600_000 })
  // Something that happens makes the law look.
  await client.post("/_sim/organizations", {})
  await client.advance({ by_ms: 600_000 })
  expect(await broken()).toEqual(new Set())
})

test("L3: a contact that is due in its callee's hours is seen as any other", async () => {
  const { broken, client, make } = await brokenWorld((ports) => ({
    ...ports,
    contacts: {
      ...ports.contacts,
      load: (...args) => Effect.map(ports.contacts.load(...args), (load) => ({ ...load, dialable: 0 })),
    },
  }))
  await client.send("PUT", "/v2/callee-hours", hoursOf([{ start: "00:00", end: "24:00" }]))
  await make(distinct(2))
  await client.advance({ by_ms: 420_000 })
  expect(await broken()).toContain("L3")
})

test("L3: a batch with nobody left in it that does not end is seen", async () => {
  const { broken, client, make } = await brokenWorld((ports) => ({
    ...ports,
    tallies: {
      read: (subject) =>
        Effect.map(ports.tallies.read(subject), (tally) =>
          subject.startsWith("bat_") ? { ...tally, "contact:in_progress": 1 } : tally,
        ),
    },
  }))
  await make(distinct(1))
  await client.idle()
  await client.advance({ by_ms: 600_000 })
  expect(await broken()).toEqual(new Set(["L3"]))
})

test("L4: a batch that outlives its campaign is seen", async () => {
  const { broken, client, make } = await brokenWorld((ports) => ({
    ...ports,
    batches: { ...ports.batches, movable: () => Effect.succeed([]) },
  }))
  const campaign = await make(distinct(30))
  await client.advance({ by_ms: 5_000 })
  await client.post(`/v2/campaigns/${campaign}/cancel`)
  expect(await broken()).toEqual(new Set(["L4"]))
})

test("L5: contacts that wait for a number that nobody is called at are seen", async () => {
  const { broken, client, make } = await brokenWorld((ports) => ({
    ...ports,
    contacts: { ...ports.contacts, heirs: () => Effect.succeed([]) },
  }))
  await make(["+999000210001", "+999000210001", "+999000210002"])
  await client.advance({ by_ms: 1_800_000 })
  expect(await broken()).toContain("L5")
})

test("hold where numbers come twice and campaigns are paused, resumed and cancelled", async () => {
  const { broken, client, make } = await brokenWorld((ports) => ports)
  const campaign = await make([...distinct(9), ...distinct(9)])
  await client.advance({ by_ms: 20_000 })
  await client.post(`/v2/campaigns/${campaign}/pause`)
  await client.advance({ by_ms: 900_000 })
  await client.post(`/v2/campaigns/${campaign}/resume`)
  await client.idle()
  await make([...distinct(9), ...distinct(9)])
  await client.idle()
  await client.advance({ by_ms: 900_000 })
  expect(await broken()).toEqual(new Set())
})

test("L6: a campaign that nobody completes is seen when the world is at rest", async () => {
  const { broken, client, make } = await brokenWorld((ports) => ({
    ...ports,
    tallies: {
      read: (subject) =>
        Effect.map(ports.tallies.read(subject), (tally) =>
          subject.startsWith("cmp_") ? { ...tally, contacts: 0 } : tally,
        ),
    },
  }))
  await make(distinct(1))
  await client.idle()
  expect(await broken()).toEqual(new Set(["L6"]))
})

test("L6: a campaign that was revived without work may go on", async () => {
  const { broken, client, make } = await brokenWorld((ports) => ports)
  const campaign = await make(distinct(1))
  await client.idle()
  await client.post(`/v2/campaigns/${campaign}/revive`)
  await client.idle()
  expect(await broken()).toEqual(new Set())
})

test("S6: a line that was given back and that nobody is told of is seen within seconds", async () => {
  const { broken, client, make } = await brokenWorld((ports) => ({
    ...ports,
    lanes: { ...ports.lanes, any: () => Effect.succeed(false) },
  }))
  const { organization_id } = client.simulator.info
  await client.patch(`/_sim/organizations/${organization_id}`, { concurrency: { organization: 1, per_agent: null } })
  await client.advance({ by_ms: 120_000 })
  await client.dial("+999000200000001")
  await client.advance({ by_ms: 4_000 })
  await make(distinct(1))
  await client.advance({ by_ms: 90_000 })
  expect(await broken()).toEqual(new Set(["S6"]))
})

test("hold where somebody must not be called, and another one waits for a retry", async () => {
  const { broken, client, make } = await brokenWorld((ports) => ports)
  const [suppressed = ""] = distinct(1)
  await client.post("/v2/suppressions", { to_numbers: [suppressed] })
  const campaign = await make([suppressed, "+999010000000001"])
  await client.advance({ by_ms: 600_000 })
  expect((await client.get(`/v2/campaigns/${campaign}`)).body.status).toBe("active")
  expect(await broken()).toEqual(new Set())
})
