import { assert, describe, it } from "@effect/vitest"
import { HoursSettings } from "@carillon/core"
import { bindingOf, type CampaignBody, type HoursRequest, isCallable } from "@carillon/core/domain"
import { Effect } from "effect"
import * as fc from "fast-check"
import { sampleAgent } from "../../src/testing/Samples.ts"
import { Campaigning, ending } from "../../src/testing/world/Campaigning.ts"
import { agentId, caller, epoch, organizationId, World } from "../../src/testing/world/World.ts"

const minute = 60_000
const hour = 60 * minute

const other = "agt_other"

/** The epoch of the world is a Monday, 9:00 UTC. */
const never: HoursRequest = { enabled: true, timezone_column: "timezone", elsewhere: {}, unknown_timezone: "UTC" }
const monday: HoursRequest = { ...never, elsewhere: { monday: [{ start: "10:00", end: "12:00" }] } }
const tuesday: HoursRequest = { ...never, elsewhere: { tuesday: [{ start: "10:00", end: "12:00" }] } }

const german = (nth: number) => `+4930${1_000_000 + nth}`

const to = (...numbers: ReadonlyArray<string>) => numbers.map((to_number) => ({ to_number, variables: {} }))

const set = (world: World, agent_id: string | null, request: HoursRequest) =>
  world.run(Effect.flatMap(HoursSettings, (settings) => settings.set(caller, { agent_id, campaign_id: null }, request)))

const remove = (world: World, agent_id: string | null) =>
  world.run(Effect.flatMap(HoursSettings, (settings) => settings.remove(caller, { agent_id, campaign_id: null })))

/** A world with two agents. */
const withTwo = Effect.fnUntraced(function* (script = ending("completed")) {
  const row = sampleAgent(organizationId, { agent_id: other, status: "ACTIVE" })
  const world = new World({ script: () => script, rows: [{ put: "agent", row }] })
  yield* world.start()
  return new Campaigning(world)
})

/** A campaign of one contact, and a batch of the other agent in it. */
const ofTwo = Effect.fnUntraced(function* (test: Campaigning, body: CampaignBody = {}) {
  const { campaign_id } = yield* test.create(to(german(0)), body)
  yield* test.batches((batches) =>
    batches.create(caller, { agent_id: other, campaign_id }, { contacts: to(german(1)), file_name: null }),
  )
  return campaign_id
})

const explained = (test: Campaigning, campaignId: string) =>
  Effect.map(
    test.campaigns((campaigns) => campaigns.explain(organizationId, campaignId)),
    ({ blocking }) => blocking,
  )

const dialled = (test: Campaigning) => test.world.dials.map(({ to_number }) => to_number)

