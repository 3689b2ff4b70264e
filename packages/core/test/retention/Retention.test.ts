import { assert, describe, it } from "@effect/vitest"
import {
  AuditTrail,
  Calls,
  Campaigns,
  Deliveries,
  Engine,
  Idempotency,
  KeptEvents,
  Organizations,
  Retention,
  Suppressions,
  Usage,
} from "@carillon/core"
import { suppressedMessage, type UsageQuery } from "@carillon/core/domain"
import { Wakeups } from "@carillon/core/ports"
import { Effect } from "effect"
import { limits } from "../../src/Limits.ts"
import { memoryRows } from "../../src/memory/MemoryPorts.ts"
import { sampleSubscription } from "../../src/testing/Samples.ts"
import { ordinary, type Script } from "../../src/testing/world/Carrier.ts"
import {
  agentId,
  away,
  caller,
  epoch,
  organizationId,
  World,
  type WorldOptions,
} from "../../src/testing/world/World.ts"

const day = 24 * 3_600_000
const page = { page: 1, page_size: 100 }

const talked: Script = {
  ...ordinary,
  facts: {
    recording_url: "https://recordings.example.com/1.wav",
    media: { transcript: [{ role: "user", content: "I am Ada.", start_ms: 0, end_ms: 900 }], setup: null, turns: null },
  },
}

const busy: Script = {
  end: { status: "busy", duration_seconds: 0 },
  reports: [
    [300, "initiated"],
    [900, "ended"],
    [1_200, "final"],
  ],
}

const keep = (world: World, retention_days: number | null) =>
  world.run(Effect.flatMap(Organizations, (tenants) => tenants.change(organizationId, { retention_days })))

const started = Effect.fnUntraced(function* (options: Partial<WorldOptions> = {}, days: number | null = 7) {
  const subscription = sampleSubscription(organizationId, agentId, {
    subscription_id: "sub_one",
    event_types: ["call_completed", "all_processing_completed"],
  })
  const world = new World({ script: () => talked, rows: [{ put: "subscription", row: subscription }], ...options })
  yield* world.start()
  if (days !== null) yield* keep(world, days)
  return world
})

const numbers = (count: number) => Array.from({ length: count }, (_, nth) => `+1555555${2_010 + nth * 10}`)

const campaign = (world: World, count: number, settings: Partial<Parameters<Campaigns["Service"]["create"]>[1]> = {}) =>
  world.run(
    Effect.flatMap(Campaigns, (campaigns) =>
      campaigns.create(
        caller,
        { name: "A", agent_id: agentId, ...settings },
        { contacts: numbers(count).map((to_number) => ({ to_number, variables: { name: "Ada" } })), file_name: null },
      ),
    ),
  )

/** Places so many calls, one after the other. */
const placed = Effect.fnUntraced(function* (world: World, count: number) {
  for (let nth = 0; nth < count; nth++) {
    yield* world.placed()
    yield* world.advance(60_000)
  }
})

const usage = (world: World, query: UsageQuery) =>
  world.run(Effect.flatMap(Usage, (report) => report.report(organizationId, query)))

const listed = (world: World) => memoryRows(world.tables).calls.page(organizationId, {}, page)

const purge = (world: World, before = world.now) =>
  Effect.flatMap(Retention, (retention) => retention.purge(organizationId, before))

const purges = (world: World) =>
  world.tables.auditTrail(organizationId).filter(({ action }) => action === "retention.purge")

