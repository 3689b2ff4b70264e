import { assert, describe, it } from "@effect/vitest"
import { Campaigns, Erasure, KeptEvents, Suppressions, Usage } from "@carillon/core"
import { suppressedMessage } from "@carillon/core/domain"
import { Effect } from "effect"
import { memoryRows } from "../../src/memory/MemoryPorts.ts"
import { sampleBatch, sampleSubscription } from "../../src/testing/Samples.ts"
import { scripts } from "../../src/testing/world/Plans.ts"
import { ordinary, type Script } from "../../src/testing/world/Carrier.ts"
import { agentId, away, caller, organizationId, World, type WorldOptions } from "../../src/testing/world/World.ts"

const ada = "+15555552010"
const bob = "+15555552020"
const entry = (to_number: string) => ({ to_number, variables: { name: `Somebody at ${to_number}` } })

const talked: Script = {
  ...ordinary,
  facts: {
    recording_url: "https://recordings.example.com/1.wav",
    media: { transcript: [{ role: "user", content: "I am Ada.", start_ms: 0, end_ms: 900 }], setup: null, turns: null },
  },
}

const started = Effect.fnUntraced(function* (options: Partial<WorldOptions> = {}) {
  const subscription = sampleSubscription(organizationId, agentId, {
    subscription_id: "sub_one",
    event_types: ["call_completed", "all_processing_completed"],
  })
  const world = new World({ script: () => talked, rows: [{ put: "subscription", row: subscription }], ...options })
  yield* world.start()
  return world
})

const campaign = (world: World, numbers: ReadonlyArray<string>) =>
  world.run(
    Effect.flatMap(Campaigns, (campaigns) =>
      campaigns.create(caller, { name: "A", agent_id: agentId }, { contacts: numbers.map(entry), file_name: null }),
    ),
  )

const erase = (world: World, number = ada) =>
  world.run(Effect.flatMap(Erasure, (erasure) => erasure.erase(organizationId, number)))

/** All that customers read of calls and contacts, as one text. */
const readOf = Effect.fnUntraced(function* (world: World) {
  const ports = memoryRows(world.tables)
  const page = { page: 1, page_size: 100 }
  const calls = yield* ports.calls.page(organizationId, {}, page)
  const media = yield* Effect.forEach(calls.items, ({ execution_id }) =>
    ports.calls.media(organizationId, execution_id),
  )
  const batches = yield* ports.batches.page(organizationId, {}, page)
  const contacts = yield* Effect.forEach(batches.items, ({ batch_id }) => ports.contacts.rows(batch_id, 0, 100))
  return JSON.stringify({ calls, media, contacts })
})

const countsOf = (world: World, campaignId: string) =>
  world.run(
    Effect.gen(function* () {
      const stats = yield* (yield* Campaigns).stats(organizationId, campaignId)
      const usage = yield* (yield* Usage).report(organizationId, {
        from_date: world.now - 86_400_000,
        to_date: world.now,
      })
      return { stats, usage }
    }),
  )

