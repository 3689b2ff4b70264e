import { assert, describe, it } from "@effect/vitest"
import { Agents, type Call, type EngineError, Experiments, Usage } from "@carillon/core"
import { type AgentBody, type ExperimentBody, newPhoneNumber } from "@carillon/core/domain"
import type { CallingGuard } from "../../src/agents/rules/Agent.ts"
import { Effect } from "effect"
import { restart } from "../../src/testing/world/Plans.ts"
import { agentId, caller, epoch, organizationId, World } from "../../src/testing/world/World.ts"

const minute = 60_000
const hour = 60 * minute

/** The world's clock stands at nine. */
const hours = (start: string, end: string): CallingGuard => ({ enabled: true, timezone: "UTC", start, end, days: [] })

const scheduled_at = epoch + 10 * minute

const started = Effect.fnUntraced(function* (guard: CallingGuard | null = null) {
  const world = new World({ agent: { calling_guard: guard } })
  yield* world.start()
  return world
})

const using = <A>(world: World, use: (agents: Agents["Service"]) => Effect.Effect<A, EngineError>) =>
  world.run(Effect.flatMap(Agents, use))

/** An agent is edited while it is not ACTIVE. */
const edit = (world: World, id: string, body: AgentBody) =>
  using(world, (agents) =>
    Effect.andThen(
      Effect.andThen(agents.undeploy(caller, id), agents.patch(caller, id, body)),
      agents.deploy(caller, id),
    ),
  )

const archive = (world: World, id: string) =>
  using(world, (agents) => Effect.andThen(agents.undeploy(caller, id), agents.archive(caller, id)))

const challengerOf = (world: World, guard: CallingGuard | null = null) =>
  Effect.map(
    using(world, (agents) =>
      agents.create(caller, { display_name: "Challenger", status: "ACTIVE", calling_guard: guard && { ...guard } }),
    ),
    ({ agent }) => agent.agent_id,
  )

const experimenting = Effect.fnUntraced(function* (world: World, variant_agent_id: string) {
  const body: ExperimentBody = { status: "active", variant_traffic_pct: 100 }
  const { version_id } = yield* world.run(
    Effect.flatMap(Experiments, (experiments) =>
      experiments.create(caller, agentId, { ...body, variant_agent_id, version_name: "Voice" }),
    ),
  )
  return (change: ExperimentBody) =>
    world.run(Effect.flatMap(Experiments, (experiments) => experiments.patch(caller, agentId, version_id, change)))
})

/** When calls were dialled, after the beginning: an ordinary leg rings a second later. */
const dialledAt = (world: World): ReadonlyArray<number> =>
  world.calls().flatMap(({ ringing_at }) => (ringing_at === null ? [] : [ringing_at - 1_000 - epoch]))

const isDialledBy = (call: Call, agent_id: string, ab_is_variant: boolean | null) =>
  assert.deepInclude(call, { status: "completed", agent_id, ab_is_variant })

