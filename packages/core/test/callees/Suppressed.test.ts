import { assert, describe, it } from "@effect/vitest"
import { Agents, type Call, Engine, type EngineError, Experiments, StateConflict, Suppressions } from "@carillon/core"
import { suppressedMessage, suppressionOf, type SuppressionRequest } from "@carillon/core/domain"
import { calleeId, type Commit, type Callee } from "@carillon/core/ports"
import { Effect } from "effect"
import { Campaigning, campaigning, contactsOf, ending, numberOf } from "../../src/testing/world/Campaigning.ts"
import { agentId, answerOf, caller, epoch, organizationId, World } from "../../src/testing/world/World.ts"
import { everywhere, interrupted, untilStill } from "../Interrupted.ts"

const minute = 60_000
const hour = 60 * minute

const forAll: SuppressionRequest = {
  agent_id: null,
  campaign_id: null,
  reason: "opt_out",
  source: null,
  note: null,
  expires_at: null,
}

const suppress = (world: World, toNumbers: ReadonlyArray<string>, changes: Partial<SuppressionRequest> = {}) =>
  world.run(
    Effect.flatMap(Suppressions, (suppressions) => suppressions.add(caller, toNumbers, { ...forAll, ...changes })),
  )

const lift = (world: World, toNumber: string) =>
  world.run(Effect.flatMap(Suppressions, (suppressions) => suppressions.remove(caller, [toNumber], forAll)))

/** Dials that were committed while their number was suppressed, by the commits in their order. */
const rungThoughSuppressed = (commits: ReadonlyArray<Commit>): ReadonlyArray<string> => {
  const callees = new Map<string, Callee>()
  const intended = new Set<string>()
  const wrong: Array<string> = []
  const isWrong = ({ agent_id, campaign_id, organization_id, overrides_suppression, to_number, updated_at }: Call) =>
    overrides_suppression !== true &&
    suppressionOf(
      callees.get(calleeId(organization_id, to_number)) ?? null,
      { campaign_id, agent_ids: [agent_id] },
      updated_at,
    ) !== null
  for (const { changes } of commits) {
    for (const change of changes) {
      if (change.put === "call" && change.row.dial === "intended" && !intended.has(change.row.execution_id)) {
        intended.add(change.row.execution_id)
        if (isWrong(change.row)) wrong.push(change.row.execution_id)
      }
      if (change.put === "callee") callees.set(calleeId(change.row.organization_id, change.row.to_number), change.row)
    }
  }
  return wrong
}

const conflictOf = (place: Effect.Effect<unknown, EngineError>) =>
  Effect.map(Effect.flip(place), (error) => (error instanceof StateConflict ? error.message : String(error)))

