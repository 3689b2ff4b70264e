import { assert, describe, it } from "@effect/vitest"
import { Agents, type EngineError, limits } from "@carillon/core"
import type { AgentBody } from "@carillon/core/domain"
import { Conflict } from "@carillon/core/ports"
import { Effect, Exit, Result } from "effect"
import { agent as standing, agentId, away, caller, organizationId, World } from "../../src/testing/world/World.ts"

const started = Effect.fnUntraced(function* () {
  const world = new World()
  yield* world.start()
  return world
})

const using = <A>(world: World, use: (agents: Agents["Service"]) => Effect.Effect<A, EngineError>) =>
  world.run(Effect.flatMap(Agents, use))

const create = (world: World, body: AgentBody) => using(world, (agents) => agents.create(caller, body))

const archived = (world: World) =>
  world.tables.agents.page(
    organizationId,
    { status: "ARCHIVED", sort_by: "created_at", sort_order: "desc" },
    { page: 1, page_size: 100 },
  ).items

const failureOf = <A>(effect: Effect.Effect<A, EngineError>) =>
  Effect.map(Effect.result(effect), (result) => (Result.isFailure(result) ? result.failure : null))

describe("creating an agent", () => {
  it.effect("answers version 2 whatever status is asked for", () =>
    Effect.gen(function* () {
      const world = yield* started()
      for (const status of ["DRAFT", "ACTIVE", "INACTIVE", "ARCHIVED"] as const) {
        const { agent } = yield* create(world, { display_name: "A", status })
        assert.deepInclude(agent, { status, version: 2 })
      }
    }),
  )

  it.effect("writes nothing when its body is refused, and answers the refusal", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const guard = { enabled: true, timezone: "UTC", start: "18:00", end: "09:00" }
      const bodies: ReadonlyArray<readonly [EngineError["_tag"], Omit<AgentBody, "display_name">]> = [
        ["Malformed", { calling_guard: guard }],
        ["MissingField", { calling_guard: { timezone: "UTC" } }],
        ["Malformed", { integrations: { webhook: { url: "http://localhost/x" } } }],
        ["NotFound", { follow_up_config: { follow_up_agent_id: "agt_nobody" } }],
        ["InvalidField", { settings: { text: "x".repeat(limits.agentBytes) } }],
      ]
      const before = world.commits.length
      for (const [tag, body] of bodies) {
        const failure = yield* failureOf(create(world, { display_name: "Never", ...body }))
        assert.strictEqual(failure?._tag, tag)
      }
      assert.deepStrictEqual([world.commits.length, archived(world)], [before, []])
    }),
  )

  it.effect("names only agents of the organization to follow up", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const known = { display_name: "Whole", follow_up_config: { follow_up_agent_id: agentId } }
      assert.strictEqual((yield* create(world, known)).agent.status, "DRAFT")
    }),
  )

  it.effect("archives the half-made agent when the configuring write itself fails", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const commit = world.tables.commit.bind(world.tables)
      world.tables.commit = (draft) =>
        draft.audit.some(({ action }) => action === "agent.create")
          ? new Conflict({ kind: "agent", id: "always" })
          : commit(draft)
      const failure = yield* failureOf(create(world, { display_name: "Half" }))
      assert.deepInclude(failure, { _tag: "DependencyUnavailable", dependency: "agent_service" })
      assert.deepInclude(archived(world)[0], { display_name: "Half" })
      // Neither what was given up nor how was ever done on the customer's behalf.
      assert.deepStrictEqual(world.tables.auditTrail(organizationId), [])
    }),
  )

  it.effect("records that a made agent is archived whose maker never heard of it, without a status", () =>
    Effect.gen(function* () {
      let commits = 0
      const world = new World({
        interpose: (operation, effect) => {
          if (operation !== "store.commit") return effect
          commits += 1
          return commits === 2 ? Effect.andThen(effect, away) : effect
        },
      })
      yield* world.start()
      const routed = { ...caller, success_status: 201 }
      const failure = yield* failureOf(using(world, (agents) => agents.create(routed, { display_name: "Unheard" })))
      assert.strictEqual(failure?._tag, "DependencyUnavailable")
      assert.deepInclude(archived(world)[0], { display_name: "Unheard", version: 3 })
      assert.deepStrictEqual(
        world.tables.auditTrail(organizationId).map(({ action, http_status }) => [action, http_status]),
        [
          ["agent.create", 201],
          ["agent.archive", null],
        ],
      )
    }),
  )
})