describe("a booked call that is due", () => {
  it.effect("is judged by the calling window as it is by then, and moved into the next opening", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const { call } = yield* world.placed({ scheduled_at })
      yield* edit(world, agentId, { calling_guard: { ...hours("11:00", "12:00") } })
      yield* world.advance(10 * minute)
      const moved = world.call(call.execution_id)
      assert.strictEqual(moved.status, "rescheduled")
      assert.isAtLeast(moved.scheduled_at ?? 0, epoch + 2 * hour)
      assert.isBelow(moved.scheduled_at ?? 0, epoch + 3 * hour - 5 * minute)
      assert.isEmpty(world.dials)
      yield* world.advance(3 * hour)
      assert.deepStrictEqual(dialledAt(world), [(moved.scheduled_at ?? 0) - epoch])
    }),
  )

  it.effect("is not dialled after closing time, though an outage has kept it till then", () =>
    Effect.gen(function* () {
      const world = yield* started(hours("08:00", "09:30"))
      const { call } = yield* world.placed({ scheduled_at })
      world.kill()
      world.now = epoch + hour
      yield* restart(world)
      yield* world.advance(minute)
      assert.isEmpty(world.dials)
      const { scheduled_at: moved } = world.call(call.execution_id)
      assert.isAtLeast(moved ?? 0, epoch + 23 * hour)
      yield* world.advance(24 * hour)
      assert.deepStrictEqual(dialledAt(world), [(moved ?? 0) - epoch])
    }),
  )

  it.effect("rings late where the window is still open", () =>
    Effect.gen(function* () {
      const world = yield* started(hours("08:00", "12:00"))
      yield* world.placed({ scheduled_at })
      world.kill()
      world.now = epoch + hour
      yield* restart(world)
      yield* world.advance(minute)
      assert.deepStrictEqual(dialledAt(world), [hour])
    }),
  )

  it.effect("is judged once more when it had to wait for a line: it is not dialled after closing time", () =>
    Effect.gen(function* () {
      const world = new World({
        agent: { calling_guard: hours("08:00", "09:30") },
        organization: { concurrency: { organization: 1, per_agent: null, enforced: true } },
      })
      yield* world.start()
      const { call } = yield* world.placed({ scheduled_at: epoch + 30 * minute - 5_000 })
      // An ordinary call holds the only line for seventeen seconds: till five seconds after closing time.
      yield* world.advance(30 * minute - 12_000)
      yield* world.placed()
      yield* world.advance(minute)
      const moved = world.call(call.execution_id)
      assert.strictEqual(moved.status, "rescheduled")
      assert.isAtLeast(moved.scheduled_at ?? 0, epoch + 23 * hour)
      assert.strictEqual(world.dials.length, 1)
      yield* world.advance(24 * hour)
      assert.deepStrictEqual(dialledAt(world), [(moved.scheduled_at ?? 0) - epoch, 30 * minute - 12_000])
    }),
  )

  it.effect("ends where its agent was withdrawn while it waited for a line", () =>
    Effect.gen(function* () {
      const world = new World({ organization: { concurrency: { organization: 1, per_agent: null, enforced: true } } })
      yield* world.start()
      const { call } = yield* world.placed({ scheduled_at })
      yield* world.advance(10 * minute - 5_000)
      yield* world.placed()
      yield* world.advance(8_000)
      yield* using(world, (agents) => agents.undeploy(caller, agentId))
      yield* world.advance(minute)
      assert.deepInclude(world.call(call.execution_id), { status: "error", error: "The agent was not active." })
      assert.strictEqual(world.dials.length, 1)
    }),
  )

  it.effect("goes by its number as it is by then, where it waited for a line", () =>
    Effect.gen(function* () {
      const number = newPhoneNumber({
        phone_number_id: "pn_asked",
        organization_id: organizationId,
        phone_number: "+15555550900",
        created_at: epoch,
      })
      const world = new World({ organization: { concurrency: { organization: 1, per_agent: null, enforced: true } } })
      yield* world.start()
      world.write({ put: "phone_number", row: number })
      const { call } = yield* world.placed({ scheduled_at, from_number: number.phone_number })
      yield* world.advance(10 * minute - 5_000)
      yield* world.placed()
      yield* world.advance(8_000)
      world.write({ put: "phone_number", row: { ...number, label: "main line", revision: number.revision + 1 } })
      yield* world.advance(10_000)
      assert.strictEqual(world.dials.length, 2)
      yield* world.advance(minute)
      assert.strictEqual(world.call(call.execution_id).status, "completed")
    }),
  )

  it.effect("is routed by the experiment as it is by then", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [ExperimentBody | null, isVariant: boolean | null]> = [
        [null, true],
        [{ variant_traffic_pct: 0 }, false],
        [{ status: "paused" }, null],
        [{ status: "concluded", winner: "control" }, null],
      ]
      for (const [change, isVariant] of cases) {
        const world = yield* started()
        const challenger = yield* challengerOf(world)
        const patch = yield* experimenting(world, challenger)
        const { call } = yield* world.placed({ scheduled_at })
        assert.deepInclude(call, { agent_id: agentId, ab_version_id: null, ab_is_variant: null })
        if (change !== null) yield* patch(change)
        yield* world.advance(hour)
        isDialledBy(world.call(call.execution_id), isVariant === true ? challenger : agentId, isVariant)
      }
    }),
  )

  it.effect("is routed by an experiment that began after it was booked", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const { call } = yield* world.placed({ scheduled_at })
      const challenger = yield* challengerOf(world)
      yield* experimenting(world, challenger)
      yield* world.advance(hour)
      isDialledBy(world.call(call.execution_id), challenger, true)
    }),
  )

  it.effect("stays with its agent when the challenger was archived, and ends when its agent was", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const challenger = yield* challengerOf(world)
      yield* experimenting(world, challenger)
      const { call } = yield* world.placed({ scheduled_at })
      yield* archive(world, challenger)
      yield* world.advance(hour)
      isDialledBy(world.call(call.execution_id), agentId, false)
      const { call: second } = yield* world.placed({ scheduled_at: world.now + 10 * minute })
      yield* archive(world, agentId)
      yield* world.advance(hour)
      assert.deepInclude(world.call(second.execution_id), { status: "error", error: "The agent was not active." })
    }),
  )

  it.effect(
    "stays with its agent, as a direct one does, where its challenger's window is never open with the agent's",
    () =>
      Effect.gen(function* () {
        const world = yield* started(hours("09:00", "12:00"))
        const { call } = yield* world.placed({ scheduled_at })
        yield* experimenting(world, yield* challengerOf(world, hours("14:00", "16:00")))
        const { call: direct } = yield* world.placed()
        assert.deepInclude(direct, { agent_id: agentId, ab_is_variant: false })
        yield* world.advance(hour)
        isDialledBy(world.call(call.execution_id), agentId, false)
      }),
  )

  it.effect("goes back to its agent when no line was free for the challenger, and counts for who has made it", () =>
    Effect.gen(function* () {
      const world = new World({ organization: { concurrency: { organization: 1, per_agent: null, enforced: true } } })
      yield* world.start()
      const challenger = yield* challengerOf(world)
      yield* experimenting(world, challenger)
      const { call } = yield* world.placed({ scheduled_at })
      yield* world.advance(10 * minute - 1_000)
      const { call: direct } = yield* world.placed()
      assert.strictEqual(direct.agent_id, challenger)
      yield* world.advance(20_000)
      const waiting = world.call(call.execution_id)
      if (waiting.status === "rescheduled") assert.deepInclude(waiting, { agent_id: agentId, ab_version_id: null })
      yield* world.advance(hour)
      isDialledBy(world.call(call.execution_id), challenger, true)
      const { parts } = yield* world.run(
        Effect.flatMap(Usage, (usage) => usage.report(organizationId, { group_by: "agent" })),
      )
      assert.deepStrictEqual(
        parts.flatMap(({ figures, key }) => (figures.calls === 0 ? [] : [[key, figures.calls]])),
        [[challenger, 2]],
      )
    }),
  )
})

