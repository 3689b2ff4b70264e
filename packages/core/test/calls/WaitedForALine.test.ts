import { assert, describe, it } from "@effect/vitest"
import { type Agent, type Caller, Calls, KeyInactive, type PlaceCall, StateConflict } from "@carillon/core"
import { newPhoneNumber } from "@carillon/core/domain"
import type { Change } from "@carillon/core/ports"
import { Effect } from "effect"
import { sampleExperiment, samplePlaceCall } from "../../src/testing/Samples.ts"
import { campaigning, ending } from "../../src/testing/world/Campaigning.ts"
import {
  agent,
  agentId,
  answerOf,
  caller,
  epoch,
  key,
  organization,
  organizationId,
  type World,
} from "../../src/testing/world/World.ts"

const changeAgent = (world: World, changes: Partial<Agent>): void => {
  const row = world.tables.agents.find(organizationId, agentId) ?? agent
  world.write({ put: "agent", row: { ...row, ...changes, revision: row.revision + 1 } })
}

/** A world in which the only line is taken for 4 s, and a second dial has waited for it for 3 s. */
const waitingFrom = Effect.fnUntraced(function* (
  rows: ReadonlyArray<Change>,
  asked: Partial<PlaceCall> = {},
  by: Caller = caller,
) {
  const { world } = yield* campaigning(() => ending("completed", 3))
  world.write({
    put: "organization",
    row: { ...organization, revision: 2, concurrency: { organization: 1, per_agent: null, enforced: true } },
  })
  world.write(...rows)
  yield* world.placed()
  yield* world.advance(500)
  const placing = { ...samplePlaceCall(agentId), to_number: "+15555550188", ...asked }
  const second = yield* world.admit(Effect.flatMap(Calls, (calls) => calls.place(by, placing)))
  yield* world.advance(3_000)
  return { world, second }
})

const waiting = waitingFrom([])

const number = newPhoneNumber({
  phone_number_id: "pn_asked",
  organization_id: organizationId,
  phone_number: "+15555550900",
  created_at: epoch,
})
const waitingWithNumber = waitingFrom([{ put: "phone_number", row: number }], { from_number: number.phone_number })

const challenger: Agent = { ...agent, agent_id: "agt_challenger", display_name: "Challenger" }

/** An experiment that sends every call of the agent to its challenger. */
const experiment = sampleExperiment(organizationId, {
  main_agent_id: agentId,
  variant_agent_id: challenger.agent_id,
  variant_traffic_pct: 100,
  status: "active",
})

/** Who made the second call, by which experiment. */
const madeBy = (world: World) => {
  const [, made] = world.calls().toSorted((a, b) => a.created_at - b.created_at)
  assert.strictEqual(world.dials.length, 2)
  return [made?.agent_id, made?.ab_version_id, made?.ab_is_variant]
}

/** The second call and the next one, as far as they come. */
const lineIsFree = Effect.fnUntraced(function* (world: World) {
  changeAgent(world, { status: "ACTIVE", calling_guard: null })
  yield* world.placed({ to_number: "+15555550199" })
  assert.strictEqual(world.dials.length, 2)
})

