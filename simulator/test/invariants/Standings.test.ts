import { contactId } from "@carillon/core/domain"
import type { Campaign, Change, Contact } from "@carillon/core/ports"
import { MemoryTables } from "@carillon/core/memory"
import { sampleBatch, sampleCall, sampleCampaign } from "@carillon/core/testing"
import { expect, test } from "vitest"
import { Standings } from "../../src/invariants/Standings.ts"
import { replay, worldOptionsOf } from "../../src/journal/Replay.ts"
import { randomJournal } from "../../soak/WorldSoak.ts"

const worlds = 12
const steps = 40

test(`what is kept of lanes is what a full count says, after every event of ${worlds} random worlds`, async () => {
  let checks = 0
  for (let seed = 1; seed <= worlds; seed++) {
    const journal = await randomJournal(seed, steps)
    const { world } = await replay({ ...worldOptionsOf(journal), recountAfter: 1 }, journal, { logLevel: "None" })
    expect([seed, world.invariants.violations]).toEqual([seed, []])
    checks += world.invariants.checked.find(({ name }) => name === "K1")?.checks ?? 0
  }
  expect(checks).toBeGreaterThan(10_000)
})

const org = "org_1"
const now = Date.UTC(2026, 0, 5, 9)

/** Hours in which nobody may be called. */
const closed: Change = {
  put: "callee_hours",
  row: {
    organization_id: org,
    revision: 1,
    entries: [
      {
        agent_id: null,
        campaign_id: null,
        enabled: true,
        timezone_column: "timezone",
        hours: {
          countries: {},
          elsewhere: { days: [[], [], [], [], [], [], []], holidays: [] },
          unknown_timezone: null,
        },
        updated_at: 0,
      },
    ],
  },
}

const failedContact = (batch_id: string, campaign_id: string): Contact => ({
  contact_id: contactId(batch_id, 0),
  organization_id: org,
  batch_id,
  campaign_id,
  row: 0,
  revision: 1,
  status: "failed",
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
  last_status: "busy",
})

/** One that has waited for the hours of its zone. */
const openedContact = (batch_id: string, campaign_id: string): Contact => ({
  ...failedContact(batch_id, campaign_id),
  contact_id: contactId(batch_id, 2),
  row: 2,
  status: "pending",
  attempts: 0,
  eligible_at: now,
  hours_of: "Europe/Berlin",
  last_status: null,
})

/** A campaign with three contacts; `write` writes a change, and tells of it where it is to be noted. */
const lane = () => {
  const tables = new MemoryTables()
  const standings = new Standings(tables, () => now)
  let commits = 0
  const write = (changes: ReadonlyArray<Change>, isNoted: boolean) => {
    const id = `commit_${commits++}`
    const commit = { id, organization_id: org, expect: [], changes, wakeups: [], events: [], audit: [] }
    expect(tables.commit(commit)).toBeUndefined()
    if (isNoted) standings.observe(commit)
  }
  const campaign: Campaign = sampleCampaign(org, { status: "active" })
  const batch = sampleBatch(org, { campaign_id: campaign.campaign_id, status: "in_progress", total_contacts: 3 })
  const entries = [1, 2, 3].map((nth) => ({ to_number: `+155555501${nth}`, variables: {} }))
  tables.contacts.fill(batch.batch_id, 0, entries)
  const changes: ReadonlyArray<Change> = [
    { put: "campaign", row: campaign },
    { put: "batch", row: batch },
    { put: "contact", row: openedContact(batch.batch_id, campaign.campaign_id) },
  ]
  write(changes, true)
  return { batch, campaign, standings, tables, write }
}

test("every kind of change that a lane stands by is noted, and a full count finds one that was not", () => {
  const changesOf: Readonly<Record<string, (of: ReturnType<typeof lane>) => Change>> = {
    campaign: ({ campaign }) => ({
      put: "campaign",
      row: { ...campaign, revision: 2, max_concurrent_calls: 2 },
    }),
    batch: ({ batch }) => ({ put: "batch", row: { ...batch, revision: 2, status: "paused" } }),
    contact: ({ batch, campaign }) => ({
      put: "contact",
      row: failedContact(batch.batch_id, campaign.campaign_id),
    }),
    call: ({ batch, campaign }) => ({
      put: "call",
      row: sampleCall(org, {
        revision: 1,
        batch_id: batch.batch_id,
        campaign_id: campaign.campaign_id,
        dial: "intended",
        slot: { member: "exec_1", fence: 1, levels: [] },
      }),
    }),
    tally: ({ campaign }) => ({ put: "tally", subject: campaign.campaign_id, add: { held: 1 } }),
    discard: ({ batch }) => ({
      put: "discard",
      organization_id: org,
      kind: "contact",
      id: contactId(batch.batch_id, 1),
    }),
    callee_hours: () => closed,
  }
  for (const [kind, changeOf] of Object.entries(changesOf)) {
    for (const isNoted of [true, false]) {
      const world = lane()
      expect(world.standings.recount(org)).toEqual({ counted: 1, wrong: null })
      world.write([changeOf(world)], isNoted)
      expect([kind, isNoted, world.standings.recount(org).wrong === null]).toEqual([kind, isNoted, isNoted])
    }
  }
})
