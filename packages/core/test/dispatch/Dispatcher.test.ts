import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Agent, type Call, type DialCommand, Engine, Experiments, type Organization } from "@carillon/core"
import { newPhoneNumber } from "@carillon/core/domain"
import { change, type Change, placeOf } from "@carillon/core/ports"
import {
  campaigning,
  type Campaigning,
  contactsOf,
  ending,
  fold,
  numberOf,
} from "../../src/testing/world/Campaigning.ts"
import { agent, agentId, caller, organization, organizationId, type World } from "../../src/testing/world/World.ts"

const hour = 3_600_000
const minute = 60_000

let commits = 0

const write = (world: World, ...changes: ReadonlyArray<Change>): void => {
  const conflict = world.tables.commit({
    id: `test-${commits++}`,
    organization_id: organizationId,
    expect: [],
    changes,
    wakeups: [{ set: { kind: "dispatch", subject: organizationId, at: world.now } }],
    events: [],
    audit: [],
  })
  if (conflict !== undefined) throw conflict
}

const changeOrganization = (world: World, changes: Partial<Organization>): void => {
  const row = world.tables.organizations.get(organizationId) ?? organization
  write(world, ...change("organization", row, { ...row, ...changes }, world.now).changes)
}

const changeAgent = (world: World, changes: Partial<Agent>): void => {
  const row = world.tables.agents.find(organizationId, agentId) ?? agent
  write(world, { put: "agent", row: { ...row, ...changes, revision: row.revision + 1 } })
}

/** Follows how many lines each campaign holds, and calls back at every change. */
const watchLines = (test: Campaigning, onChange: (lines: ReadonlyMap<string, number>, at: number) => void): void => {
  const calls = new Map<string, Call>()
  const live = new Map<string, number>()
  const holds = (call: Call | undefined) => call !== undefined && call.final_report_at === null
  test.world.tables.onCommit((commit) => {
    for (const change of commit.changes) {
      if (change.put !== "call") continue
      const lane = change.row.campaign_id ?? "direct"
      const delta = Number(holds(change.row)) - Number(holds(calls.get(change.row.execution_id)))
      live.set(lane, (live.get(lane) ?? 0) + delta)
    }
    fold(calls, commit)
    onChange(live, test.world.now)
  })
}

const total = (lines: ReadonlyMap<string, number>): number => [...lines.values()].reduce((sum, each) => sum + each, 0)