describe("erasing a person", () => {
  it.effect("leaves nothing of the person, everything of others, and every count as it was", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const { campaign_id } = yield* campaign(world, [ada, bob])
      yield* world.advance(120_000)
      const before = yield* countsOf(world, campaign_id)
      assert.include(yield* readOf(world), ada)
      const report = yield* erase(world)
      assert.deepInclude(report, { calls: 1, contacts: 1, events: 2, under_way: [], is_whole: true })
      assert.strictEqual(report.elsewhere[0]?.recording_url, "https://recordings.example.com/1.wav")
      const after = yield* readOf(world)
      assert.notInclude(after, ada)
      assert.include(after, `Somebody at ${bob}`)
      assert.strictEqual(after.split("I am Ada.").length, 2)
      assert.deepStrictEqual(yield* countsOf(world, campaign_id), before)
      // Once more there is nothing to erase.
      assert.deepInclude(yield* erase(world), { calls: 0, contacts: 0, events: 0 })
      const trail = world.tables.auditTrail(organizationId).filter(({ action }) => action === "person.erase")
      assert.deepStrictEqual(
        trail.map(({ details }) => details),
        [
          { calls: 1, contacts: 1, events: 2 },
          { calls: 0, contacts: 0, events: 0 },
        ],
      )
    }),
  )

  it.effect("calls nobody who was erased, and the campaign comes to its end", () =>
    Effect.gen(function* () {
      const world = yield* started({
        organization: { concurrency: { organization: 1, per_agent: null, enforced: true } },
      })
      const { campaign_id } = yield* campaign(world, [bob, ada, ada])
      yield* world.advance(2_000)
      assert.deepInclude(yield* erase(world), { calls: 0, contacts: 2, under_way: [] })
      yield* world.advance(120_000)
      assert.deepStrictEqual(
        world.dials.map(({ to_number }) => to_number),
        [bob],
      )
      assert.strictEqual(world.tables.campaigns.get(campaign_id)?.status, "completed")
    }),
  )

  it.effect("leaves whoever is being called as he is, and says so", () =>
    Effect.gen(function* () {
      const world = yield* started()
      yield* campaign(world, [ada])
      yield* world.advance(2_000)
      const [call] = world.calls()
      const report = yield* erase(world)
      assert.deepInclude(report, { calls: 0, contacts: 0 })
      assert.sameMembers([...report.under_way], [call?.execution_id ?? "", call?.contact_id ?? ""])
      yield* world.advance(120_000)
      assert.deepInclude(yield* erase(world), { calls: 1, contacts: 1, under_way: [] })
    }),
  )

  it.effect("waits for webhooks that are still to be sent, and sends none of them again afterwards", () =>
    Effect.gen(function* () {
      const world = yield* started({ keepEvents: true })
      world.endpoints.react = () => ({ answer: { _tag: "Answered", http_status: 500 } })
      yield* campaign(world, [ada])
      yield* world.advance(30_000)
      assert.lengthOf((yield* erase(world)).under_way, 1)
      yield* world.advance(24 * 3_600_000)
      assert.deepInclude(yield* erase(world), { calls: 1, under_way: [] })
      const kept = yield* memoryRows(world.tables).deliveries.kept(0, 100)
      assert.isAbove(kept.length, 1)
      for (const { event } of kept) {
        assert.notInclude(event.body, ada)
        assert.deepInclude(JSON.parse(event.body), { event_id: event.event_id, erased: true })
      }
    }),
  )

  it.effect("lets no late word of the carrier bring anything back", () =>
    Effect.gen(function* () {
      const late: Script = { ...talked, reports: [...ordinary.reports, [700_000, "analysis"], [800_000, "corrected"]] }
      const world = yield* started({ script: () => late })
      yield* campaign(world, [ada])
      yield* world.advance(650_000)
      assert.deepInclude(yield* erase(world), { calls: 1 })
      yield* world.advance(200_000)
      const [call] = world.calls()
      assert.deepInclude(call, { recording_url: null, summary: null, extracted_data: null, to_number: "erased" })
    }),
  )

  it.effect("settles the batch of whom it erases though its campaign has other calls to make", () =>
    Effect.gen(function* () {
      const world = yield* started({
        organization: { concurrency: { organization: 1, per_agent: null, enforced: true } },
      })
      const { campaign_id } = yield* campaign(world, [bob, bob, bob, bob])
      const added = world.run(
        Effect.flatMap(Campaigns, (campaigns) =>
          campaigns.append(caller, campaign_id, { contacts: [entry(ada)], file_name: null }),
        ),
      )
      const { batch_id } = yield* added
      yield* world.advance(2_000)
      yield* erase(world)
      yield* world.advance(1_000)
      assert.strictEqual(world.tables.batches.get(batch_id)?.status, "completed")
      assert.strictEqual(world.tables.campaigns.get(campaign_id)?.status, "active")
    }),
  )

  it.effect("looks once at each contact behind those that are gone", () =>
    Effect.gen(function* () {
      let reads = 0
      const world = yield* started({
        interpose: (operation, effect) =>
          Effect.suspend(() => {
            if (operation === "contacts.rows") reads += 1
            return effect
          }),
      })
      const batch_id = "bat_half"
      const whole = { batch_id, campaign_id: null, status: "completed", total_contacts: 700 } as const
      world.write({ put: "batch", row: sampleBatch(organizationId, { ...whole, purging_since: world.now }) })
      yield* memoryRows(world.tables).contacts.fill(
        batch_id,
        600,
        Array.from({ length: 100 }, () => entry(bob)),
      )
      reads = 0
      yield* erase(world)
      assert.strictEqual(reads, 1)
    }),
  )

  it.effect("erases what was told of a call before telephony went on under another record", () =>
    Effect.gen(function* () {
      const moved: Script = { ...talked, reports: scripts.recovered.reports }
      const world = yield* started({ script: () => moved, keepEvents: true })
      yield* campaign(world, [ada])
      yield* world.advance(900_000)
      assert.deepInclude(yield* erase(world), { calls: 1, under_way: [] })
      const kept = yield* memoryRows(world.tables).deliveries.kept(0, 100)
      assert.isAbove(new Set(kept.map(({ event }) => event.execution_id)).size, 1)
      for (const { event } of kept) assert.notInclude(event.body, ada)
      const events = yield* world.run(Effect.flatMap(KeptEvents, (host) => host.read("oldest")))
      assert.deepStrictEqual(events, [])
      for (const { event } of kept) assert.notInclude(JSON.stringify(world.tables.calls.get(event.execution_id)), ada)
    }),
  )

  it.effect("tells what others have though the store goes away in the middle", () =>
    Effect.gen(function* () {
      let isAway = false
      let left = 1
      const world = yield* started({
        interpose: (operation, effect) => {
          if (!isAway || operation !== "store.commit") return effect
          left -= 1
          return left < 0 ? away : effect
        },
      })
      for (let nth = 0; nth < 2; nth++) yield* world.placed({ to_number: ada })
      yield* world.advance(900_000)
      isAway = true
      const report = yield* erase(world)
      assert.deepInclude(report, { calls: 1, is_whole: false })
      assert.lengthOf(report.elsewhere, 1)
      isAway = false
      assert.deepInclude(yield* erase(world), { calls: 1, is_whole: true })
    }),
  )

  it.effect("names what is wrong with its request", () =>
    Effect.gen(function* () {
      const world = yield* started()
      assert.deepInclude(yield* Effect.flip(erase(world, "12")), { _tag: "InvalidField", field: "number" })
      const nobody = world.run(Effect.flatMap(Erasure, (erasure) => erasure.erase("org_none", ada)))
      assert.deepInclude(yield* Effect.flip(nobody), { _tag: "NotFound" })
    }),
  )
})