describe("a contact whose number is suppressed", () => {
  it.effect("ends skipped without a call, and its campaign comes to its end without it", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      yield* suppress(test.world, [numberOf(1), numberOf(4)])
      const { batch_id, campaign_id } = yield* test.create(contactsOf(5))
      yield* test.world.advance(hour)
      assert.sameMembers(
        test.world.dials.map(({ to_number }) => to_number),
        [0, 2, 3].map(numberOf),
      )
      const contacts = yield* test.contacts(campaign_id)
      assert.deepStrictEqual(
        contacts.map(({ attempts, skip_reason, status }) => [status, skip_reason, attempts]),
        [0, 1, 2, 3, 4].map((n) => (n === 1 || n === 4 ? ["skipped", "suppressed", 0] : ["completed", null, 1])),
      )
      assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
      const stats = yield* test.stats(campaign_id)
      assert.deepStrictEqual(stats.outcome_counts, { completed: 3, failed: 0, in_flight: 0, pending: 2, total: 5 })
      assert.deepStrictEqual(stats.contact_counts, { pending: 2, in_progress: 0, completed: 3, failed: 0 })
      const batch = yield* test.batches((batches) => batches.find(organizationId, batch_id ?? ""))
      assert.deepInclude(batch, {
        status: "completed",
        pending_contacts: 0,
        skipped_contacts: 2,
        completed_contacts: 3,
      })
    }),
  )

  it.effect("ends the campaign where there is nobody else, and a revive leaves it skipped", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      yield* suppress(test.world, [numberOf(0)])
      const { campaign_id } = yield* test.create(contactsOf(1))
      yield* test.world.advance(minute)
      assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
      yield* lift(test.world, numberOf(0))
      yield* test.campaigns((campaigns) => campaigns.revive(caller, campaign_id))
      yield* test.world.advance(hour)
      assert.deepStrictEqual(test.world.dials, [])
      assert.deepInclude((yield* test.contacts(campaign_id))[0], { status: "skipped", skip_reason: "suppressed" })
    }),
  )

  it.effect("is not retried and not followed up, and what was reached stays counted", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(({ to_number }) => ending(to_number === numberOf(0) ? "busy" : "completed"))
      const { campaign_id } = yield* test.create(contactsOf(2), {
        retry_policy: { max_retries: 3, respect_working_hours: false },
        follow_up_policy: {
          enabled: true,
          cooldown_minutes: 30,
          triggers: ["completed"],
        },
      })
      yield* test.world.advance(minute)
      assert.strictEqual(test.world.dials.length, 2)
      yield* suppress(test.world, [numberOf(0), numberOf(1)])
      yield* test.world.advance(24 * hour)
      assert.strictEqual(test.world.dials.length, 2)
      assert.deepStrictEqual(
        (yield* test.contacts(campaign_id)).map(({ attempts, last_status, status }) => [status, attempts, last_status]),
        [
          ["skipped", 1, "busy"],
          ["skipped", 1, "completed"],
        ],
      )
      const { outcome_counts } = yield* test.stats(campaign_id)
      assert.deepStrictEqual(outcome_counts, { completed: 1, failed: 0, in_flight: 0, pending: 1, total: 2 })
      assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
    }),
  )

  it.effect("leaves its turn to others with its number, who are judged for themselves", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const { campaign_id } = yield* test.create([...contactsOf(1), ...contactsOf(1), ...contactsOf(1)])
      yield* test.world.advance(5_000)
      yield* suppress(test.world, [numberOf(0)])
      yield* test.world.advance(hour)
      const statuses = (yield* test.contacts(campaign_id)).map(({ status }) => status)
      assert.deepStrictEqual(statuses.toSorted(), ["completed", "skipped", "skipped"])
      assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
    }),
  )

  it.effect("is called again once the suppression has ended or was taken back before its turn", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      yield* suppress(test.world, [numberOf(0)], { expires_at: epoch + hour })
      yield* suppress(test.world, [numberOf(1)])
      yield* lift(test.world, numberOf(1))
      yield* test.create(contactsOf(2), { start_time: epoch + hour })
      yield* test.world.advance(2 * hour)
      assert.strictEqual(test.world.dials.length, 2)
    }),
  )

  it.effect("is skipped by its own campaign only, or by the agent that would make the call or is asked for", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const { world } = test
      const one = yield* test.create(contactsOf(1), { start_time: epoch + hour })
      const other = yield* test.create(contactsOf(1), { start_time: epoch + 2 * hour })
      yield* suppress(world, [numberOf(0)], { campaign_id: one.campaign_id })
      yield* world.advance(3 * hour)
      assert.strictEqual((yield* test.contacts(one.campaign_id))[0]?.status, "skipped")
      assert.strictEqual((yield* test.contacts(other.campaign_id))[0]?.status, "completed")
      const { agent } = yield* world.run(
        Effect.flatMap(Agents, (agents) => agents.create(caller, { display_name: "Challenger", status: "ACTIVE" })),
      )
      yield* world.run(
        Effect.flatMap(Experiments, (experiments) =>
          experiments.create(caller, agentId, {
            variant_agent_id: agent.agent_id,
            version_name: "Voice",
            status: "active",
            variant_traffic_pct: 100,
          }),
        ),
      )
      yield* suppress(world, [numberOf(1)], { agent_id: agent.agent_id })
      yield* suppress(world, [numberOf(2)], { agent_id: agentId })
      const { campaign_id } = yield* test.create(contactsOf(3, 1))
      yield* world.advance(hour)
      assert.deepStrictEqual(
        (yield* test.contacts(campaign_id)).map(({ status }) => status),
        ["skipped", "skipped", "completed"],
      )
    }),
  )

  it.effect("is not rung, wherever its dispatch stands when the number is suppressed", () =>
    Effect.gen(function* () {
      const operations = yield* everywhere(
        Effect.fnUntraced(function* (nth) {
          const { arm, count, test } = yield* interrupted(
            nth,
            () => ending("completed"),
            ({ world }) => Effect.orDie(suppress(world, [numberOf(1)])),
          )
          const { campaign_id } = yield* Effect.orDie(test.create(contactsOf(2), { start_time: epoch + minute }))
          yield* test.world.advance(minute - 1)
          arm()
          yield* test.world.advance(1)
          const operations = count()
          yield* test.world.advance(5 * minute)
          assert.deepStrictEqual(rungThoughSuppressed(test.world.commits), [], `before operation ${nth}`)
          const statuses = (yield* Effect.orDie(test.contacts(campaign_id))).map(({ status }) => status)
          assert.strictEqual(statuses[0], "completed", `before operation ${nth}`)
          assert.strictEqual((yield* Effect.orDie(test.find(campaign_id))).status, "completed")
          return operations
        }),
      )
      assert.isAbove(operations, 5)
    }),
  )
})

