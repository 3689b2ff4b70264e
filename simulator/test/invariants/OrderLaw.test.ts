import { sampleBatch, sampleCampaign, sampleEpoch } from "@carillon/core/testing"
import type { Campaign, Change, Contact, ContactEntry, StoragePorts } from "@carillon/core/ports"
import { expect, it } from "vitest"
import { Invariants } from "../../src/invariants/Invariants.ts"
import { orderLaw } from "../../src/invariants/OrderLaw.ts"
import { Client } from "../Client.ts"

const minute = 60_000

const campaign = sampleCampaign("org_one", {
  campaign_id: "cmp_one",
  call_order: { priority_column: "vip", contacts: "first_come", updated_at: sampleEpoch },
})
const batches = ["one", "two"].map((name) =>
  sampleBatch("org_one", { batch_id: `bat_${name}`, campaign_id: "cmp_one", status: "created", total_contacts: 2 }),
)

/** The contacts of both batches by their priorities, the second ones of which nobody has touched. */
const priorities = [
  [9, 5],
  [undefined, 1],
]

const entryOf = (batch: number, row: number): ContactEntry => {
  const priority = priorities[batch]?.[row]
  return { to_number: "+15550001111", variables: {}, ...(priority === undefined ? {} : { priority }) }
}

const contactAt = (batch: number, row: number, changes: Partial<Contact> = {}): Contact => ({
  contact_id: `con_${batch}_${row}`,
  organization_id: "org_one",
  batch_id: batches[batch]?.batch_id ?? "",
  campaign_id: "cmp_one",
  row,
  revision: 1,
  status: "in_progress",
  attempts: 1,
  retries_used: 0,
  follow_ups_used: 0,
  reached: false,
  follow_ups_exhausted: false,
  eligible_at: null,
  in_hours_only: false,
  waits_for_number: false,
  holds: 0,
  first_execution_id: null,
  last_execution_id: null,
  last_status: null,
  ...changes,
})

interface Told {
  readonly after?: number
  readonly of?: Campaign
  readonly before?: ReadonlyArray<Change>
}

/** How many violations there are where a contact is written some minutes after all was handed in. */
const violations = (row: Contact, { after = 6, before = [], of = campaign }: Told = {}): number => {
  let now = sampleEpoch
  const invariants = new Invariants(() => now)
  const placeOf = (batch: number, place: number) => {
    const isTouched =
      place === 0 || (batch === batches.findIndex(({ batch_id }) => batch_id === row.batch_id) && place === row.row)
    return {
      batch_id: batches[batch]?.batch_id ?? "",
      row: place,
      entry: entryOf(batch, place),
      contact: isTouched ? contactAt(batch, place) : null,
    }
  }
  const indexOf = (batchId: string) => batches.findIndex(({ batch_id }) => batch_id === batchId)
  const law = orderLaw(invariants, {
    now: () => now,
    tables: {
      batches: { ofCampaign: () => batches },
      contacts: {
        find: (batchId, place) => placeOf(indexOf(batchId), place),
        rows: (batchId) => [0, 1].map((place) => placeOf(indexOf(batchId), place)),
      },
    },
  })
  law({ changes: [{ put: "campaign", row: of }, ...batches.map((batch): Change => ({ put: "batch", row: batch }))] })
  law({ changes: before })
  now += after * minute
  law({ changes: [{ put: "contact", row }] })
  return invariants.violations.length
}

it("S27: somebody is called for the first time though one of a higher priority has never had a turn", () => {
  expect(violations(contactAt(1, 1))).toBe(1)
  expect(violations(contactAt(0, 1))).toBe(0)
})

it("S27 says nothing of retries, of other campaigns, of what was said a moment ago, and of what may wait", () => {
  expect(violations(contactAt(1, 1, { attempts: 2, revision: 3 }))).toBe(0)
  expect(violations(contactAt(1, 1, { attempts: 0, status: "pending" }))).toBe(0)
  const { call_order: _order, ...without } = campaign
  expect(violations(contactAt(1, 1), { of: without })).toBe(0)
  expect(violations(contactAt(1, 1), { after: 4 })).toBe(0)
  const [first] = batches
  if (first === undefined) throw new Error("There is no first batch.")
  const paused: Change = { put: "batch", row: { ...first, status: "paused" } }
  expect(violations(contactAt(1, 1), { before: [paused] })).toBe(0)
  const held = contactAt(0, 0, { status: "pending", holds: 1, eligible_at: sampleEpoch + 2 * minute })
  expect(violations(contactAt(1, 1), { before: [{ put: "contact", row: held }] })).toBe(0)
  expect(violations(contactAt(1, 1), { before: [{ put: "contact", row: held }], after: 8 })).toBe(1)
})

type Contacts = StoragePorts["contacts"]

/** The laws that a day breaks in which three batches of a campaign wait for its start, on a store of contacts that is changed. */
const broken = async (changed: (contacts: Contacts) => Contacts) => {
  const client = await Client.start({
    decorate: (ports: StoragePorts) => ({ ...ports, contacts: changed(ports.contacts) }),
  })
  const start_time = new Date(Date.parse((await client.get("/_sim/clock")).body.now) + 10 * minute).toISOString()
  const { agent_id } = client.simulator.info
  const made = await client.post("/v2/campaigns", { name: "x", agent_id, start_time })
  const path = `/v2/campaigns/${String(made.body["campaign_id"])}`
  await client.put(`${path}/order`, { priority_column: "vip" })
  for (const [nth, vips] of [[1, 5, 1], [9, 2], [7]].entries()) {
    const contacts = vips.map((vip, row) => ({ to_number: `+9990002000030${nth}${row}`, vip }))
    await client.post(`${path}/contacts`, { contacts })
  }
  await client.advance({ by_ms: 20 * minute })
  return new Set((await client.violations()).map(({ name }) => name))
}

it("S27: a store that takes batch after batch is found, one that stores contacts as they came, and a sound one is not", async () => {
  expect(await broken((contacts) => contacts)).toEqual(new Set())
  const batchAfterBatch = await broken(({ next, ...contacts }) => ({
    ...contacts,
    next: (ids, { by_priority: _asked, ...moment }, ...more) => next(ids, moment, ...more),
  }))
  expect(batchAfterBatch).toEqual(new Set(["S27"]))
  const asTheyCame = await broken(({ fill, ...contacts }) => ({
    ...contacts,
    fill: (batchId, row, entries) => fill(batchId, row, entries.toReversed()),
  }))
  expect(asTheyCame).toEqual(new Set(["S27"]))
})