describe("what is kept for a time", () => {
  it.effect("goes that long after its end with all that was said and told of it, and no figure changes", () =>
    Effect.gen(function* () {
      const world = yield* started()
      yield* world.advance(100)
      const { call } = yield* world.placed()
      const id = call.execution_id
      yield* world.advance(20 * 60_000)
      const whole = { from_date: epoch, to_date: epoch + 3_600_000 - 1 }
      const figures = yield* usage(world, whole)
      assert.strictEqual(figures.total.calls, 1)
      const balance = world.tables.organizations.get(organizationId)?.wallet.balance
      const ports = memoryRows(world.tables)
      assert.strictEqual((yield* ports.deliveries.page(organizationId, {}, page, world.now)).total, 2)
      yield* world.advance(7 * day - 30 * 60_000)
      assert.isNotNull(yield* ports.calls.find(organizationId, id))
      yield* world.advance(1 * day + 3_600_000)
      const gone = yield* Effect.flip(world.run(Effect.flatMap(Calls, (calls) => calls.find(organizationId, id))))
      assert.strictEqual(gone._tag, "NotFound")
      assert.isNull(yield* ports.calls.media(organizationId, id))
      assert.deepStrictEqual(yield* listed(world), { items: [], total: 0 })
      assert.deepStrictEqual(yield* ports.deliveries.page(organizationId, {}, page, world.now), { items: [], total: 0 })
      assert.strictEqual(world.tables.webhooks.size, 0)
      assert.deepStrictEqual(yield* usage(world, whole), figures)
      assert.strictEqual(world.tables.organizations.get(organizationId)?.wallet.balance, balance)
      assert.deepStrictEqual(
        purges(world).map(({ actor, details }) => ({ actor, details })),
        [
          {
            actor: { type: "system", key_id: null },
            details: { calls: 1, contacts: 0, events: 2, deliveries: 2, days: 7 },
          },
        ],
      )
      const chain = yield* world.run(Effect.flatMap(AuditTrail, (trail) => trail.verify(organizationId, {})))
      assert.isTrue(chain.valid)
    }),
  )

  it.effect("is unknown to whoever speaks of it later", () =>
    Effect.gen(function* () {
      const world = yield* started({
        script: () => ({ ...talked, reports: [...ordinary.reports, [9 * day, "corrected"]] }),
      })
      const { call } = yield* world.placed()
      yield* world.advance(3_600_000)
      const [sent] = (yield* memoryRows(world.tables).deliveries.page(organizationId, {}, page, world.now)).items
      yield* world.advance(8 * day + 3_600_000)
      const commits = world.commits.length
      yield* world.advance(1 * day)
      assert.isFalse(world.commits.slice(commits).some(({ changes }) => changes.some(({ put }) => put === "call")))
      const again = world.run(
        Effect.flatMap(Deliveries, (ledger) => ledger.redeliver(caller, sent?.delivery_id ?? "dlv_none")),
      )
      assert.strictEqual((yield* Effect.flip(again))._tag, "NotFound")
      const stopped = world.run(Effect.flatMap(Calls, (calls) => calls.stop(caller, call.execution_id, null)))
      assert.strictEqual((yield* Effect.flip(stopped))._tag, "NotFound")
    }),
  )

  it.effect("leaves campaigns, their batches and all counts as they were, and no contact", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const { campaign_id } = yield* campaign(world, 3)
      yield* world.advance(3_600_000)
      const read = world.run(
        Effect.gen(function* () {
          const campaigns = yield* Campaigns
          return {
            record: yield* campaigns.find(organizationId, campaign_id),
            stats: yield* campaigns.stats(organizationId, campaign_id),
            batches: yield* campaigns.batches(organizationId, campaign_id, page),
          }
        }),
      )
      const contacts = world.run(
        Effect.flatMap(Campaigns, (campaigns) => campaigns.contacts(organizationId, campaign_id, page)),
      )
      const before = yield* read
      assert.strictEqual((yield* contacts).total, 3)
      yield* world.advance(8 * day)
      assert.deepStrictEqual(yield* read, before)
      assert.deepStrictEqual(yield* contacts, { items: [], total: 0 })
      assert.deepStrictEqual(yield* listed(world), { items: [], total: 0 })
      const [batch] = world.tables.batches.ofCampaign(organizationId, campaign_id)
      assert.isDefined(batch?.purged_at)
      assert.deepStrictEqual(world.tables.contacts.rows(batch?.batch_id ?? "", 0, 10), [])
      const explained = yield* world.run(
        Effect.flatMap(Campaigns, (campaigns) => campaigns.explain(organizationId, campaign_id)),
      )
      assert.strictEqual(explained.dialable, 0)
    }),
  )

  it.effect("is left over no more in a campaign that has expired", () =>
    Effect.gen(function* () {
      const world = yield* started({
        organization: { concurrency: { organization: 1, per_agent: null, enforced: true } },
      })
      const { campaign_id } = yield* campaign(world, 4, { end_time: epoch + 5_000 })
      const explained = world.run(
        Effect.flatMap(Campaigns, (campaigns) => campaigns.explain(organizationId, campaign_id)),
      )
      yield* world.advance(3_600_000)
      assert.deepStrictEqual((yield* explained).blocking, [{ reason: "finished", contacts: 3, until: null }])
      yield* world.advance(8 * day)
      assert.deepStrictEqual((yield* explained).blocking, [])
    }),
  )

  it.effect("is brought back by no revival", () =>
    Effect.gen(function* () {
      const world = yield* started({
        organization: { concurrency: { organization: 1, per_agent: null, enforced: true } },
      })
      const { campaign_id } = yield* campaign(world, 4)
      yield* world.advance(2_000)
      yield* world.run(Effect.flatMap(Campaigns, (campaigns) => campaigns.cancel(caller, campaign_id)))
      yield* world.advance(8 * day + 3_600_000)
      const dialled = world.dials.length
      assert.strictEqual((yield* listed(world)).total, 0)
      yield* world.run(Effect.flatMap(Campaigns, (campaigns) => campaigns.revive(caller, campaign_id)))
      yield* world.advance(3_600_000)
      assert.strictEqual(world.dials.length, dialled)
      const [batch] = world.tables.batches.ofCampaign(organizationId, campaign_id)
      assert.strictEqual(batch?.status, "cancelled")
      const added = yield* world.run(
        Effect.flatMap(Campaigns, (campaigns) =>
          campaigns.append(caller, campaign_id, {
            contacts: [{ to_number: "+15555552990", variables: {} }],
            file_name: null,
          }),
        ),
      )
      yield* world.advance(3_600_000)
      assert.strictEqual(world.dials.length, dialled + 1)
      assert.strictEqual(world.tables.batches.get(added.batch_id)?.status, "completed")
    }),
  )

  it.effect("stays while something is still planned with it", () =>
    Effect.gen(function* () {
      const world = yield* started({ script: () => busy })
      const { campaign_id } = yield* campaign(world, 1)
      yield* world.advance(5_000)
      yield* world.run(Effect.flatMap(Campaigns, (campaigns) => campaigns.pause(caller, campaign_id)))
      yield* world.advance(20 * day)
      assert.strictEqual((yield* listed(world)).total, 1)
      yield* world.run(Effect.flatMap(Campaigns, (campaigns) => campaigns.resume(caller, campaign_id)))
      yield* world.advance(7 * day)
      assert.isAbove((yield* listed(world)).total, 1)
      yield* world.advance(2 * day)
      assert.strictEqual((yield* listed(world)).total, 0)
    }),
  )

  it.effect("leaves of kept events their places, and readers go on past them", () =>
    Effect.gen(function* () {
      const world = yield* started({ keepEvents: true })
      yield* world.placed()
      yield* world.advance(8 * day + 3_600_000)
      const kept = yield* memoryRows(world.tables).deliveries.kept(0, 100)
      assert.isAbove(kept.length, 1)
      for (const { event } of kept) assert.isTrue(event.erased)
      yield* world.placed()
      yield* world.advance(60_000)
      const read = yield* world.run(Effect.flatMap(KeptEvents, (events) => events.read("oldest")))
      assert.isAbove(read.length, 1)
    }),
  )

  it.effect("goes in small steps with a rest between, which another process goes on with", () =>
    Effect.gen(function* () {
      const world = yield* started(
        { organization: { concurrency: { organization: 1, per_agent: null, enforced: true } } },
        null,
      )
      yield* placed(world, 110)
      const { campaign_id } = yield* campaign(world, 1_100)
      yield* world.advance(2_000)
      yield* world.run(Effect.flatMap(Campaigns, (campaigns) => campaigns.cancel(caller, campaign_id)))
      yield* world.advance(9 * day)
      yield* keep(world, 7)
      const from = world.commits.length
      yield* world.advance(5 * limits.purgeRestMs)
      world.kill()
      yield* world.start()
      yield* world.advance(3_600_000)
      assert.strictEqual((yield* listed(world)).total, 0)
      const steps = world.commits.slice(from).filter(({ changes }) => changes.some(({ put }) => put === "purge"))
      assert.isAbove(steps.length, 6)
      for (const { changes } of steps) {
        const ofKind = (wanted: string) => changes.filter((change) => "kind" in change && change.kind === wanted).length
        assert.isAtMost(ofKind("call"), limits.purgedCalls)
        assert.isAtMost(ofKind("contact"), limits.purgedContacts)
      }
      assert.deepStrictEqual(
        purges(world).map(({ details }) => [details.calls, details.contacts]),
        [[111, 1_100]],
      )
    }),
  )

  it.effect("is looked at for a page of calls together, and without what was told of them", () =>
    Effect.gen(function* () {
      const asked = new Map<string, number>()
      const world = yield* started({
        interpose: (operation, effect) => {
          asked.set(operation, (asked.get(operation) ?? 0) + 1)
          return effect
        },
      })
      yield* placed(world, 40)
      yield* world.advance(6 * day)
      asked.clear()
      yield* world.advance(2 * day)
      assert.strictEqual((yield* listed(world)).total, 0)
      assert.isAtMost(asked.get("deliveries.standings") ?? 0, 2)
      for (const each of ["deliveries.event", "deliveries.page", "calls.media"]) assert.isFalse(asked.has(each), each)
    }),
  )

  it.effect("passes over no row that is gone, from one day to the next", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const { call } = yield* world.placed()
      yield* world.advance(8 * day + 3_600_000)
      const row = yield* memoryRows(world.tables).accounts.purge(organizationId)
      assert.strictEqual(row?.calls_settled?.created_at, call.created_at)
      const later = yield* world.placed()
      yield* world.advance(8 * day + 3_600_000)
      assert.strictEqual((yield* listed(world)).total, 0)
      const again = yield* memoryRows(world.tables).accounts.purge(organizationId)
      assert.strictEqual(again?.calls_settled?.created_at, later.call.created_at)
    }),
  )

  it.effect("is for ever again when its host says so", () =>
    Effect.gen(function* () {
      const world = yield* started()
      yield* world.placed()
      yield* world.advance(day)
      yield* keep(world, null)
      yield* world.advance(30 * day)
      assert.strictEqual((yield* listed(world)).total, 1)
      yield* keep(world, 30)
      yield* world.advance(day)
      assert.strictEqual((yield* listed(world)).total, 0)
    }),
  )

  it.effect("is looked for again where its wake-up was lost", () =>
    Effect.gen(function* () {
      const world = yield* started()
      for (const again of ["repair", "rebuildWakeups"] as const) {
        yield* world.placed()
        yield* world.advance(3_600_000)
        yield* world.run(Effect.flatMap(Wakeups, (wakeups) => wakeups.clearAll))
        yield* world.advance(9 * day)
        assert.strictEqual((yield* listed(world)).total, 1)
        yield* world.run(Effect.flatMap(Engine, (engine) => Effect.asVoid(engine[again])))
        yield* world.advance(day)
        assert.strictEqual((yield* listed(world)).total, 0)
      }
    }),
  )

  it.effect("is kept for no time that is too short, and for none that is no number of days", () =>
    Effect.gen(function* () {
      const world = yield* started({}, null)
      for (const days of [0, limits.retentionDays.min - 1, 7.5, limits.retentionDays.max + 1, Number.NaN]) {
        const refused = yield* Effect.flip(keep(world, days))
        assert.deepInclude(refused, { _tag: "InvalidField", field: "retention_days" })
      }
      const opened = Effect.flatMap(Organizations, (tenants) => tenants.open({ name: "B", retention_days: 1 }))
      assert.deepInclude(yield* Effect.flip(world.run(opened)), { _tag: "InvalidField", field: "retention_days" })
    }),
  )

  it.effect("goes on where the store was away in the middle", () =>
    Effect.gen(function* () {
      let isAway = false
      const world = yield* started({
        interpose: (operation, effect) => (isAway && operation === "store.commit" ? away : effect),
      })
      yield* placed(world, 25)
      yield* world.advance(8 * day - 26 * 60_000)
      isAway = true
      yield* world.advance(600_000)
      assert.strictEqual((yield* listed(world)).total, 25)
      isAway = false
      yield* world.advance(60_000)
      assert.strictEqual((yield* listed(world)).total, 0)
    }),
  )
})