describe("contacts that wait for the hours of their agent, in a lane with others", () => {
  it.effect("say so, and are called when the hours are taken away", () =>
    Effect.gen(function* () {
      const test = yield* withTwo()
      yield* set(test.world, agentId, never)
      const campaignId = yield* ofTwo(test)
      yield* test.world.advance(minute)
      assert.deepStrictEqual(dialled(test), [german(1)])
      assert.deepStrictEqual(yield* explained(test, campaignId), [{ reason: "callee_hours", contacts: 1, until: null }])
      yield* remove(test.world, agentId)
      yield* test.world.advance(1_000)
      assert.deepStrictEqual(dialled(test), [german(1), german(0)])
    }),
  )

  it.effect("say when they may be called, and are called when the hours are widened", () =>
    Effect.gen(function* () {
      const test = yield* withTwo()
      yield* set(test.world, agentId, tuesday)
      const campaignId = yield* ofTwo(test)
      yield* test.world.advance(minute)
      // In Berlin it is an hour later.
      const until = epoch + 24 * hour
      assert.deepStrictEqual(yield* explained(test, campaignId), [{ reason: "callee_hours", contacts: 1, until }])
      assert.strictEqual((yield* test.contacts(campaignId))[0]?.next_attempt_at, until)
      yield* set(test.world, agentId, monday)
      yield* test.world.advance(1_000)
      assert.deepStrictEqual(dialled(test), [german(1), german(0)])
    }),
  )

  it.effect("are called when they open, and not before, at the price of one write more", () =>
    Effect.gen(function* () {
      const test = yield* withTwo()
      yield* set(test.world, agentId, tuesday)
      yield* ofTwo(test)
      yield* test.world.advance(24 * hour - 1)
      assert.deepStrictEqual(dialled(test), [german(1)])
      const writes = test.world.commits.flatMap(({ changes }) =>
        changes.filter((change) => change.put === "contact" && change.row.eligible_at !== null),
      )
      assert.lengthOf(writes, 2)
      yield* test.world.advance(1)
      assert.deepStrictEqual(dialled(test), [german(1), german(0)])
    }),
  )

  it.effect("are called when another agent is to follow up, whose hours are open", () =>
    Effect.gen(function* () {
      const test = yield* withTwo(ending("busy"))
      const follow_up_policy = { enabled: true, cooldown_minutes: 0, follow_up_agent_id: other }
      yield* set(test.world, other, never)
      yield* set(test.world, agentId, monday)
      const { campaign_id } = yield* test.create(to(german(0)), { retry_policy: { max_retries: 0 }, follow_up_policy })
      yield* test.world.advance(hour)
      assert.lengthOf(test.world.dials, 1)
      const patch = { follow_up_policy: { ...follow_up_policy, follow_up_agent_id: agentId } }
      yield* test.campaigns((campaigns) => campaigns.patch(caller, campaign_id, patch))
      yield* test.world.advance(minute)
      assert.lengthOf(test.world.dials, 2)
    }),
  )

  for (const closed of [agentId, other]) {
    it.effect(`are called when the hours of ${closed} are taken away, where the other agent follows up`, () =>
      Effect.gen(function* () {
        const test = yield* withTwo(ending("busy"))
        yield* set(test.world, closed, never)
        const { campaign_id } = yield* test.create(to(german(0)), {
          retry_policy: { max_retries: 0 },
          follow_up_policy: { enabled: true, cooldown_minutes: 0, follow_up_agent_id: other },
        })
        yield* test.world.advance(hour)
        const before = test.world.dials.length
        assert.deepStrictEqual(yield* explained(test, campaign_id), [
          { reason: "callee_hours", contacts: 1, until: null },
        ])
        yield* remove(test.world, closed)
        yield* test.world.advance(1_000)
        assert.lengthOf(test.world.dials, before + 1)
      }),
    )
  }

  it("are called within a second of being callable, and never else, however hours are changed", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            scope: fc.constantFrom(agentId, other, null),
            request: fc.constantFrom(
              never,
              tuesday,
              { ...never, enabled: false },
              { ...tuesday, timezone_column: "zone" },
            ),
            isRemoved: fc.boolean(),
            hours: fc.integer({ min: 1, max: 40 }),
          }),
          { minLength: 1, maxLength: 6 },
        ),
        (changes) =>
          Effect.runPromise(
            Effect.scoped(
              Effect.gen(function* () {
                const test = yield* withTwo()
                const { world } = test
                const [first, ...others] = changes
                yield* set(world, first?.scope ?? null, first?.request ?? never)
                yield* ofTwo(test)
                let known = 0
                const mayRing = (to_number: string) => {
                  const asked = { campaign_id: null, agent_id: to_number === german(0) ? agentId : other }
                  const callee = { to_number, variables: {} }
                  const binding = bindingOf(world.tables.calleeHours.get(organizationId) ?? null, asked, callee)
                  return isCallable(binding, world.now)
                }
                const look = () => {
                  for (const number of dialled(test).slice(known)) assert.isTrue(mayRing(number), `${number} was rung`)
                  known = world.dials.length
                }
                const lookForWaiting = () => {
                  for (const number of [german(0), german(1)]) {
                    assert.isTrue(dialled(test).includes(number) || !mayRing(number), `${number} at ${world.now}`)
                  }
                }
                yield* world.advance(1_000, look)
                lookForWaiting()
                for (const { hours, isRemoved, request, scope } of others) {
                  yield* world.advance(hours * hour, look)
                  lookForWaiting()
                  if (isRemoved) yield* Effect.ignore(remove(world, scope))
                  else yield* set(world, scope, request)
                  yield* world.advance(1_000, look)
                  lookForWaiting()
                }
              }),
            ),
          ),
      ),
      { numRuns: 30 },
    ))
})