describe("replacing an agent", () => {
  it.effect("returns what is left out to its default, and keeps id, status and creation", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const { agent } = yield* create(world, {
        display_name: "A",
        summary: "s",
        labels: ["a"],
        status: "INACTIVE",
        configuration: { session_policy: { session_ttl: 5 } },
        calling_guard: { enabled: true, timezone: "UTC", start: "09:00", end: "18:00" },
      })
      const replaced = yield* using(world, (agents) =>
        agents.replace(caller, agent.agent_id, { display_name: "B", conversation_config: { probe_min_words: 3 } }),
      )
      assert.deepInclude(replaced.agent, {
        agent_id: agent.agent_id,
        display_name: "B",
        summary: null,
        labels: null,
        calling_guard: null,
        status: "INACTIVE",
        version: 3,
        created_at: agent.created_at,
        configuration: { session_policy: { probe_min_words: 3 } },
      })
    }),
  )

  it.effect("is refused while the agent is active", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const replacing = using(world, (agents) => agents.replace(caller, agentId, { display_name: "B" }))
      assert.strictEqual((yield* failureOf(replacing))?._tag, "StateConflict")
    }),
  )
})

describe("the other moves of an agent", () => {
  it.effect("clones the settings into a draft, archives for good, deploys and undeploys", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const clone = yield* using(world, (agents) => agents.clone(caller, agentId, null))
      assert.deepInclude(clone, { display_name: `${standing.display_name} (copy)`, status: "DRAFT", version: 2 })
      assert.notStrictEqual(clone.agent_id, agentId)
      const deployed = yield* using(world, (agents) => agents.deploy(caller, clone.agent_id))
      assert.deepInclude(deployed, { status: "ACTIVE", version: 3 })
      const archiving = using(world, (agents) => agents.archive(caller, clone.agent_id))
      assert.strictEqual((yield* failureOf(archiving))?._tag, "StateConflict")
      yield* using(world, (agents) => agents.undeploy(caller, clone.agent_id))
      const first = yield* archiving
      assert.deepInclude(first, { status: "ARCHIVED", version: 5 })
      assert.deepStrictEqual(yield* archiving, first)
      const again = using(world, (agents) => agents.deploy(caller, clone.agent_id))
      assert.strictEqual((yield* failureOf(again))?._tag, "StateConflict")
      // What is archived can still be copied.
      const copy = yield* using(world, (agents) => agents.clone(caller, clone.agent_id, "Second"))
      assert.deepInclude(copy, { display_name: "Second", status: "DRAFT", version: 2 })
    }),
  )

  it.effect("leaves a trail of every write", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const { agent } = yield* create(world, { display_name: "A" })
      yield* using(world, (agents) => agents.patch(caller, agent.agent_id, { summary: "x" }))
      yield* using(world, (agents) => agents.replace(caller, agent.agent_id, { display_name: "B" }))
      yield* using(world, (agents) => agents.archive(caller, agent.agent_id))
      const actions = world.tables.auditTrail(organizationId).map(({ action }) => action)
      assert.deepStrictEqual(actions, ["agent.create", "agent.update", "agent.replace", "agent.archive"])
    }),
  )

  it.effect("patching null clears, and an empty patch is malformed", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const { agent } = yield* create(world, { display_name: "A", summary: "s", greeting_message: "g" })
      const patched = yield* using(world, (agents) => agents.patch(caller, agent.agent_id, { summary: null }))
      assert.deepInclude(patched.agent, { summary: null, greeting_message: "g" })
      const empty = yield* Effect.exit(using(world, (agents) => agents.patch(caller, agent.agent_id, {})))
      assert.isTrue(Exit.isFailure(empty))
    }),
  )
})
