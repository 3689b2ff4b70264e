import { Campaigns, Engine, HoursSettings } from "@carillon/core"
import { bindingOf, type HoursRequest, isCallable } from "@carillon/core/domain"
import { type ContactEntry, type HoursSetting, rowPorts } from "@carillon/core/ports"
import { memoryRows, MemoryTables } from "@carillon/core/memory"
import { TestWorld } from "@carillon/core/testing"
import { Postgres } from "@carillon/postgres"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { afterAll } from "vitest"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"

const { agentId, caller, epoch, ordinary, organizationId, World } = TestWorld

const minute = 60_000
const hour = 60 * minute
const server = await startPostgres()

/** Nine to six on every day; the epoch of the world is a Monday, 9:00 UTC. */
const daily = [{ start: "09:00", end: "18:00" }]
const week = {
  monday: daily,
  tuesday: daily,
  wednesday: daily,
  thursday: daily,
  friday: daily,
  saturday: daily,
  sunday: daily,
}
const hours: HoursRequest = { enabled: true, timezone_column: "timezone", elsewhere: week }

const setHours = (world: TestWorld.World, changes: Partial<HoursRequest>) =>
  world.run(
    Effect.flatMap(HoursSettings, (settings) =>
      settings.set(caller, { agent_id: null, campaign_id: null }, { ...hours, ...changes }),
    ),
  )

/** Berlin, New York, Los Angeles, Idaho with its two zones, freephone, and numbers with a zone of their own. */
const numbers = (nth: number): ContactEntry => {
  const line = String(1_000 + nth)
  const places: ReadonlyArray<ContactEntry> = [
    { to_number: `+4930123${line}`, variables: {} },
    { to_number: `+1212555${line}`, variables: {} },
    { to_number: `+1213555${line}`, variables: {} },
    { to_number: `+1208555${line}`, variables: {} },
    { to_number: `+1800555${line}`, variables: {} },
    { to_number: `+1646555${line}`, variables: { timezone: "Asia/Tokyo" } },
    { to_number: `+1917555${line}`, variables: { timezone: "Etc/GMT+5" } },
  ]
  return places[nth % places.length] ?? { to_number: `+4930123${line}`, variables: {} }
}

/** Two of each place. */
const contactsMax = 14

interface Rung {
  readonly to_number: string
  readonly at: number
  readonly isOpen: boolean
}

/** What a day of a campaign comes to, wherever its rows are kept. */
const day = Effect.fnUntraced(function* (options: TestWorld.WorldOptions) {
  const rung: Array<Rung> = []
  let setting: HoursSetting = { organization_id: organizationId, revision: 0, entries: [] }
  const zones = new Map<string, ContactEntry["variables"]>()
  const calledBefore = new Set<string>()
  const world: TestWorld.World = new World({
    ...options,
    script: ({ to_number }) => {
      const asked = { campaign_id: null, agent_id: agentId }
      const binding = bindingOf(setting, asked, { to_number, variables: zones.get(to_number) ?? {} })
      rung.push({ to_number, at: (world.now - epoch) / minute, isOpen: isCallable(binding, world.now) })
      const isBusy = Number(to_number.slice(-4)) % 3 === 0 && !calledBefore.has(to_number)
      calledBefore.add(to_number)
      return isBusy
        ? { ...ordinary, end: { status: "busy", duration_seconds: null, hangup_reason: "dial_busy" } }
        : ordinary
    },
  })
  yield* world.start()
  const campaigns = <A, E>(use: (service: Campaigns["Service"]) => Effect.Effect<A, E>) =>
    world.run(Effect.flatMap(Campaigns, use))
  const set = (changes: Partial<HoursRequest>) =>
    Effect.map(setHours(world, changes), (entry) => {
      setting = { organization_id: organizationId, revision: 1, entries: [entry] }
    })
  yield* set({})
  const contacts = Array.from({ length: contactsMax }, (_, nth) => numbers(nth))
  for (const { to_number, variables } of contacts) zones.set(to_number, variables)
  const body = {
    name: "Day",
    agent_id: agentId,
    retry_policy: { max_retries: 2, base_delay_minutes: 5 * 60, respect_working_hours: false },
  }
  const { campaign_id } = yield* campaigns((service) => service.create(caller, body, { contacts, file_name: null }))
  const explained: Array<unknown> = []
  const explain = Effect.map(
    campaigns((service) => service.explain(organizationId, campaign_id)),
    ({ blocking, dialable, estimated_finish_at, no_estimate_reason }) => {
      explained.push({ blocking, dialable, estimated_finish_at, no_estimate_reason })
    },
  )
  for (const step of [1, 2, 2, 1]) {
    yield* world.advance(step * hour)
    yield* explain
  }
  yield* campaigns((service) => service.pause(caller, campaign_id))
  yield* world.advance(2 * hour)
  yield* campaigns((service) => service.resume(caller, campaign_id))
  yield* explain
  // Freephone numbers never ring while they may be anywhere.
  yield* set({ countries: { CA: null } })
  yield* world.advance(20 * hour)
  yield* explain
  yield* world.run(Effect.flatMap(Engine, (engine) => engine.repair))
  const { items } = yield* campaigns((service) =>
    service.contacts(organizationId, campaign_id, { page: 1, page_size: 100 }),
  )
  return {
    explained,
    rung: rung.toSorted((one, other) => one.at - other.at || one.to_number.localeCompare(other.to_number)),
    contacts: items.map(({ attempts, next_attempt_at, status, to_number }) => [
      to_number,
      status,
      attempts,
      next_attempt_at,
    ]),
  }
})

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  const client = Postgres.layerClient({ url: Redacted.make(server.url()) })
  afterAll(() => server.stop())

  it.live("a campaign with callee hours comes on PostgreSQL to what it comes to in memory", () =>
    Effect.gen(function* () {
      const inMemory = yield* day({ storage: memoryRows(new MemoryTables()) })
      const context = yield* Layer.build(Layer.provideMerge(Postgres.layerNoDeps, client))
      const kept = yield* day({ storage: rowPorts(context) })
      assert.deepStrictEqual(kept, inMemory)
      assert.deepStrictEqual(
        kept.rung.filter(({ isOpen }) => !isOpen),
        [],
      )
      assert.isAbove(kept.rung.length, contactsMax)
    }),
  )
}