describe("a direct call to a suppressed number", () => {
  it.effect(
    "is refused with its own message and leaves no record, wherever it stands when the number is suppressed",
    () =>
      Effect.gen(function* () {
        const operations = yield* everywhere(
          Effect.fnUntraced(function* (nth) {
            const { arm, count, test } = yield* interrupted(
              nth,
              () => ending("completed"),
              ({ world }) => Effect.orDie(suppress(world, [numberOf(1)])),
            )
            arm()
            const placing = yield* test.world.place({ to_number: numberOf(1) })
            yield* untilStill
            const operations = count()
            yield* test.world.advance(minute)
            const wrong = rungThoughSuppressed(test.world.commits)
            assert.deepStrictEqual(wrong, [], `before operation ${nth}`)
            if (test.world.dials.length === 0) {
              assert.strictEqual(yield* Effect.orDie(conflictOf(answerOf(placing))), suppressedMessage)
              assert.deepStrictEqual(test.world.calls(), [])
            }
            return operations
          }),
        )
        assert.isAbove(operations, 3)
      }),
  )

  it.effect("is made where that is overridden, and the record says so", () =>
    Effect.gen(function* () {
      const world = new World()
      yield* world.start()
      yield* suppress(world, [numberOf(0)])
      assert.strictEqual(yield* conflictOf(world.placed({ to_number: numberOf(0) })), suppressedMessage)
      yield* world.placed({ to_number: numberOf(0), override_suppression: true })
      yield* world.advance(minute)
      assert.strictEqual(world.dials.length, 1)
      const entry = world.commits.flatMap(({ audit }) => audit).find(({ action }) => action === "call.create")
      assert.strictEqual(entry?.details["override_suppression"], true)
    }),
  )

  it.effect("is not booked for a time at which it is suppressed, and ends error where that comes later", () =>
    Effect.gen(function* () {
      const world = new World()
      yield* world.start()
      const scheduled_at = epoch + hour
      yield* suppress(world, [numberOf(0)], { expires_at: scheduled_at + 1 })
      const booking = { to_number: numberOf(0), scheduled_at }
      assert.strictEqual(yield* conflictOf(world.placed(booking)), suppressedMessage)
      const overridden = yield* world.placed({ ...booking, override_suppression: true })
      const later = yield* world.placed({ ...booking, scheduled_at: scheduled_at + 1 })
      const other = yield* world.placed({ to_number: numberOf(1), scheduled_at })
      yield* suppress(world, [numberOf(1)])
      yield* world.advance(2 * hour)
      assert.deepInclude(world.call(other.call.execution_id), { status: "error", error: suppressedMessage })
      assert.strictEqual(world.call(overridden.call.execution_id).status, "completed")
      assert.strictEqual(world.call(later.call.execution_id).status, "completed")
    }),
  )

  it.effect("is not dialled when it is due, wherever its dial stands when the number is suppressed", () =>
    Effect.gen(function* () {
      const operations = yield* everywhere(
        Effect.fnUntraced(function* (nth) {
          const { arm, count, test } = yield* interrupted(
            nth,
            () => ending("completed"),
            ({ world }) => Effect.orDie(suppress(world, [numberOf(1)])),
          )
          const { world } = test
          yield* Effect.orDie(world.placed({ to_number: numberOf(1), scheduled_at: epoch + hour }))
          yield* world.advance(hour - 1)
          arm()
          yield* world.advance(1)
          const operations = count()
          yield* world.advance(hour)
          assert.deepStrictEqual(rungThoughSuppressed(world.commits), [], `before operation ${nth}`)
          const [call] = world.calls()
          assert.strictEqual(call?.status, world.dials.length === 0 ? "error" : "completed")
          return operations
        }),
      )
      assert.isAbove(operations, 3)
    }),
  )
})