describe("erasing a person who must not be called", () => {
  const words = { reason: "Ada asked for it", source: "her letter", note: "of 5 May" }
  const forAll = { agent_id: null, campaign_id: null }
  const suppressions = <A, E>(world: World, use: (service: Suppressions["Service"]) => Effect.Effect<A, E>) =>
    world.run(Effect.flatMap(Suppressions, use))
  const checked = (world: World) =>
    Effect.map(
      suppressions(world, (service) => service.check(organizationId, [ada])),
      ([callee]) => callee?.suppressions ?? [],
    )

  it.effect("leaves that the number must not be called, and nothing of what was said", () =>
    Effect.gen(function* () {
      const world = yield* started()
      yield* campaign(world, [ada, bob])
      yield* world.advance(120_000)
      const ends = world.now + 3_600_000
      yield* suppressions(world, (service) =>
        service.add(caller, [ada, bob], { ...forAll, ...words, expires_at: null }),
      )
      yield* suppressions(world, (service) =>
        service.add(caller, [ada], { agent_id: agentId, campaign_id: null, ...words, expires_at: ends }),
      )
      yield* world.advance(60_000)
      assert.deepInclude(yield* erase(world), { calls: 1, contacts: 1, is_whole: true })
      const silent = { reason: null, source: null, note: null }
      const left = yield* checked(world)
      assert.lengthOf(left, 2)
      assert.deepInclude(left[0], { ...forAll, ...silent, expires_at: null })
      assert.deepInclude(left[1], { agent_id: agentId, ...silent, expires_at: ends })
      const [ofBob] = yield* suppressions(world, (service) => service.check(organizationId, [bob]))
      assert.deepInclude(ofBob?.suppressions[0], words)
      // It goes on working: for a direct call, and where the number is uploaded again.
      const dials = world.dials.length
      const refused = yield* Effect.flip(world.placed({ to_number: ada }))
      assert.strictEqual(refused.message, suppressedMessage)
      const { campaign_id } = yield* campaign(world, [ada])
      yield* world.advance(120_000)
      const contacts = yield* world.run(
        Effect.flatMap(Campaigns, (campaigns) =>
          campaigns.contacts(organizationId, campaign_id, { page: 1, page_size: 9 }),
        ),
      )
      assert.deepInclude(contacts.items[0], { status: "skipped", skip_reason: "suppressed" })
      assert.lengthOf(world.dials, dials)
      // Once more there is nothing to write.
      const commits = () => world.commits.filter(({ changes }) => changes.some(({ put }) => put === "callee")).length
      const before = commits()
      yield* erase(world)
      assert.strictEqual(commits(), before)
      // Customers take it back as any other.
      assert.strictEqual(yield* suppressions(world, (service) => service.remove(caller, [ada], forAll)), 1)
    }),
  )

  it.effect("leaves nothing of a suppression that has ended", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const expires_at = world.now + 60_000
      yield* suppressions(world, (service) => service.add(caller, [ada], { ...forAll, ...words, expires_at }))
      yield* world.advance(60_000)
      yield* erase(world)
      assert.deepStrictEqual(yield* checked(world), [])
      const page = yield* suppressions(world, (service) => service.page(organizationId, { page: 1, page_size: 9 }))
      assert.deepStrictEqual(page, { items: [], total: 0 })
    }),
  )
})