describe("five campaigns 50:1:1:1:1 on 20 lines", () => {
  it.effect("keep the lines in use, and every small campaign at its floor while it has contacts", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed", 60))
      const big = yield* test.create(contactsOf(2_500), { name: "big" })
      const small: Array<string> = []
      for (let nth = 1; nth <= 4; nth++) {
        small.push((yield* test.create(contactsOf(50, 10_000 * nth), { name: `small ${nth}` })).campaign_id)
      }
      let used = 0
      let since = test.world.now
      let before = 0
      let most = 0
      let held: ReadonlyMap<string, number> = new Map()
      watchLines(test, (lines, at) => {
        used += before * (at - since)
        since = at
        before = total(lines)
        most = Math.max(most, before)
        held = lines
      })
      // All five came at one moment, so each begins with a fifth of the lines: its floor.
      yield* test.world.advance(0)
      for (const id of [big.campaign_id, ...small]) assert.strictEqual((yield* test.find(id)).in_progress_calls, 4)
      const start = test.world.now
      const until = 14 * minute
      for (let at = 0; at < until; at += minute) {
        yield* test.world.advance(minute)
        for (const id of small) {
          const { pending } = (yield* test.stats(id)).outcome_counts
          if (pending >= 4) assert.isAtLeast(held.get(id) ?? 0, 4)
        }
      }
      assert.strictEqual(most, 20)
      assert.isAtLeast(used / (20 * (since - start)), 0.99)
      for (const id of small) assert.strictEqual((yield* test.stats(id)).outcome_counts.pending, 0)
      // Alone again, the big one has all the lines.
      yield* test.world.advance(10 * minute)
      assert.strictEqual((yield* test.find(big.campaign_id)).in_progress_calls, 20)
    }),
  )

  it.effect("a newcomer gets every freed line until it has its floor, and nobody is hung up for it", () =>
    Effect.gen(function* () {
      const test = yield* campaigning((command) => ending("completed", 30 + (Number(command.to_number.slice(-2)) % 30)))
      const first = yield* test.create(contactsOf(500))
      yield* test.world.advance(20_000)
      assert.strictEqual((yield* test.find(first.campaign_id)).in_progress_calls, 20)
      const second = yield* test.create(contactsOf(500, 10_000))
      const placed: Array<string> = []
      test.world.tables.onCommit((commit) => {
        for (const change of commit.changes) {
          if (change.put === "call" && change.row.revision === 1) placed.push(change.row.campaign_id ?? "")
        }
      })
      yield* test.world.advance(40_000)
      assert.deepStrictEqual(new Set(placed.slice(0, 10)), new Set([second.campaign_id]))
      assert.strictEqual((yield* test.find(second.campaign_id)).in_progress_calls, 10)
      assert.strictEqual((yield* test.find(first.campaign_id)).in_progress_calls, 10)
    }),
  )

  it.effect("more campaigns than lines: nobody waits longer than one round", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed", 20))
      const ids: Array<string> = []
      for (let nth = 0; nth < 45; nth++) ids.push((yield* test.create(contactsOf(20, 1_000 * nth))).campaign_id)
      const placed: Array<string> = []
      test.world.tables.onCommit((commit) => {
        for (const change of commit.changes) {
          if (change.put === "call" && change.row.revision === 1) placed.push(change.row.campaign_id ?? "")
        }
      })
      yield* test.world.advance(3 * minute)
      for (const id of ids) {
        const turns = placed.flatMap((each, index) => (each === id ? [index] : []))
        assert.isNotEmpty(turns)
        turns.forEach((turn, index) => assert.isAtMost(turn - (turns[index - 1] ?? 0), 45 + 1))
      }
    }),
  )
})

describe("lines", () => {
  it.effect("max_concurrent_calls lowers one campaign and leaves the rest to the others", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed", 60))
      const low = yield* test.create(contactsOf(100), { max_concurrent_calls: 3 })
      const free = yield* test.create(contactsOf(100, 10_000))
      yield* test.world.advance(5_000)
      assert.strictEqual((yield* test.find(low.campaign_id)).in_progress_calls, 3)
      assert.strictEqual((yield* test.find(free.campaign_id)).in_progress_calls, 17)
      yield* test.campaigns((campaigns) => campaigns.patch(caller, low.campaign_id, { max_concurrent_calls: null }))
      yield* test.world.advance(2 * minute)
      assert.strictEqual((yield* test.find(low.campaign_id)).in_progress_calls, 10)
    }),
  )

  it.effect("direct dials that wait and campaigns take freed lines in turn, a direct dial first", () =>
    Effect.gen(function* () {
      const test = yield* campaigning((command) => ending("completed", 30 + Number(command.to_number.slice(-1)) * 0.1))
      yield* test.create(contactsOf(500))
      yield* test.world.advance(27_000)
      const placed: Array<string> = []
      test.world.tables.onCommit((commit) => {
        for (const change of commit.changes) {
          if (change.put === "call" && change.row.revision === 1)
            placed.push(change.row.campaign_id === null ? "direct" : "campaign")
        }
      })
      for (let nth = 0; nth < 5; nth++) yield* test.world.place({ to_number: `+1666000000${nth}` })
      yield* test.world.advance(4_950)
      assert.deepStrictEqual(placed.slice(0, 6), ["direct", "campaign", "direct", "campaign", "direct", "campaign"])
    }),
  )

  it.effect("a batch without campaign is a lane of its own, and a full platform wakes who waits for it", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed", 60))
      write(test.world, { put: "platform", row: { platform_id: "platform", revision: 1, concurrency: 6 } })
      const one = yield* test.create(contactsOf(30))
      const batch = yield* test.batches((batches) =>
        batches.create(caller, { agent_id: agentId }, { contacts: contactsOf(30, 10_000), file_name: null }),
      )
      yield* test.world.advance(5_000)
      assert.strictEqual((yield* test.find(one.campaign_id)).in_progress_calls, 3)
      const found = yield* test.batches((batches) => batches.find(organizationId, batch.batch_id))
      assert.strictEqual(found.in_progress_contacts, 3)
      yield* test.world.advance(hour)
      assert.strictEqual((yield* test.find(one.campaign_id)).status, "completed")
      assert.strictEqual(
        (yield* test.batches((batches) => batches.find(organizationId, batch.batch_id))).status,
        "completed",
      )
    }),
  )
})