describe("what goes, beside", () => {
  const forAll = { agent_id: null, campaign_id: null, reason: "opt_out", source: null, note: null }

  it.effect("numbers that must not be called stay, those whose suppression has ended as well", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const [first = "", second = "", third = ""] = numbers(3)
      const add = (toNumber: string, expires_at: number | null) =>
        world.run(Effect.flatMap(Suppressions, (service) => service.add(caller, [toNumber], { ...forAll, expires_at })))
      yield* add(second, null)
      yield* add(third, world.now + 3_600_000)
      const { campaign_id } = yield* campaign(world, 3)
      yield* world.advance(60_000)
      assert.strictEqual(world.tables.campaigns.get(campaign_id)?.status, "completed")
      assert.deepStrictEqual(
        world.dials.map(({ to_number }) => to_number),
        [first],
      )
      yield* world.advance(9 * day)
      // Whoever was skipped went with the batch.
      const [batch] = world.tables.batches.ofCampaign(organizationId, campaign_id)
      assert.isDefined(batch?.purged_at)
      assert.deepStrictEqual(world.tables.contacts.rows(batch?.batch_id ?? "", 0, 10), [])
      const page1 = yield* world.run(Effect.flatMap(Suppressions, (service) => service.page(organizationId, page)))
      assert.deepStrictEqual(
        page1.items.map(({ to_number }) => to_number),
        [third, second],
      )
      assert.strictEqual((yield* Effect.flip(world.placed({ to_number: second }))).message, suppressedMessage)
      yield* world.placed({ to_number: third })
      assert.strictEqual(world.dials.at(-1)?.to_number, third)
    }),
  )

  it.effect("an answer that was kept for a request is given again, and nobody is called a second time", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const route = "POST /v2/calls"
      const asked = { organization_id: organizationId, route, key: "once", content: "{}", makes: "execution" as const }
      const place = Effect.map(world.placed(), ({ call }) => ({ status: 202, body: call.execution_id }))
      const handling = { handle: () => place, recall: () => Effect.die("Nobody has died.") }
      const ask = world.run(Effect.flatMap(Idempotency, (idempotency) => idempotency.run(asked, handling)))
      const first = yield* ask
      yield* world.advance(3_600_000)
      yield* world.run(purge(world))
      assert.strictEqual((yield* listed(world)).total, 0)
      assert.deepStrictEqual(yield* ask, { ...first, replayed: true })
      assert.lengthOf(world.dials, 1)
      const gone = yield* Effect.flip(
        world.run(Effect.flatMap(Calls, (calls) => calls.find(organizationId, first.body ?? ""))),
      )
      assert.strictEqual(gone._tag, "NotFound")
    }),
  )

  it.effect("a call goes with the records that were folded into it, and one whose follow-up is planned stays", () =>
    Effect.gen(function* () {
      const [initiated = [0, "initiated"], ...rest] = ordinary.reports
      const world = yield* started({
        script: () => ({ ...talked, reports: [initiated, [400, "recovered"], ...rest] }),
      })
      const policy = {
        enabled: true,
        max_attempts: 1,
        cooldown_minutes: 20 * 24 * 60,
        triggers: ["completed"] as const,
      }
      const { campaign_id } = yield* campaign(world, 1, { follow_up_policy: policy })
      yield* world.placed({ to_number: "+15555552990" })
      yield* world.advance(3_600_000)
      const folded = world.commits.flatMap(({ changes }) =>
        changes.flatMap((change) => (change.put === "call" && change.row.folded_into !== null ? [change.row] : [])),
      )
      const records = new Map(folded.map((call) => [call.execution_id, call.batch_id]))
      assert.isAbove(records.size, 1)
      yield* world.advance(10 * day)
      const ports = memoryRows(world.tables)
      for (const [id, batchId] of records) {
        const found = yield* ports.calls.locate(id)
        if (batchId === null) assert.isNull(found)
        else assert.isNotNull(found)
      }
      // The follow-up is made, and then all of it goes.
      yield* world.advance(11 * day)
      assert.lengthOf(
        world.dials.filter((dial) => dial.campaign_id === campaign_id),
        2,
      )
      yield* world.advance(9 * day)
      for (const id of records.keys()) assert.isNull(yield* ports.calls.locate(id))
      assert.strictEqual((yield* listed(world)).total, 0)
    }),
  )
})

