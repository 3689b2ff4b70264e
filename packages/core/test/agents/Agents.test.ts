import { Agents, Malformed, NotFound, StateConflict } from "@carillon/core"
import { type AgentBody, agentStatuses } from "@carillon/core/domain"
import type { AgentStatus } from "../../src/agents/rules/AgentStatus.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as fc from "fast-check"
import { law } from "../../src/testing/Law.ts"
import { agent, away, caller, organizationId, World } from "../../src/testing/world/World.ts"

const startedWorld = Effect.gen(function* () {
  const world = new World()
  yield* world.start()
  return { world, agents: world.service(Agents) }
})

const inStatus = (status: AgentStatus) => ({ ...agent, agent_id: `agt_${status}`, status })

const guard = { enabled: true, timezone: "Europe/Madrid", start: "09:00", end: "18:00", days: [0, 1, 2, 3, 4] }

describe("creating an agent", () => {
  it.effect("needs no more than a name, and answers a draft at version 2", () =>
    Effect.gen(function* () {
      const { world, agents } = yield* startedWorld
      const { agent: created, dropped_languages } = yield* agents.create(caller, { display_name: "Ada" })
      assert.deepInclude(created, {
        display_name: "Ada",
        status: "DRAFT",
        version: 2,
        revision: 2,
        organization_id: organizationId,
        prompts: {},
        calling_guard: null,
        created_at: world.now,
        updated_at: world.now,
      })
      assert.deepStrictEqual(dropped_languages, [])
      assert.deepStrictEqual(yield* agents.find(organizationId, created.agent_id), created)
    }),
  )

  it.effect("may ask for any status, in the same write", () =>
    Effect.gen(function* () {
      const { agents } = yield* startedWorld
      for (const status of agentStatuses) {
        const { agent: created } = yield* agents.create(caller, { display_name: "Ada", status })
        assert.deepInclude(created, { status, version: 2 })
      }
    }),
  )

  it.effect("gives every agent an id of its own, also of the same name at the same moment", () =>
    Effect.gen(function* () {
      const { agents } = yield* startedWorld
      const created = yield* Effect.forEach([0, 1, 2], () => agents.create(caller, { display_name: "Ada" }))
      assert.strictEqual(new Set(created.map((write) => write.agent.agent_id)).size, 3)
    }),
  )

  it.effect("leaves nothing of a body that no agent can have", () =>
    Effect.gen(function* () {
      const { world, agents } = yield* startedWorld
      const before = world.commits.length
      const exit = yield* Effect.exit(
        agents.create(caller, { display_name: "Ada", calling_guard: { ...guard, start: "18:00", end: "09:00" } }),
      )
      assert(Exit.isFailure(exit))
      assert.lengthOf(world.commits, before)
    }),
  )

  it.effect("drops the languages that nobody can speak, and names them", () =>
    Effect.gen(function* () {
      const { agents } = yield* startedWorld
      const multilingual = {
        enabled: true,
        active_language: "es",
        languages: { es: { voice_id: "v1" }, fr: { agent_name: "Amélie" }, de: { voice_id: "" } },
      }
      const { agent: created, dropped_languages } = yield* agents.create(caller, { display_name: "Ada", multilingual })
      assert.sameMembers([...dropped_languages], ["fr", "de"])
      assert.deepStrictEqual(created.multilingual, { ...multilingual, languages: { es: { voice_id: "v1" } } })
    }),
  )
})

