import { assert, describe, it } from "@effect/vitest"
import { type Call, Campaigns, Organizations, Retention, Suppressions, Verification } from "@carillon/core"
import type { Batch, Change, Contact } from "@carillon/core/ports"
import { Effect } from "effect"
import { memoryRows } from "../../src/memory/MemoryPorts.ts"
import { put } from "../../src/engine/rules/Put.ts"
import { contactId } from "../../src/contacts/rules/Contact.ts"
import { sampleBatch, sampleCallee, sampleSubscription, sampleSuppression } from "../../src/testing/Samples.ts"
import { agentId, caller, organizationId, World } from "../../src/testing/world/World.ts"

const subscription = sampleSubscription(organizationId, agentId, { subscription_id: "sub_one" })
const entry = (to_number: string) => ({ to_number, variables: {} })
const numbers = ["+15555552010", "+15555552020", "+15555552030"]

/** A world in which a campaign is called through. */
const called = Effect.fnUntraced(function* () {
  const world = new World({ rows: [{ put: "subscription", row: subscription }] })
  yield* world.start()
  const campaign = yield* world.run(
    Effect.flatMap(Campaigns, (campaigns) =>
      campaigns.create(caller, { name: "A", agent_id: agentId }, { contacts: numbers.map(entry), file_name: null }),
    ),
  )
  return { world, campaignId: campaign.campaign_id }
})

const verify = (world: World) =>
  world.run(Effect.flatMap(Verification, (verification) => verification.verify(organizationId)))

/** What the rows of a world are once they were spoilt. */
interface Rows {
  readonly call: Call
  readonly contact: Contact
  readonly batch: Batch
  readonly campaignId: string
  readonly now: number
}

const hour = 3_600_000

const usageOf = ({ agent_id, campaign_id, created_at, organization_id }: Call, duration_seconds: number): Change => ({
  put: "usage",
  delta: {
    organization_id,
    agent_id,
    campaign_id,
    at: created_at,
    calls: 0,
    connected_calls: 0,
    duration_seconds,
    cost: 0,
    cost_breakdown: null,
    status_counts: {},
  },
})

/** Each mistake that an engine could make, and the law that tells of it. */
const mistakes: ReadonlyArray<readonly [law: string, change: (rows: Rows) => ReadonlyArray<Change>]> = [
  ["counts are right", ({ campaignId }) => [{ put: "tally", subject: campaignId, add: { "call:completed": 1 } }]],
  ["counts are right", ({ batch }) => [{ put: "tally", subject: batch.batch_id, add: { "contact:failed": -1 } }]],
  ["usage is right", ({ call }) => [usageOf(call, 1)]],
  ["counts are right", ({ contact }) => [put("contact", contact, { ...contact, attempts: 0 })]],
  [
    "a contact's attempt ends with its call",
    ({ contact }) => [put("contact", contact, { ...contact, status: "in_progress" })],
  ],
  ["who waits knows for what", ({ contact }) => [put("contact", contact, { ...contact, status: "retry_scheduled" })]],
  ["a campaign ends with its batches", ({ batch }) => [put("batch", batch, { ...batch, status: "paused" })]],
  ["a call that is under way is looked at in time", ({ call }) => [put("call", call, { ...call, status: "ringing" })]],
  [
    "a call that is under way is looked at in time",
    ({ call, now }) => [put("call", call, { ...call, status: "ringing", due_at: now - hour })],
  ],
  [
    "a call's facts are not waited for beyond their time",
    ({ call, now }) => [put("call", call, { ...call, processing: { ...call.processing, due_at: now - hour } })],
  ],
]

