import { assert, describe, it } from "@effect/vitest"
import { Explainer } from "@carillon/core"
import { Effect } from "effect"
import { Campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import {
  agent,
  agentId,
  caller,
  organization,
  organizationId,
  type Script,
  World,
  type WorldOptions,
} from "../../src/testing/world/World.ts"

const minute = 60_000
const hour = 60 * minute

const closer = "agt_closer"

/** Another tenant, with an agent. */
const stranger = { ...caller, organization_id: "org_stranger" }
const strangersAgent = "agt_stranger"

const rows: WorldOptions["rows"] = [
  { put: "agent", row: { ...agent, agent_id: closer, revision: 1 } },
  { put: "organization", row: { ...organization, organization_id: stranger.organization_id, revision: 1 } },
  {
    put: "agent",
    row: { ...agent, organization_id: stranger.organization_id, agent_id: strangersAgent, revision: 1 },
  },
]

const worldOf = Effect.fnUntraced(function* (
  concurrency: typeof organization.concurrency,
  script: NonNullable<WorldOptions["script"]>,
) {
  const world = new World({ organization: { concurrency }, rows, script })
  yield* world.start()
  return new Campaigning(world)
})

const limitPlatform = (test: Campaigning, concurrency: number): void =>
  test.world.write({ put: "platform", row: { platform_id: "platform", revision: 1, concurrency } })

const explained = (test: Campaigning, campaignId: string) =>
  test.campaigns((campaigns) => campaigns.explain(organizationId, campaignId))

/** What keeps contacts from being dialled, beside how many lack nothing but a line. */
const reasons = (test: Campaigning, campaignId: string) =>
  Effect.map(explained(test, campaignId), ({ blocking, dialable }) => ({
    dialable,
    blocking: blocking.map(({ contacts, reason }) => [reason, contacts]),
  }))

const long: Script = ending("completed", 3 * 3_600)

describe("contacts that lack a line of their agent", () => {
  const perAgent = { organization: 20, per_agent: 1, enforced: true }
  const followed = {
    retry_policy: { max_retries: 0 },
    follow_up_policy: { enabled: true, cooldown_minutes: 30, follow_up_agent_id: closer },
  }

  it.effect("are explained by the agent that a follow-up has for itself", () =>
    Effect.gen(function* () {
      const test = yield* worldOf(perAgent, ({ agent_id }) => (agent_id === closer ? long : ending("no-answer")))
      yield* test.create(contactsOf(1), { agent_id: closer })
      const { campaign_id } = yield* test.create(contactsOf(2, 10), followed)
      yield* test.world.advance(40 * minute)
      assert.deepStrictEqual(yield* reasons(test, campaign_id), { dialable: 2, blocking: [["agent_ceiling", 2]] })
    }),
  )

  it.effect("wait for it where they are followed up, though the agent that called them first is away", () =>
    Effect.gen(function* () {
      const test = yield* worldOf(perAgent, ({ agent_id }) => (agent_id === closer ? long : ending("no-answer")))
      yield* test.create(contactsOf(1), { agent_id: closer })
      const { campaign_id } = yield* test.create(contactsOf(2, 10), followed)
      yield* test.world.advance(10 * minute)
      const row = test.world.tables.agents.get(agentId)
      assert(row !== undefined)
      test.world.write({ put: "agent", row: { ...row, status: "INACTIVE", revision: row.revision + 1 } })
      yield* test.world.advance(30 * minute)
      assert.deepStrictEqual(yield* reasons(test, campaign_id), { dialable: 2, blocking: [["agent_ceiling", 2]] })
    }),
  )

  it.effect("are counted without those who are called by another agent, and wait for a line of the platform", () =>
    Effect.gen(function* () {
      const test = yield* worldOf(perAgent, ({ agent_id }) => (agent_id === agentId ? ending("no-answer") : long))
      yield* test.create(contactsOf(1), { agent_id: closer })
      const { campaign_id } = yield* test.create(contactsOf(2, 10), followed)
      yield* test.world.advance(40 * minute)
      limitPlatform(test, 2)
      yield* test.world.advance(2 * minute)
      yield* test.campaigns((campaigns) =>
        campaigns.create(
          stranger,
          { name: "Strange", agent_id: strangersAgent },
          { contacts: contactsOf(1, 500), file_name: null },
        ),
      )
      yield* test.world.advance(0)
      yield* test.campaigns((campaigns) =>
        campaigns.append(caller, campaign_id, { contacts: contactsOf(3, 20), file_name: null }),
      )
      yield* test.world.advance(minute)
      assert.deepStrictEqual(yield* reasons(test, campaign_id), {
        dialable: 5,
        blocking: [
          ["agent_ceiling", 2],
          ["platform_lines_full", 3],
        ],
      })
    }),
  )
})

describe("ceilings of an organization that are not enforced", () => {
  const open = { organization: 1, per_agent: 1, enforced: false }

  it.effect("are no reason: the platform's is, where another tenant has all of its lines", () =>
    Effect.gen(function* () {
      const test = yield* worldOf(open, () => long)
      limitPlatform(test, 3)
      yield* test.create(contactsOf(2))
      yield* test.campaigns((campaigns) =>
        campaigns.create(
          stranger,
          { name: "Strange", agent_id: strangersAgent },
          { contacts: contactsOf(1, 500), file_name: null },
        ),
      )
      yield* test.world.advance(minute)
      const { campaign_id } = yield* test.create(contactsOf(4, 10))
      yield* test.world.advance(minute)
      assert.deepStrictEqual(yield* reasons(test, campaign_id), {
        dialable: 4,
        blocking: [["platform_lines_full", 4]],
      })
    }),
  )

  it.effect("are no reason: the platform's is, where it has all of its lines itself", () =>
    Effect.gen(function* () {
      const test = yield* worldOf(open, () => long)
      limitPlatform(test, 3)
      const { campaign_id } = yield* test.create(contactsOf(5))
      yield* test.world.advance(minute)
      assert.deepStrictEqual(yield* reasons(test, campaign_id), {
        dialable: 2,
        blocking: [["platform_lines_full", 2]],
      })
    }),
  )

  it.effect("keep no booked call waiting", () =>
    Effect.gen(function* () {
      const test = yield* worldOf(open, () => long)
      yield* test.create(contactsOf(2))
      const booked = yield* test.world.placed({ scheduled_at: test.world.now + hour })
      assert(booked._tag === "Scheduled")
      const told = yield* test.world.run(
        Effect.flatMap(Explainer, (explainer) => explainer.explainCall(booked.call.execution_id)),
      )
      assert.deepInclude(told?.surroundings, {
        organization: { used: 2, ceiling: null },
        agent: { used: 2, ceiling: null },
      })
    }),
  )
})

describe("an enforced ceiling of the organization", () => {
  it.effect("is the reason where its lines are in use", () =>
    Effect.gen(function* () {
      const test = yield* worldOf({ organization: 2, per_agent: null, enforced: true }, () => long)
      const { campaign_id } = yield* test.create(contactsOf(5))
      yield* test.world.advance(minute)
      assert.deepStrictEqual(yield* reasons(test, campaign_id), {
        dialable: 3,
        blocking: [["organization_lines_full", 3]],
      })
    }),
  )
})