describe("a direct dial that waited for its line", () => {
  it.effect("is made where nothing has changed", () =>
    Effect.gen(function* () {
      const { second, world } = yield* waiting
      yield* world.advance(1_000)
      assert.strictEqual((yield* answerOf(second))._tag, "Queued")
      assert.strictEqual(world.dials.length, 2)
    }),
  )

  it.effect("is refused where the agent is not ACTIVE any more, and gives its line back", () =>
    Effect.gen(function* () {
      const { second, world } = yield* waiting
      changeAgent(world, { status: "INACTIVE" })
      yield* world.advance(1_000)
      assert.instanceOf(yield* Effect.flip(answerOf(second)), StateConflict)
      assert.strictEqual(world.calls().length, 1)
      yield* lineIsFree(world)
    }),
  )

  it.effect("is refused where the key that asked for it was revoked meanwhile, and gives its line back", () =>
    Effect.gen(function* () {
      const { second, world } = yield* waiting
      world.write({ put: "api_key", row: { ...key, revision: 2, status: "inactive", revoked_at: world.now } })
      yield* world.advance(1_000)
      assert.instanceOf(yield* Effect.flip(answerOf(second)), KeyInactive)
      assert.strictEqual(world.calls().length, 1)
      world.write({ put: "api_key", row: { ...key, revision: 3 } })
      yield* lineIsFree(world)
    }),
  )

  it.effect("is made for whoever has a key without a row, which is its host's own", () =>
    Effect.gen(function* () {
      const { second, world } = yield* waitingFrom([], {}, { ...caller, key: { ...key, key_id: "key_of_the_host" } })
      yield* world.advance(1_000)
      assert.deepInclude(yield* answerOf(second), { _tag: "Queued" })
      assert.strictEqual(world.calls().length, 2)
    }),
  )

  it.effect("is refused where the wallet has run empty meanwhile, keeps a record of it, and gives its line back", () =>
    Effect.gen(function* () {
      const { second, world } = yield* waiting
      world.setBalance(0)
      yield* world.advance(1_000)
      assert.deepInclude(yield* Effect.flip(answerOf(second)), { _tag: "InsufficientCredits" })
      assert.sameMembers(
        world.calls().map(({ status }) => status),
        ["completed", "balance-low"],
      )
      world.setBalance(10)
      yield* lineIsFree(world)
    }),
  )

  it.effect.each([["INACTIVE"], ["ARCHIVED"]] as const)(
    "is made by the agent that was asked for where the challenger has become %s meanwhile",
    ([status]) =>
      Effect.gen(function* () {
        const { second, world } = yield* waitingFrom([
          { put: "agent", row: challenger },
          { put: "experiment", row: experiment },
        ])
        world.write({ put: "agent", row: { ...challenger, status, revision: challenger.revision + 1 } })
        yield* world.advance(1_000)
        assert.strictEqual((yield* answerOf(second))._tag, "Queued")
        const [first, made] = world.calls().toSorted((a, b) => a.created_at - b.created_at)
        assert.strictEqual(first?.agent_id, challenger.agent_id)
        assert.strictEqual(made?.agent_id, agentId)
        assert.strictEqual(world.dials.length, 2)
      }),
  )

  it.effect.each([
    ["is paused", { status: "paused" }, null],
    ["is concluded", { status: "concluded", winner: "control" }, null],
    ["gives its challenger nothing", { variant_traffic_pct: 0 }, false],
  ] as const)("is made by the agent that was asked for where the experiment %s meanwhile", ([, change, isVariant]) =>
    Effect.gen(function* () {
      const { second, world } = yield* waitingFrom([
        { put: "agent", row: challenger },
        { put: "experiment", row: experiment },
      ])
      world.write({ put: "experiment", row: { ...experiment, ...change, revision: experiment.revision + 1 } })
      yield* world.advance(1_000)
      assert.strictEqual((yield* answerOf(second))._tag, "Queued")
      const version = isVariant === null ? null : experiment.version_id
      assert.deepStrictEqual(madeBy(world), [agentId, version, isVariant])
    }),
  )

  it.effect("is made by the challenger of an experiment that has begun meanwhile", () =>
    Effect.gen(function* () {
      const { second, world } = yield* waitingFrom([{ put: "agent", row: challenger }])
      world.write({ put: "experiment", row: experiment })
      yield* world.advance(1_000)
      assert.strictEqual((yield* answerOf(second))._tag, "Queued")
      assert.deepStrictEqual(madeBy(world), [challenger.agent_id, experiment.version_id, true])
    }),
  )

  it.effect("is booked for the next opening where the window was shut meanwhile, and gives its line back", () =>
    Effect.gen(function* () {
      const { second, world } = yield* waiting
      const calling_guard = { enabled: true, timezone: "UTC", start: "00:00", end: "00:30", days: [] }
      changeAgent(world, { calling_guard })
      yield* world.advance(1_000)
      const answer = yield* answerOf(second)
      assert.strictEqual(answer._tag, "Scheduled")
      assert.deepInclude(answer.call, { status: "scheduled", deferred_by_calling_guard: true })
      yield* lineIsFree(world)
    }),
  )

  it.effect("goes by its number as it is by then, even where that was written meanwhile", () =>
    Effect.gen(function* () {
      const { second, world } = yield* waitingWithNumber
      world.write({ put: "phone_number", row: { ...number, label: "main line", revision: number.revision + 1 } })
      yield* world.advance(1_000)
      assert.strictEqual((yield* answerOf(second))._tag, "Queued")
      assert.strictEqual(world.dials.length, 2)
    }),
  )

  it.effect("is refused where its number is not the organization's any more, and gives its line back", () =>
    Effect.gen(function* () {
      const { second, world } = yield* waitingWithNumber
      const { phone_number_id: id, revision } = number
      world.write({ put: "removal", organization_id: organizationId, kind: "phone_number", id, revision })
      yield* world.advance(1_000)
      assert.deepInclude(yield* Effect.flip(answerOf(second)), { _tag: "InvalidField", field: "from_number" })
      assert.strictEqual(world.calls().length, 1)
      yield* lineIsFree(world)
    }),
  )
})
