import { Effect } from "effect"
import { expect, test } from "vitest"
import type { StoragePorts } from "@carillon/core"
import { Client } from "../Client.ts"

const none = () => Effect.succeed({ items: [], total: 0 })

/** Nobody finds what calls from a number. */
const forgetful = (ports: StoragePorts): StoragePorts => ({
  ...ports,
  campaigns: { ...ports.campaigns, page: none },
  batches: { ...ports.batches, page: none },
  calls: { ...ports.calls, page: none },
})

const rows = [{ to_number: "+999000200000001" }]

const named = {
  campaign: { path: "/v2/campaigns", body: { name: "x", contacts: rows } },
  batch: { path: "/v2/batches", body: { contacts: rows } },
}

test.each([
  ["campaign", forgetful, ["S18"]],
  ["batch", forgetful, ["S18"]],
  ["campaign", (ports: StoragePorts) => ports, []],
  ["batch", (ports: StoragePorts) => ports, []],
] as const)("a number that a %s names is given up: %o %o", async (what, decorate, broken) => {
  const client = await Client.start({ decorate })
  const { agent_id } = client.simulator.info
  const [number] = (await client.get("/v2/phone-numbers")).body.data
  const { body, path } = named[what]
  await client.post(path, { ...body, agent_id, phone_numbers: [number?.phone_number] })
  await client.send("DELETE", `/v2/phone-numbers/${number?.phone_number_id}`)
  expect((await client.violations()).map(({ name }) => name)).toEqual(broken)
})
