import { assert, describe, it } from "@effect/vitest"
import { Agents, Calls, type EngineError, Experiments } from "@carillon/core"
import { Assignment, type ExperimentBody } from "@carillon/core/domain"
import { Effect, Result } from "effect"
import { agentId, caller, organizationId, request, World } from "../../src/testing/world/World.ts"

const started = Effect.fnUntraced(function* () {
  const world = new World()
  yield* world.start()
  const { agent } = yield* world.run(
    Effect.flatMap(Agents, (agents) => agents.create(caller, { display_name: "Challenger", status: "ACTIVE" })),
  )
  return { world, challenger: agent.agent_id }
})

const using = <A>(world: World, use: (experiments: Experiments["Service"]) => Effect.Effect<A, EngineError>) =>
  world.run(Effect.flatMap(Experiments, use))

const create = (world: World, challenger: string, body: ExperimentBody = {}) =>
  using(world, (experiments) =>
    experiments.create(caller, agentId, { ...body, version_name: "Voice", variant_agent_id: challenger }),
  )

const failureOf = <A>(effect: Effect.Effect<A, EngineError>) =>
  Effect.map(Effect.result(effect), (result) => (Result.isFailure(result) ? result.failure._tag : null))

const place = (world: World, to_number: string) =>
  world.run(
    Effect.map(
      Effect.flatMap(Calls, (calls) => calls.place(caller, request({ to_number }))),
      ({ call }) => call,
    ),
  )

describe("an experiment", () => {
  it.effect(
    "sends exactly the assigned share of direct dials to the challenger, and each number always to one side",
    () =>
      Effect.gen(function* () {
        const { challenger, world } = yield* started()
        const experiment = yield* create(world, challenger, { status: "active", variant_traffic_pct: 40 })
        let variants = 0
        for (let n = 0; n < 60; n++) {
          const to_number = `+1555555${String(1_000 + n)}`
          const call = yield* place(world, to_number)
          const ab_is_variant = Assignment.inVariant(experiment.version_id, 40, { contact_id: null, to_number })
          variants += ab_is_variant ? 1 : 0
          assert.deepInclude(call, {
            ab_version_id: experiment.version_id,
            ab_is_variant,
            agent_id: ab_is_variant ? challenger : agentId,
          })
          assert.deepInclude(yield* place(world, to_number), { ab_is_variant })
          yield* world.advance(20_000)
        }
        assert(variants > 8 && variants < 45, `${variants} of 60`)
      }),
  )

  it.effect("routes nothing while it is a draft, paused or concluded, and all or nothing at 100 and 0 per cent", () =>
    Effect.gen(function* () {
      const { challenger, world } = yield* started()
      const { version_id } = yield* create(world, challenger, { variant_traffic_pct: 100 })
      const patch = (body: ExperimentBody) =>
        using(world, (experiments) => experiments.patch(caller, agentId, version_id, body))
      const routed = Effect.map(place(world, "+15555550123"), ({ ab_is_variant, ab_version_id, agent_id }) => [
        agent_id === challenger,
        ab_version_id === version_id,
        ab_is_variant,
      ])
      assert.deepStrictEqual(yield* routed, [false, false, null])
      yield* patch({ status: "active" })
      assert.deepStrictEqual(yield* routed, [true, true, true])
      yield* patch({ variant_traffic_pct: 0 })
      assert.deepStrictEqual(yield* routed, [false, true, false])
      yield* patch({ variant_traffic_pct: 100, status: "paused" })
      assert.deepStrictEqual(yield* routed, [false, false, null])
      yield* patch({ status: "active" })
      yield* patch({ status: "concluded", winner: "variant" })
      assert.deepStrictEqual(yield* routed, [false, false, null])
    }),
  )

  it.effect("keeps calls with the control while the challenger is not ACTIVE", () =>
    Effect.gen(function* () {
      const { challenger, world } = yield* started()
      const { version_id } = yield* create(world, challenger, { status: "active", variant_traffic_pct: 100 })
      yield* world.run(Effect.flatMap(Agents, (agents) => agents.undeploy(caller, challenger)))
      const call = yield* place(world, "+15555550123")
      assert.deepInclude(call, { agent_id: agentId, ab_version_id: version_id, ab_is_variant: false })
    }),
  )

  it.effect("is the only active one of its control agent, even when two are started at once", () =>
    Effect.gen(function* () {
      const { challenger, world } = yield* started()
      const starting = Array.from({ length: 5 }, () => Effect.result(create(world, challenger, { status: "active" })))
      const results = yield* Effect.all(starting, { concurrency: 5 })
      assert.strictEqual(results.filter(Result.isSuccess).length, 1)
      const refused = results.filter(Result.isFailure).map(({ failure }) => failure._tag)
      assert.deepStrictEqual(refused, Array(4).fill("StateConflict"))
    }),
  )

  it.effect(
    "is unknown under another control agent, refuses challengers that are not there, and is deleted when it may be",
    () =>
      Effect.gen(function* () {
        const { challenger, world } = yield* started()
        const { version_id } = yield* create(world, challenger)
        const under = (control: string) =>
          using(world, (experiments) => experiments.find(organizationId, control, version_id))
        assert.strictEqual(yield* failureOf(under(challenger)), "NotFound")
        assert.strictEqual(yield* failureOf(create(world, "agt_nobody")), "Malformed")
        assert.strictEqual(yield* failureOf(create(world, agentId)), "Malformed")
        const remove = using(world, (experiments) => experiments.remove(caller, agentId, version_id))
        yield* using(world, (experiments) => experiments.patch(caller, agentId, version_id, { status: "active" }))
        assert.strictEqual(yield* failureOf(remove), "StateConflict")
        yield* using(world, (experiments) =>
          experiments.patch(caller, agentId, version_id, { status: "concluded", winner: "control" }),
        )
        yield* remove
        assert.strictEqual(yield* failureOf(under(agentId)), "NotFound")
      }),
  )
})