describe("verifying an organization", () => {
  it.effect("finds nothing in what the engine does, at any moment of it, and writes nothing", () =>
    Effect.gen(function* () {
      const { world } = yield* called()
      for (let nth = 0; nth < 200; nth++) {
        yield* world.advance(nth < 150 ? 400 : 60_000)
        const commits = world.commits.length
        const { faults, moving, rows } = yield* verify(world)
        assert.deepStrictEqual(faults, [])
        assert.deepInclude(rows, { campaigns: 1, batches: 1, contacts: 3 })
        assert.strictEqual(moving, 0)
        assert.lengthOf(world.commits, commits)
      }
      const { rows } = yield* verify(world)
      assert.deepInclude(rows, { calls: 3 })
      assert.isAbove(rows.deliveries, 0)
      assert.isAbove(rows.audit_records, 0)
    }),
  )

  for (const [nth, [law, change]] of mistakes.entries()) {
    it.effect(`finds mistake ${nth + 1}: ${law}`, () =>
      Effect.gen(function* () {
        const { campaignId, world } = yield* called()
        yield* world.advance(2 * hour)
        const [call] = world.calls()
        const batch = world.tables.batches.get(call?.batch_id ?? "")
        assert(call !== undefined && batch !== undefined)
        const [place] = yield* memoryRows(world.tables).contacts.rows(batch.batch_id, 0, 1)
        const contact = place?.contact
        assert(contact !== undefined && contact !== null)
        world.write(...change({ call, contact, batch, campaignId, now: world.now }))
        const { fault_count, faults } = yield* verify(world)
        assert.include(
          faults.map((fault) => fault.law),
          law,
        )
        assert.strictEqual(fault_count, faults.length)
      }),
    )
  }

  it.effect("knows no organization that is not there", () =>
    Effect.gen(function* () {
      const { world } = yield* called()
      const failure = yield* Effect.flip(
        world.run(Effect.flatMap(Verification, (verification) => verification.verify("org_none"))),
      )
      assert.strictEqual(failure._tag, "NotFound")
    }),
  )
})

const day = 24 * hour

/** A world in which a campaign was called through long ago, and one call was made today. */
const lived = Effect.fnUntraced(function* () {
  const { campaignId, world } = yield* called()
  yield* world.advance(9 * day)
  const { call } = yield* world.placed()
  yield* world.advance(hour)
  const [batch] = world.tables.batches.ofCampaign(organizationId, campaignId)
  assert(batch !== undefined)
  return { batch, campaignId, today: call.execution_id, world }
})

/** What is kept of a campaign whose calls and contacts have gone, or of a day whose calls have, and cannot be. */
const mistakesOfGone: ReadonlyArray<readonly [what: string, law: string, change: (rows: GoneRows) => Change]> = [
  [
    "a campaign counts a call more than its batches",
    "counts are right",
    ({ campaignId }) => ({ put: "tally", subject: campaignId, add: { "call:completed": 1, "depth:0": 1 } }),
  ],
  [
    "a call has a status and is no attempt",
    "counts are right",
    ({ batchId }) => ({ put: "tally", subject: batchId, add: { "call:completed": 1 } }),
  ],
  [
    "a call that is gone rings",
    "counts are right",
    ({ batchId }) => ({ put: "tally", subject: batchId, add: { "call:ringing": 1, "depth:0": 1 } }),
  ],
  [
    "somebody less was called than there was",
    "counts are right",
    ({ batchId }) => ({ put: "tally", subject: batchId, add: { "contact:completed": -4 } }),
  ],
  [
    "a batch that goes counts as another",
    "counts are right",
    ({ campaignId }) => ({ put: "tally", subject: campaignId, add: { "batch:paused": 1 } }),
  ],
  [
    "a call that is gone has no status",
    "usage is right",
    ({ gone }) => {
      const change = usageOf(gone, 0)
      return change.put === "usage" ? { ...change, delta: { ...change.delta, calls: 1 } } : change
    },
  ],
  ["less was talked than by those who are there", "usage is right", ({ gone }) => usageOf(gone, -1_000)],
  ["a day of which nothing is gone", "usage is right", ({ today }) => usageOf(today, 1)],
]

interface GoneRows {
  readonly batchId: string
  readonly campaignId: string
  readonly gone: Call
  readonly today: Call
}