describe("changing an agent", () => {
  const moves: Readonly<Record<AgentStatus, ReadonlyArray<AgentStatus>>> = {
    DRAFT: ["DRAFT", "ACTIVE", "INACTIVE", "ARCHIVED"],
    ACTIVE: ["INACTIVE"],
    INACTIVE: ["INACTIVE", "ACTIVE", "ARCHIVED"],
    ARCHIVED: [],
  }

  it.effect("moves it as the table of statuses allows, and no other way", () =>
    Effect.gen(function* () {
      for (const from of agentStatuses) {
        for (const to of agentStatuses) {
          const { world, agents } = yield* startedWorld
          const before = inStatus(from)
          world.write({ put: "agent", row: before })
          const exit = yield* Effect.exit(agents.patch(caller, before.agent_id, { status: to }))
          assert.strictEqual(Exit.isSuccess(exit), moves[from].includes(to), `${from} to ${to}`)
          const after = yield* agents.find(organizationId, before.agent_id)
          assert.deepInclude(after, Exit.isSuccess(exit) ? { status: to, version: 3, revision: 2 } : { ...before })
        }
      }
    }),
  )

  it.effect("is refused while it is active, except for exactly the move to INACTIVE", () =>
    Effect.gen(function* () {
      const { agents } = yield* startedWorld
      const refusal = Exit.fail(
        new StateConflict({ message: "This agent is active and must be set to INACTIVE first." }),
      )
      const bodies: ReadonlyArray<AgentBody> = [
        { summary: "x" },
        { status: "INACTIVE", summary: "x" },
        { status: "ACTIVE" },
        { status: "ARCHIVED" },
      ]
      for (const body of bodies)
        assert.deepEqual(yield* Effect.exit(agents.patch(caller, agent.agent_id, body)), refusal)
      yield* agents.patch(caller, agent.agent_id, { status: "INACTIVE" })
      yield* agents.patch(caller, agent.agent_id, { summary: "x" })
      assert.deepInclude(yield* agents.find(organizationId, agent.agent_id), { version: 4, summary: "x" })
    }),
  )

  it.effect("raises the version once per success, however many change it at once", () =>
    law(
      fc.array(fc.constantFrom("summary", "category", "greeting_message"), { minLength: 1, maxLength: 4 }),
      Effect.fnUntraced(function* (fields) {
        const { world, agents } = yield* startedWorld
        world.write({ put: "agent", row: inStatus("DRAFT") })
        yield* Effect.all(
          fields.map((field) => agents.patch(caller, "agt_DRAFT", { [field]: "new" })),
          { concurrency: fields.length },
        )
        const after = yield* agents.find(organizationId, "agt_DRAFT")
        assert.strictEqual(after.version, agent.version + fields.length)
        for (const field of ["summary", "category", "greeting_message"] as const) {
          assert.strictEqual(after[field], fields.includes(field) ? "new" : null)
        }
      }, Effect.scoped),
      { numRuns: 15 },
    ),
  )

  it.effect("wants a field to change, and an agent of this organization", () =>
    Effect.gen(function* () {
      const { world, agents } = yield* startedWorld
      world.write({ put: "agent", row: inStatus("DRAFT") })
      assert.deepEqual(
        yield* Effect.exit(agents.patch(caller, "agt_DRAFT", {})),
        Exit.fail(new Malformed({ message: "The request body has no field to change." })),
      )
      const unknown = Exit.fail(new NotFound({ message: "Agent not found." }))
      assert.deepEqual(yield* Effect.exit(agents.patch(caller, "agt_unknown", { summary: "x" })), unknown)
      const stranger = { ...caller, organization_id: "org_stranger" }
      assert.deepEqual(yield* Effect.exit(agents.patch(stranger, "agt_DRAFT", { summary: "x" })), unknown)
      assert.deepEqual(yield* Effect.exit(agents.find("org_stranger", "agt_DRAFT")), unknown)
    }),
  )

  it.effect("removes a calling window that is switched off, keeps what a patch of it leaves out", () =>
    Effect.gen(function* () {
      const { agents } = yield* startedWorld
      const { agent: created } = yield* agents.create(caller, { display_name: "Ada", calling_guard: guard })
      assert.deepStrictEqual(created.calling_guard, guard)
      const patched = (calling_guard: AgentBody[string]) =>
        Effect.map(agents.patch(caller, created.agent_id, { calling_guard }), (write) => write.agent.calling_guard)
      assert.deepStrictEqual(yield* patched({ start: "10:00" }), { ...guard, start: "10:00" })
      assert.isNull(yield* patched({ enabled: false }))
      assert.deepStrictEqual(yield* patched(guard), guard)
      assert.isNull(yield* patched(null))
    }),
  )

  it.effect("is audited once, and nothing of the body is told", () =>
    Effect.gen(function* () {
      const { world, agents } = yield* startedWorld
      const { agent: created } = yield* agents.create(caller, { display_name: "Ada", summary: "a secret plan" })
      yield* agents.patch(caller, created.agent_id, { summary: "another secret plan" })
      yield* Effect.exit(agents.patch(caller, created.agent_id, {}))
      const entries = world.commits.flatMap((commit) => commit.audit)
      assert.deepStrictEqual(
        entries.map(({ action, resource, outcome }) => ({ action, id: resource.id, outcome })),
        [
          { action: "agent.create", id: created.agent_id, outcome: "allowed" },
          { action: "agent.update", id: created.agent_id, outcome: "allowed" },
        ],
      )
      assert.notInclude(JSON.stringify(entries), "secret")
    }),
  )

  it.effect("says that the agent service is away when it is", () =>
    Effect.gen(function* () {
      const world = new World({
        interpose: (operation, effect) => (operation.startsWith("agents.") ? away : effect),
      })
      yield* world.start()
      const exit = yield* Effect.exit(world.service(Agents).patch(caller, agent.agent_id, { summary: "x" }))
      assert(Exit.isFailure(exit))
    }),
  )
})