describe("a contact", () => {
  it.effect("with a number that is in a call waits for that call, retries included", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("busy", 30))
      const same = Array.from({ length: 4 }, (_, n) => ({ to_number: numberOf(1), variables: { n } }))
      const { campaign_id } = yield* test.create(same, { retry_policy: { max_retries: 1, base_delay_minutes: 0 } })
      let most = 0
      watchLines(test, (lines) => {
        most = Math.max(most, total(lines))
      })
      yield* test.world.advance(5_000)
      const explained = yield* test.campaigns((campaigns) => campaigns.explain(organizationId, campaign_id))
      assert.deepInclude(explained.blocking, { reason: "number_busy", contacts: 3, until: null })
      const [live] = test.calls()
      assert.deepStrictEqual(
        explained.waiting_for_number.map(({ execution_id, to_number }) => [to_number, execution_id]),
        Array.from({ length: 3 }, () => [numberOf(1), live?.execution_id ?? ""]),
      )
      for (const { batch_id, contact_id, waits_since } of explained.waiting_for_number) {
        const place = placeOf(contact_id)
        assert.strictEqual(place?.batch_id, batch_id)
        assert.strictEqual(waits_since, test.world.tables.contacts.get(batch_id, place?.row ?? -1)?.waits_since)
        assert.isAtMost(test.world.now - (waits_since ?? Infinity), 5_000)
      }
      yield* test.world.advance(hour)
      assert.strictEqual(most, 1)
      const stats = yield* test.stats(campaign_id)
      assert.deepStrictEqual(stats.outcome_counts, { completed: 0, failed: 4, in_flight: 0, pending: 0, total: 4 })
      assert.deepStrictEqual(stats.retry_breakdown, { "0": 4, "1": 4 })
    }),
  )

  for (const [reason, stop, go] of [
    [
      "wallet",
      (world: World) => changeOrganization(world, { wallet: { balance: 0, currency: "USD" } }),
      (world: World) => changeOrganization(world, { wallet: { balance: 10, currency: "USD" } }),
    ],
    [
      "agent_inactive",
      (world: World) => changeAgent(world, { status: "INACTIVE" }),
      (world: World) => changeAgent(world, { status: "ACTIVE" }),
    ],
  ] as const) {
    it.effect(`is held and not burned (${reason})`, () =>
      Effect.gen(function* () {
        const test = yield* campaigning(() => ending("completed"))
        stop(test.world)
        const { campaign_id } = yield* test.create(contactsOf(200))
        yield* test.world.advance(3 * minute)
        assert.strictEqual(test.world.dials.length, 0)
        const held = yield* test.stats(campaign_id)
        assert.deepStrictEqual(held.outcome_counts, { completed: 0, failed: 0, in_flight: 0, pending: 200, total: 200 })
        assert.strictEqual(held.total_call_attempts, 0)
        const explained = yield* test.campaigns((campaigns) => campaigns.explain(organizationId, campaign_id))
        assert.deepStrictEqual(
          explained.blocking.map((each) => [each.reason, each.contacts]),
          [[reason, 200]],
        )
        const inactive = reason === "agent_inactive" ? [{ agent_id: agentId, status: "INACTIVE" as const }] : []
        assert.deepStrictEqual(explained.inactive_agents, inactive)
        go(test.world)
        yield* test.world.advance(0)
        assert.strictEqual(test.world.dials.length, 20)
        yield* test.world.advance(10 * minute)
        assert.strictEqual((yield* test.stats(campaign_id)).outcome_counts.completed, 200)
        assert.strictEqual((yield* test.stats(campaign_id)).total_call_attempts, 200)
      }),
    )
  }

  for (const [reason, stop] of [
    ["the wallet is empty", (world: World) => changeOrganization(world, { wallet: { balance: 0, currency: "USD" } })],
    ["the agent is away", (world: World) => changeAgent(world, { status: "INACTIVE" })],
  ] as const) {
    it.effect(`ten times in a row held back is an attempt that ended in error, while ${reason}`, () =>
      Effect.gen(function* () {
        const test = yield* campaigning(() => ending("completed"))
        stop(test.world)
        const { campaign_id } = yield* test.create(contactsOf(1), { retry_policy: { max_retries: 1 } })
        yield* test.world.advance(24 * hour)
        assert.strictEqual(test.world.dials.length, 0)
        const stats = yield* test.stats(campaign_id)
        assert.deepStrictEqual(stats.outcome_counts, { completed: 0, failed: 1, in_flight: 0, pending: 0, total: 1 })
        assert.strictEqual(stats.total_call_attempts, 2)
        const [contact] = yield* test.contacts(campaign_id)
        assert.deepInclude(contact, { status: "failed", attempts: 2, last_status: "error" })
        assert.deepStrictEqual(
          test.calls().map(({ dial, revision, status }) => ({ dial, revision, status })),
          [
            { dial: "refused", revision: 1, status: "error" },
            { dial: "refused", revision: 1, status: "error" },
          ],
        )
      }),
    )
  }

  it.effect("refused by the carrier is held: its record goes, its lane waits, and ten in a row are one attempt", () =>
    Effect.gen(function* () {
      let isAway = true
      const test = yield* campaigning(() =>
        isAway ? { outcome: { _tag: "Refused", kind: "unreachable" } } : ending("completed"),
      )
      const { campaign_id } = yield* test.create(contactsOf(1_000), { retry_policy: { max_retries: 1 } })
      yield* test.world.advance(2 * minute)
      assert.strictEqual(test.calls().length, 0)
      assert.isBelow(test.world.dials.length, 200)
      assert.strictEqual((yield* test.stats(campaign_id)).contacts_dialled, 0)
      yield* test.world.advance(hour)
      const listed = yield* test.contacts(campaign_id)
      const burned = listed.filter(({ attempts }) => attempts > 0)
      assert.isNotEmpty(burned)
      for (const contact of burned) assert.strictEqual(contact.last_status, "error")
      isAway = false
      yield* test.world.advance(6 * hour)
      assert.strictEqual((yield* test.stats(campaign_id)).outcome_counts.pending, 0)
      assert.isAtLeast((yield* test.stats(campaign_id)).outcome_counts.completed, 990)
    }),
  )

  it.effect("is dialled though contacts before it wait for the challenger, whose lines are all taken", () =>
    Effect.gen(function* () {
      const challenger = "agt_challenger"
      // The challenger's calls last for an hour, the control's for fifteen seconds.
      const test = yield* campaigning(({ agent_id }) => ending("completed", agent_id === challenger ? 3_600 : 15))
      changeOrganization(test.world, { concurrency: { organization: 20, per_agent: 2, enforced: true } })
      write(test.world, { put: "agent", row: { ...agent, agent_id: challenger, revision: 1 } })
      const body = { variant_agent_id: challenger, version_name: "B", variant_traffic_pct: 50 } as const
      yield* test.world.run(
        Effect.flatMap(Experiments, (experiments) =>
          experiments.create(caller, agentId, { ...body, status: "active" }),
        ),
      )
      const { campaign_id } = yield* test.create(contactsOf(60))
      yield* test.world.advance(30 * minute)
      const count = (id: string) => test.calls().filter(({ agent_id }) => agent_id === id).length
      assert.strictEqual(count(challenger), 2)
      const contacts = yield* test.contacts(campaign_id)
      assert.strictEqual(count(agentId), contacts.filter(({ status }) => status === "completed").length)
      assert.isAbove(count(agentId), 15)
      // All that are left are the challenger's, and they go on in their order as its lines are freed.
      yield* test.world.advance(31 * minute)
      assert.strictEqual(count(challenger), 4)
      yield* test.world.advance(40 * hour)
      assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
      const rows = test
        .calls()
        .filter(({ agent_id }) => agent_id === challenger)
        .map(({ to_number }) => to_number)
      assert.deepStrictEqual(rows, rows.toSorted())
      assert.strictEqual(count(challenger) + count(agentId), 60)
    }),
  )

  it.effect("is held for the follow-up's own agent alone, which is named with its status", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("no-answer"))
      write(test.world, {
        put: "agent",
        row: { ...agent, agent_id: "agt_closer", status: "INACTIVE", revision: 1 },
      })
      const { campaign_id } = yield* test.create(contactsOf(3), {
        retry_policy: { max_retries: 0 },
        follow_up_policy: { enabled: true, cooldown_minutes: 30, follow_up_agent_id: "agt_closer" },
      })
      const explained = test.campaigns((campaigns) => campaigns.explain(organizationId, campaign_id))
      const reasons = Effect.map(explained, ({ blocking, inactive_agents }) => ({
        blocking: blocking.map(({ contacts, reason }) => [reason, contacts]),
        inactive_agents,
      }))
      yield* test.world.advance(minute)
      assert.deepStrictEqual(yield* reasons, { blocking: [["cooldown", 3]], inactive_agents: [] })
      yield* test.world.advance(32 * minute)
      assert.deepStrictEqual(yield* reasons, {
        blocking: [["agent_inactive", 3]],
        inactive_agents: [{ agent_id: "agt_closer", status: "INACTIVE" }],
      })
      assert.lengthOf(test.calls(), 3)
    }),
  )

  it.effect("is followed up by its campaign's agent where none is named, whoever has called it before", () =>
    Effect.gen(function* () {
      const test = yield* campaigning((command) => ending(command.is_follow_up ? "completed" : "no-answer"))
      write(test.world, { put: "agent", row: { ...agent, agent_id: "agt_opener", revision: 1 } })
      const { campaign_id } = yield* test.create([], {
        retry_policy: { max_retries: 0 },
        follow_up_policy: { enabled: true, cooldown_minutes: 30 },
      })
      yield* test.batches((batches) =>
        batches.create(caller, { agent_id: "agt_opener", campaign_id }, { contacts: contactsOf(1), file_name: null }),
      )
      yield* test.world.advance(2 * hour)
      assert.deepStrictEqual(
        test.calls().map((call) => [call.agent_id, call.is_follow_up]),
        [
          ["agt_opener", false],
          [agentId, true],
        ],
      )
    }),
  )

  it.effect("is followed up by the follow-up's own agent with its own prompt, as a child of the first attempt", () =>
    Effect.gen(function* () {
      const test = yield* campaigning((command) => ending(command.is_follow_up ? "completed" : "no-answer"))
      write(test.world, { put: "agent", row: { ...agent, agent_id: "agt_closer", revision: 1 } })
      const { campaign_id } = yield* test.create(contactsOf(1), {
        retry_policy: { max_retries: 1 },
        follow_up_policy: {
          enabled: true,
          cooldown_minutes: 30,
          follow_up_agent_id: "agt_closer",
          follow_up_prompt: "Ask again.",
        },
      })
      yield* test.world.advance(2 * hour)
      const calls = test.calls()
      assert.deepStrictEqual(
        calls.map((call) => [
          call.agent_id,
          call.prompt,
          call.retry_count,
          call.is_follow_up,
          call.parent_execution_id,
        ]),
        [
          [agentId, null, 0, false, null],
          [agentId, null, 1, false, calls[0]?.execution_id],
          ["agt_closer", "Ask again.", 2, true, calls[0]?.execution_id],
        ],
      )
      const record = yield* test.find(campaign_id)
      assert.strictEqual(record.status, "completed")
      assert.deepInclude(record, {
        completed_contacts: 1,
        follow_up_calls: 1,
        follow_up_exhausted: 0,
        no_answer_calls: 2,
      })
    }),
  )

  it.effect("is dialled from the numbers of its campaign by strategy, with its variables over the defaults", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const numbers = ["+15550000001", "+15550000002", "+15550000003"]
      write(
        test.world,
        ...numbers.map((phone_number, n): Change => {
          const row = newPhoneNumber({
            phone_number_id: `pn_${n}`,
            organization_id: organizationId,
            phone_number,
            created_at: 0,
          })
          return { put: "phone_number", row }
        }),
      )
      const from = (dials: ReadonlyArray<DialCommand>) => dials.map((dial) => dial.from_number)
      const robin = yield* test.create(contactsOf(5), { default_call_variables: { n: -1, city: "Oslo" } })
      yield* test.world.advance(minute)
      assert.deepStrictEqual(from(test.world.dials), [...numbers, ...numbers.slice(0, 2)])
      assert.strictEqual((yield* test.find(robin.campaign_id)).phone_number_index, 2)
      assert.deepStrictEqual((yield* test.find(robin.campaign_id)).phone_numbers, numbers)
      assert.deepStrictEqual(test.world.dials[3]?.variables, { n: 3, city: "Oslo" })
      test.world.carrier.dials.length = 0
      yield* test.create(contactsOf(4, 100), { phone_numbers: numbers.slice(1), phone_number_strategy: "least_loaded" })
      yield* test.world.advance(minute)
      assert.deepStrictEqual(from(test.world.dials), [...numbers.slice(1), ...numbers.slice(1)])
      const foreign = yield* Effect.flip(test.create(contactsOf(1), { phone_numbers: [numbers[0]!, "+15559999999"] }))
      assert.deepInclude(foreign, { _tag: "InvalidField", field: "phone_numbers[1]" })
    }),
  )
})