describe("usage of what is gone", () => {
  it.effect("counts a minute whole whose calls cannot be looked up any more, and others by their calls", () =>
    Effect.gen(function* () {
      const world = yield* started({}, null)
      yield* world.placed()
      yield* world.advance(30_000)
      yield* world.placed()
      yield* world.advance(3_600_000)
      const late = world.now
      yield* world.placed()
      const half = { from_date: epoch, to_date: epoch + 29_999 }
      const afterwards = { from_date: epoch, to_date: late - 1 }
      assert.strictEqual((yield* usage(world, half)).total.calls, 1)
      yield* world.advance(1_800_000)
      assert.strictEqual((yield* world.run(purge(world, epoch + 3_600_000))).calls, 2)
      assert.strictEqual((yield* usage(world, half)).total.calls, 2)
      assert.strictEqual((yield* usage(world, afterwards)).total.calls, 2)
      assert.strictEqual((yield* usage(world, { from_date: epoch, to_date: late })).total.calls, 3)
      assert.strictEqual((yield* usage(world, { from_date: late + 1, to_date: late + 2 })).total.calls, 0)
    }),
  )

  it.effect("misses no call that goes while it is added up", () =>
    Effect.gen(function* () {
      let goes: Effect.Effect<unknown> = Effect.void
      const world = yield* started(
        {
          interpose: (operation, effect) =>
            operation === "usage.edge"
              ? Effect.andThen(
                  Effect.suspend(() => goes),
                  effect,
                )
              : effect,
        },
        null,
      )
      yield* world.placed()
      yield* world.advance(3_600_000)
      const before = world.now
      goes = Effect.orDie(world.run(Effect.asVoid(purge(world, before))))
      const { total } = yield* usage(world, { from_date: epoch, to_date: epoch + 10_000 })
      assert.strictEqual((yield* listed(world)).total, 0)
      assert.strictEqual(total.calls, 1)
    }),
  )
})
