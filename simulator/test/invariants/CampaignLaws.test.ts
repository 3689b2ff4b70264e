import type { Campaign, StoragePorts } from "@carillon/core/ports"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { Client } from "../Client.ts"

/** A world in which one thing is broken, with a campaign of thirty contacts. */
const brokenWorld = async (decorate: (ports: StoragePorts) => StoragePorts) => {
  const client = await Client.start({ decorate })
  const make = async (from: number, count: number): Promise<string> => {
    const contacts = Array.from({ length: count }, (_, nth) => ({
      to_number: `+99900021${String(from + nth).padStart(7, "0")}`,
    }))
    const body = { name: "x", agent_id: client.simulator.info.agent_id, contacts }
    return String((await client.post("/v2/campaigns", body)).body.campaign_id)
  }
  return { client, make }
}

const broken = async (client: Client) => new Set((await client.violations()).map(({ name }) => name))

test("hold in a day of two campaigns that are paused, cancelled and revived", async () => {
  const { client, make } = await brokenWorld((ports) => ports)
  const [first, second] = [await make(0, 60), await make(100, 60)]
  for (const [id, move] of [
    [first, "pause"],
    [second, "cancel"],
    [first, "resume"],
    [second, "revive"],
  ] as const) {
    await client.advance({ by_ms: 15_000 })
    await client.post(`/v2/campaigns/${id}/${move}`)
  }
  await client.idle()
  expect(await broken(client)).toEqual(new Set())
})

test("S5: a campaign that takes what another is short of is seen", async () => {
  let hidden = ""
  const { client, make } = await brokenWorld((ports) => ({
    ...ports,
    contacts: {
      ...ports.contacts,
      load: (batchIds, moment) =>
        Effect.map(ports.contacts.load(batchIds, moment), (load) =>
          batchIds.includes(hidden) ? { ...load, dialable: 0 } : load,
        ),
    },
  }))
  const second = await make(0, 30)
  const [batch] = (await client.get(`/v2/campaigns/${second}/batches`)).body.data
  hidden = String(batch?.batch_id)
  await make(100, 30)
  await client.advance({ by_ms: 60_000 })
  expect(await broken(client)).toContain("S5")
})

test("S6: lines that lie idle though somebody could be dialled are seen, after a minute", async () => {
  const { client, make } = await brokenWorld((ports) => ({
    ...ports,
    contacts: {
      ...ports.contacts,
      load: (...args) => Effect.map(ports.contacts.load(...args), (load) => ({ ...load, dialable: 0 })),
    },
  }))
  await make(0, 3)
  await client.advance({ by_ms: 30_000 })
  expect(await broken(client)).toEqual(new Set())
  await client.dial("+12125550100")
  await client.advance({ by_ms: 300_000 })
  expect(await broken(client)).toEqual(new Set(["S6"]))
})

test("S6: follow-ups that wait for the only line of their own agent leave no line idle", async () => {
  const { client } = await brokenWorld((ports) => ports)
  const { agent_id, organization_id } = client.simulator.info
  await client.patch(`/_sim/organizations/${organization_id}`, { concurrency: { organization: 20, per_agent: 1 } })
  const own = String((await client.post("/v2/agents", { display_name: "Own", status: "ACTIVE" })).body.agent_id)
  const contacts = ["+999500200000001", "+999500200000002", "+999500200000003"].map((to_number) => ({ to_number }))
  const follow_up_policy = {
    enabled: true,
    triggers: ["completed"],
    cooldown_minutes: 30,
    follow_up_agent_id: own,
  }
  const made = await client.post("/v2/campaigns", { name: "x", agent_id, contacts, follow_up_policy })
  const campaign = `/v2/campaigns/${String(made.body.campaign_id)}`
  await client.advance({ by: "PT20M" })
  await client.post(`${campaign}/pause`)
  await client.advance({ by: "PT30M" })
  await client.post(`${campaign}/resume`)
  await client.advance({ by: "PT30M" })
  expect((await client.get(`/v2/calls?agent_id=${own}&status=completed`)).body.data).toHaveLength(3)
  expect(await broken(client)).toEqual(new Set())
})

test("S9b: a dial of a campaign that is paused is seen", async () => {
  const { client, make } = await brokenWorld((ports) => ({
    ...ports,
    campaigns: {
      ...ports.campaigns,
      locate: (id) =>
        Effect.map(ports.campaigns.locate(id), (campaign) =>
          campaign === null ? null : { ...campaign, status: "active" },
        ),
    },
    batches: {
      ...ports.batches,
      unfinished: (lane) =>
        Effect.map(ports.batches.unfinished(lane), (rows) =>
          rows.map((row) => ({ ...row, status: "in_progress" as const })),
        ),
    },
  }))
  const id = await make(0, 60)
  await client.advance({ by_ms: 5_000 })
  await client.post(`/v2/campaigns/${id}/pause`)
  await client.advance({ by_ms: 60_000 })
  expect(await broken(client)).toContain("S9b")
})

test("S9b: a follow-up that was switched off, and a retry outside the hours that came, are seen", async () => {
  for (const edit of [{ follow_up_policy: null }, { working_hours: { sunday: { start: "01:00", end: "02:00" } } }]) {
    for (const isBlind of [false, true]) {
      const sight: { before: Campaign | null } = { before: null }
      const client = await Client.start({
        decorate: (ports) => ({
          ...ports,
          campaigns: {
            ...ports.campaigns,
            locate: (id) =>
              Effect.map(ports.campaigns.locate(id), (campaign) => {
                sight.before ??= campaign
                return !isBlind || campaign === null || sight.before === null
                  ? campaign
                  : {
                      ...campaign,
                      follow_up_policy: sight.before.follow_up_policy,
                      working_hours: sight.before.working_hours,
                    }
              }),
          },
        }),
      })
      const made = await client.post("/v2/campaigns", {
        name: "x",
        agent_id: client.simulator.info.agent_id,
        contacts: [{ to_number: "+999010000000001" }],
        retry_policy: { max_retries: "follow_up_policy" in edit ? 0 : 1 },
        follow_up_policy: { enabled: true, cooldown_minutes: 15 },
      })
      await client.advance({ by_ms: 60_000 })
      await client.patch(`/v2/campaigns/${made.body.campaign_id}`, edit)
      await client.advance({ by_ms: 3_600_000 })
      expect(await broken(client)).toEqual(new Set(isBlind ? ["S9b"] : []))
    }
  }
})

test("S11: counts that the contacts' rows do not bear out are seen", async () => {
  const { client, make } = await brokenWorld((ports) => ({
    ...ports,
    store: {
      ...ports.store,
      commit: (commit) =>
        ports.store.commit({
          ...commit,
          changes: commit.changes.filter((change) => change.put !== "tally" || change.add["reached"] === undefined),
        }),
    },
  }))
  await make(0, 3)
  await client.idle()
  expect(await broken(client)).toContain("S11")
})