describe("a crash", () => {
  it.effect("loses no contact and dials none twice, whatever wake-ups are gone", () =>
    Effect.gen(function* () {
      const test = yield* campaigning((command) =>
        ending(Number(command.to_number.slice(-1)) < 3 ? "busy" : "completed", 50),
      )
      const { campaign_id } = yield* test.create([...contactsOf(60), ...contactsOf(5)], {
        retry_policy: { max_retries: 1, base_delay_minutes: 5 },
        end_time: test.world.now + 2 * hour,
      })
      for (let nth = 0; nth < 6; nth++) {
        yield* test.world.advance(70_000)
        yield* test.world.start()
        test.world.tables.wakeups.clearAll()
        yield* test.world.run(Effect.flatMap(Engine, (engine) => engine.rebuildWakeups))
      }
      yield* test.world.advance(hour)
      const stats = yield* test.stats(campaign_id)
      assert.strictEqual(stats.status, "completed")
      assert.deepStrictEqual(stats.outcome_counts, { completed: 44, failed: 21, in_flight: 0, pending: 0, total: 65 })
      assert.deepStrictEqual(stats.retry_breakdown, { "0": 65, "1": 21 })
      const ids = test.world.dials.map((dial) => dial.execution_id)
      assert.strictEqual(new Set(ids).size, ids.length)
    }),
  )
})