describe("verifying an organization that keeps rows for a time", () => {
  it.effect("finds nothing after any step of a walk, though less is there than is counted", () =>
    Effect.gen(function* () {
      const { campaignId, today, world } = yield* lived()
      yield* world.run(
        Effect.flatMap(Organizations, (tenants) => tenants.change(organizationId, { retention_days: 7 })),
      )
      for (let steps = 0; ; steps++) {
        const { faults, rows } = yield* verify(world)
        assert.deepStrictEqual(faults, [])
        const left = yield* world.run(Effect.flatMap(Retention, (retention) => retention.sweep(organizationId)))
        if (left !== null && left <= world.now + 1_000) continue
        assert.isAbove(steps, 3)
        assert.deepInclude(rows, { campaigns: 1, batches: 1, contacts: 0, calls: 1 })
        break
      }
      assert.deepStrictEqual(
        world.calls().map(({ execution_id }) => execution_id),
        [today],
      )
      const stats = yield* world.run(
        Effect.flatMap(Campaigns, (campaigns) => campaigns.stats(organizationId, campaignId)),
      )
      assert.strictEqual(stats.outcome_counts.completed, 3)
    }),
  )

  it.effect("looks once at each contact behind those that are gone", () =>
    Effect.gen(function* () {
      const { world } = yield* called()
      const batch_id = "bat_half"
      const whole = { batch_id, campaign_id: null, status: "completed", total_contacts: 700 } as const
      world.write({ put: "batch", row: sampleBatch(organizationId, { ...whole, purging_since: world.now }) })
      const entries = Array.from({ length: 700 }, (_, nth) => entry(`+1555555${1_000 + nth}`))
      yield* memoryRows(world.tables).contacts.fill(batch_id, 0, entries)
      const before = (yield* verify(world)).rows.contacts
      world.write(
        ...Array.from({ length: 500 }, (_, row): Change => {
          return { put: "discard", organization_id: organizationId, kind: "contact", id: contactId(batch_id, row) }
        }),
      )
      const { faults, rows } = yield* verify(world)
      assert.deepStrictEqual(faults, [])
      assert.strictEqual(rows.contacts, before - 500)
    }),
  )

  for (const [what, law, change] of mistakesOfGone) {
    it.effect(`finds that ${what}`, () =>
      Effect.gen(function* () {
        const { batch, campaignId, today, world } = yield* lived()
        const [gone] = world.calls()
        assert(gone !== undefined && gone.execution_id !== today)
        yield* world.run(Effect.flatMap(Retention, (retention) => retention.purge(organizationId, world.now - day)))
        assert.deepStrictEqual((yield* verify(world)).faults, [])
        world.write(change({ batchId: batch.batch_id, campaignId, gone, today: world.call(today) }))
        assert.include(
          (yield* verify(world)).faults.map((fault) => fault.law),
          law,
        )
      }),
    )
  }
})

describe("verifying the numbers that an organization must not call", () => {
  const forAll = { agent_id: null, campaign_id: null, reason: null, source: null, note: null, expires_at: null }

  it.effect("looks at each of them, and finds one that is suppressed twice for a scope", () =>
    Effect.gen(function* () {
      const { world } = yield* called()
      const many = Array.from({ length: 250 }, (_, nth) => `+1555600${1_000 + nth}`)
      yield* world.run(Effect.flatMap(Suppressions, (suppressions) => suppressions.add(caller, many, forAll)))
      const sound = yield* verify(world)
      assert.strictEqual(sound.rows.callees, 250)
      assert.deepStrictEqual(sound.faults, [])
      const twice = sampleCallee(organizationId, { suppressions: [sampleSuppression(), sampleSuppression()] })
      const both = sampleCallee(organizationId, {
        suppressions: [sampleSuppression({ agent_id: agentId, campaign_id: "cmp_one" })],
      })
      world.write({ put: "callee", row: twice }, { put: "callee", row: both })
      const { faults } = yield* verify(world)
      const law = "a number is suppressed once for a scope"
      assert.deepStrictEqual(
        faults.map((fault) => fault.law),
        [law, law],
      )
      for (const { detail } of faults) assert.notInclude(detail, "+1")
    }),
  )

  it.effect("knows that a batch whose last contacts are skipped is over", () =>
    Effect.gen(function* () {
      const { campaignId, world } = yield* called()
      yield* world.run(
        Effect.flatMap(Suppressions, (suppressions) => suppressions.add(caller, numbers.slice(1), forAll)),
      )
      yield* world.advance(2 * hour)
      const [batch] = world.tables.batches.ofCampaign(organizationId, campaignId)
      assert(batch?.status === "completed")
      assert.deepStrictEqual((yield* verify(world)).faults, [])
      const campaign = world.tables.campaigns.get(campaignId)
      assert(campaign !== undefined)
      world.write(
        put("campaign", campaign, { ...campaign, status: "active" }),
        put("batch", batch, { ...batch, status: "in_progress" }),
        { put: "tally", subject: campaignId, add: { "batch:completed": -1, "batch:in_progress": 1 } },
      )
      assert.include(
        (yield* verify(world)).faults.map(({ law }) => law),
        "a batch without work completes",
      )
    }),
  )
})