describe("an organization that suppresses nobody", () => {
  it.effect("reads and writes nothing for it", () =>
    Effect.gen(function* () {
      const used: Array<string> = []
      const world = new World({
        script: () => ending("completed"),
        interpose: (operation, effect) =>
          Effect.suspend(() => {
            if (operation.startsWith("callees.")) used.push(operation)
            return effect
          }),
      })
      yield* world.start()
      yield* new Campaigning(world).create(contactsOf(20))
      yield* world.placed({ to_number: numberOf(50) })
      yield* world.advance(hour)
      assert.strictEqual(world.dials.length, 21)
      // Whether zones of contacts count, by the hours of callees, is asked once as they are handed in.
      assert.deepStrictEqual(used, ["callees.hours"])
      assert.isFalse(world.commits.some(({ changes }) => changes.some(({ put }) => put === "callee")))
    }),
  )

  it.effect("needs no look of this process to hold to what another one has written", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      yield* test.world.elsewhere(
        Effect.flatMap(Suppressions, (suppressions) => suppressions.add(caller, [numberOf(1)], forAll)),
      )
      const { campaign_id } = yield* test.create(contactsOf(3))
      yield* test.world.advance(hour)
      yield* test.world.run(Effect.flatMap(Engine, (engine) => engine.repair))
      assert.deepStrictEqual(
        (yield* test.contacts(campaign_id)).map(({ status }) => status),
        ["completed", "skipped", "completed"],
      )
    }),
  )

  const poor = (world: World) => world.setBalance(0)

  const suppressedElsewhere = (world: World, ...toNumbers: ReadonlyArray<string>) =>
    world.elsewhere(Effect.flatMap(Suppressions, (suppressions) => suppressions.add(caller, toNumbers, forAll)))

  it.effect("neither holds nor burns a contact that another process has suppressed, though it cannot call", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      yield* suppressedElsewhere(test.world, numberOf(0))
      poor(test.world)
      const { campaign_id } = yield* test.create(contactsOf(1))
      yield* test.world.advance(3 * hour)
      assert.deepInclude((yield* test.contacts(campaign_id))[0], {
        status: "skipped",
        attempts: 0,
        last_status: null,
      })
      assert.deepStrictEqual(test.world.calls(), [])
    }),
  )

  it.effect("keeps no record of a direct call to it that the wallet would not carry, nor of a booked one", () =>
    Effect.gen(function* () {
      const world = new World({ script: () => ending("completed") })
      yield* world.start()
      const booked = yield* world.placed({ to_number: numberOf(1), scheduled_at: epoch + hour })
      yield* suppressedElsewhere(world, numberOf(0), numberOf(1))
      poor(world)
      assert.strictEqual(yield* conflictOf(world.placed({ to_number: numberOf(0) })), suppressedMessage)
      assert.strictEqual(world.calls().length, 1)
      yield* world.advance(2 * hour)
      assert.deepInclude(world.call(booked.call.execution_id), { status: "error", error: suppressedMessage })
    }),
  )
})

describe("many contacts whose numbers are suppressed", () => {
  it.effect("are skipped together, and those of other campaigns are called before them", () =>
    Effect.gen(function* () {
      const many = 600
      const test = yield* campaigning(() => ending("completed"))
      yield* suppress(
        test.world,
        Array.from({ length: many }, (_, nth) => numberOf(nth)),
      )
      const start_time = epoch + minute
      yield* test.create(contactsOf(many), { name: "A", start_time })
      const other = yield* test.create(contactsOf(5, many), { name: "B", start_time })
      const from = test.world.commits.length
      yield* test.world.advance(minute)
      const commits = test.world.commits.slice(from)
      const skipsOf = ({ changes }: Commit) =>
        changes.filter((each) => each.put === "contact" && each.row.status === "skipped").length
      const firstDial = commits.findIndex(({ changes }) =>
        changes.some((each) => each.put === "call" && each.row.campaign_id === other.campaign_id),
      )
      const sumOf = (some: ReadonlyArray<Commit>) => some.reduce((sum, each) => sum + skipsOf(each), 0)
      assert.strictEqual(sumOf(commits), many)
      assert.isAtMost(commits.filter((each) => skipsOf(each) > 0).length, 4)
      assert.isAtLeast(firstDial, 0)
      assert.isAtMost(sumOf(commits.slice(0, firstDial)), 250)
    }),
  )
})
