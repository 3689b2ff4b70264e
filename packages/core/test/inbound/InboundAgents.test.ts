import { assert, describe, it } from "@effect/vitest"
import { Agents, Engine, type EngineError, InboundAgents, Numbers } from "@carillon/core"
import { Effect, Result } from "effect"
import { agentId, caller, organizationId, World } from "../../src/testing/world/World.ts"

const number = "+15555550177"

const started = Effect.fnUntraced(function* () {
  const world = new World()
  yield* world.start()
  const registered = yield* world.run(
    Effect.flatMap(Numbers, (numbers) => numbers.register(caller, number, { label: "Front desk" })),
  )
  return { world, id: registered.number.phone_number_id }
})

const bind = (world: World, request: Partial<Parameters<InboundAgents["Service"]["bind"]>[1]>) =>
  world.run(Effect.flatMap(InboundAgents, (agents) => agents.bind(caller, { agent_id: agentId, ...request })))

const arrive = (world: World) =>
  world.run(
    Effect.flatMap(Engine, (engine) =>
      engine.arrive({
        organization_id: organizationId,
        agent_id: null,
        from_number: "+15555550199",
        to_number: number,
        call_sid: "leg_in",
      }),
    ),
  )

const standing = (world: World, id: string) =>
  world.run(Effect.flatMap(Numbers, (numbers) => numbers.find(organizationId, id)))

const failureOf = <A>(effect: Effect.Effect<A, EngineError>) =>
  Effect.map(Effect.result(effect), (result) => (Result.isFailure(result) ? result.failure._tag : null))

describe("a call that arrives", () => {
  it.effect("goes to the agent that is bound to its number", () =>
    Effect.gen(function* () {
      const { id, world } = yield* started()
      assert.strictEqual(yield* failureOf(arrive(world)), "NotFound")
      const binding = yield* bind(world, { phone_number: number })
      assert.strictEqual(binding.phone_number_id, id)
      const call = yield* arrive(world)
      assert.deepInclude(call, { agent_id: agentId, direction: "inbound", to_number: number })
      assert.deepInclude(yield* standing(world, id), {
        calls_in_progress: 1,
        inbound_agent_id: binding.inbound_agent_id,
      })
      yield* world.run(Effect.flatMap(InboundAgents, (agents) => agents.unbind(caller, binding.inbound_agent_id)))
      assert.strictEqual(yield* failureOf(arrive(world)), "NotFound")
      assert.deepInclude(yield* standing(world, id), { inbound_agent_id: null })
    }),
  )

  it.effect("is not answered by a binding that is switched off, nor by an agent that is not ACTIVE", () =>
    Effect.gen(function* () {
      const { id, world } = yield* started()
      const off = yield* bind(world, { phone_number_id: id, enabled: false })
      assert.strictEqual(yield* failureOf(arrive(world)), "NotFound")
      yield* world.run(Effect.flatMap(InboundAgents, (agents) => agents.unbind(caller, off.inbound_agent_id)))
      yield* bind(world, { phone_number_id: id })
      yield* world.run(Effect.flatMap(Agents, (agents) => agents.undeploy(caller, agentId)))
      assert.strictEqual(yield* failureOf(arrive(world)), "StateConflict")
    }),
  )
})

describe("binding", () => {
  it.effect("takes one agent per number, however many ask at once", () =>
    Effect.gen(function* () {
      const { id, world } = yield* started()
      const results = yield* Effect.all(
        Array.from({ length: 4 }, () => Effect.result(bind(world, { phone_number_id: id }))),
        { concurrency: 4 },
      )
      assert.strictEqual(results.filter(Result.isSuccess).length, 1)
      assert.strictEqual(yield* failureOf(bind(world, { phone_number: number })), "StateConflict")
    }),
  )

  it.effect("tells unknown agents, unknown ids, unregistered numbers and contradictions apart", () =>
    Effect.gen(function* () {
      const { id, world } = yield* started()
      assert.strictEqual(yield* failureOf(bind(world, { agent_id: "agt_no", phone_number_id: id })), "NotFound")
      assert.strictEqual(yield* failureOf(bind(world, { phone_number_id: "pn_no" })), "NotFound")
      assert.strictEqual(yield* failureOf(bind(world, { phone_number: "+15555550000" })), "InvalidField")
      assert.strictEqual(yield* failureOf(bind(world, {})), "MissingField")
      const both = { phone_number_id: id, phone_number: "+15555550000" }
      assert.strictEqual(yield* failureOf(bind(world, both)), "Malformed")
    }),
  )

  it.effect("ends with the number, which can then be registered and bound anew", () =>
    Effect.gen(function* () {
      const { id, world } = yield* started()
      yield* bind(world, { phone_number_id: id })
      const registering = world.run(Effect.flatMap(Numbers, (numbers) => numbers.register(caller, number, {})))
      assert.strictEqual(yield* failureOf(registering), "StateConflict")
      yield* world.run(Effect.flatMap(Numbers, (numbers) => numbers.release(caller, id)))
      assert.strictEqual(yield* failureOf(standing(world, id)), "NotFound")
      assert.strictEqual(yield* failureOf(arrive(world)), "NotFound")
      const again = yield* registering
      assert.notStrictEqual(again.number.phone_number_id, id)
      yield* bind(world, { phone_number: number })
    }),
  )
})