describe("a booked call that waits for its line", () => {
  it.effect.each([
    ["is paused", { status: "paused" }, null],
    ["gives its challenger nothing", { variant_traffic_pct: 0 }, false],
  ] as const)("is made by the agent that was asked for where the experiment %s meanwhile", ([, change, isVariant]) =>
    Effect.gen(function* () {
      const world = new World({ organization: { concurrency: { organization: 1, per_agent: null, enforced: true } } })
      yield* world.start()
      const challenger = yield* challengerOf(world)
      const patch = yield* experimenting(world, challenger)
      const { call } = yield* world.placed({ scheduled_at })
      yield* world.advance(10 * minute - 5_000)
      yield* world.placed()
      yield* world.advance(10_000)
      assert.strictEqual(world.call(call.execution_id).status, "scheduled")
      yield* patch(change)
      yield* world.advance(hour)
      isDialledBy(world.call(call.execution_id), agentId, isVariant)
    }),
  )
})

describe("the calling window of the agent that was asked for", () => {
  it.effect("binds a challenger without one, now and later", () =>
    Effect.gen(function* () {
      const world = yield* started(hours("10:00", "11:00"))
      yield* experimenting(world, yield* challengerOf(world))
      const { _tag, call } = yield* world.placed()
      assert.strictEqual(_tag, "Scheduled")
      assert.isAtLeast(call.scheduled_at ?? 0, epoch + hour)
      yield* world.advance(3 * hour)
      assert.deepStrictEqual(dialledAt(world), [(call.scheduled_at ?? 0) - epoch])
    }),
  )

  it.effect("binds together with the challenger's own", () =>
    Effect.gen(function* () {
      const world = yield* started(hours("08:00", "11:00"))
      const challenger = yield* challengerOf(world, hours("10:30", "18:00"))
      const patch = yield* experimenting(world, challenger)
      const { call } = yield* world.placed()
      assert.isAtLeast(call.scheduled_at ?? 0, epoch + 1.5 * hour)
      assert.isBelow(call.scheduled_at ?? 0, epoch + 2 * hour - 5 * minute)
      // The challenger of a call that is due may be another one than when it was booked.
      const { call: second } = yield* world.placed({ scheduled_at: epoch + 1.75 * hour })
      const late = yield* challengerOf(world, hours("10:58", "18:00"))
      yield* patch({ variant_agent_id: late })
      yield* world.advance(1.9 * hour)
      assert.strictEqual(world.call(second.execution_id).status, "rescheduled")
      yield* world.advance(hour)
      for (const at of dialledAt(world)) assert(at >= hour + 58 * minute && at < 2 * hour, String(at))
    }),
  )
})
