import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { Campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { agent, agentId, caller, organizationId, type Script, World } from "../../src/testing/world/World.ts"

const minute = 60_000

/** The world begins on a Monday, and nobody plays for days. */
const onlySaturday = { saturday: { start: "09:00", end: "17:00", enabled: true } }

const otherAgent = "agt_other"

const outcomes: Readonly<Record<string, Script>> = {
  completed: ending("completed", 50),
  busy: ending("busy", 20),
  long: ending("completed", 600),
  refused: { outcome: { _tag: "Refused", kind: "unreachable" } },
}

const at = fc.nat({ max: 5 })

/** What befalls the campaign: `nth` is one of its batches. */
const steps = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("advance" as const), ms: fc.nat({ max: 20 * minute }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("batch" as const),
      contacts: fc.integer({ min: 1, max: 4 }),
      inMinutes: fc.option(fc.integer({ min: 3, max: 30 })),
      byOther: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom("batch.pause", "batch.resume", "batch.stop" as const), nth: at }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom("pause", "resume", "cancel", "revive"),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("agent" as const),
      agent_id: fc.constantFrom(agentId, otherAgent),
      isActive: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("hours" as const), areGiven: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("wallet" as const), balance: fc.constantFrom(0, 100) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("end" as const), inMinutes: fc.integer({ min: 1, max: 60 }) }),
  },
)

type Step = typeof steps extends fc.Arbitrary<infer A> ? A : never

const play = Effect.fnUntraced(function* (test: Campaigning, campaignId: string, step: Step) {
  const { world } = test
  const batchIds = [...world.tables.batches.ofCampaign(organizationId, campaignId)].map(({ batch_id }) => batch_id)
  switch (step.kind) {
    case "advance":
      return yield* world.advance(step.ms)
    case "batch": {
      const body = {
        agent_id: step.byOther ? otherAgent : agentId,
        campaign_id: campaignId,
        scheduled_at: step.inMinutes === null ? null : world.now + step.inMinutes * minute,
      }
      const intake = { contacts: contactsOf(step.contacts), file_name: null }
      return yield* Effect.exit(test.batches((batches) => batches.create(caller, body, intake)))
    }
    case "agent": {
      const row = world.tables.agents.get(step.agent_id)
      assert(row !== undefined)
      const status = step.isActive ? ("ACTIVE" as const) : ("INACTIVE" as const)
      return world.write({ put: "agent", row: { ...row, status, revision: row.revision + 1 } })
    }
    case "wallet":
      return world.setBalance(step.balance)
    case "hours":
      return yield* Effect.exit(
        test.campaigns((campaigns) =>
          campaigns.patch(caller, campaignId, { working_hours: step.areGiven ? onlySaturday : {} }),
        ),
      )
    case "end":
      return yield* Effect.exit(
        test.campaigns((campaigns) =>
          campaigns.patch(caller, campaignId, { end_time: world.now + step.inMinutes * minute }),
        ),
      )
    case "pause":
    case "resume":
    case "cancel":
    case "revive": {
      const { kind } = step
      return yield* Effect.exit(test.campaigns((campaigns) => campaigns[kind](caller, campaignId)))
    }
    case "batch.pause":
    case "batch.resume":
    case "batch.stop": {
      const batchId = batchIds[step.nth % batchIds.length] ?? ""
      return yield* Effect.exit(
        test.batches((batches) =>
          step.kind === "batch.pause"
            ? batches.pause(caller, batchId)
            : step.kind === "batch.resume"
              ? batches.resume(caller, batchId)
              : batches.stop(caller, batchId),
        ),
      )
    }
  }
})

/** What an explanation counts is what is listed: each contact that waits stands under one reason, or could be dialled. */
const addsUp = Effect.fnUntraced(function* (test: Campaigning, campaignId: string) {
  const { world } = test
  const {
    at: moment,
    blocking,
    dialable,
    in_flight,
  } = yield* test.campaigns((campaigns) => campaigns.explain(organizationId, campaignId))
  const said = JSON.stringify({ blocking, dialable, in_flight })
  const listed = yield* test.contacts(campaignId)
  const stats = yield* test.stats(campaignId)
  const batchOf = new Map(
    world.tables.batches.ofCampaign(organizationId, campaignId).map((batch) => [batch.batch_id, batch]),
  )
  assert.strictEqual(in_flight, stats.in_flight_contacts, said)
  const inCall = listed.filter(({ status }) => status === "in_progress").length
  assert.strictEqual(in_flight, inCall, said)
  const left = listed.flatMap((each) => {
    const batch = batchOf.get(each.batch_id)
    const waits = ["pending", "retry_scheduled", "follow_up_scheduled"].includes(each.status)
    return batch !== undefined && waits ? [{ each, batch }] : []
  })
  const because = (reason: string) =>
    blocking.reduce((sum, each) => (each.reason === reason ? sum + each.contacts : sum), 0)
  const sum = blocking.reduce((total, { contacts }) => total + contacts, 0)
  assert.strictEqual(new Set(blocking.map(({ reason }) => reason)).size, blocking.length, `a reason twice: ${said}`)
  assert.include([left.length, left.length - dialable], sum, `${left.length} wait: ${said}`)
  if (blocking.some(({ reason }) => reason === "paused" || reason === "finished" || reason === "after_end")) {
    return assert.strictEqual(sum, left.length, said)
  }
  const count = (where: (one: (typeof left)[number]) => boolean) => left.filter(where).length
  const isBooked = ({ batch }: (typeof left)[number]) =>
    batch.status === "scheduled" && (batch.scheduled_at ?? 0) > moment
  assert.strictEqual(
    because("batch_paused"),
    count(({ batch }) => batch.status === "paused"),
    said,
  )
  assert.strictEqual(because("batch_not_due"), count(isBooked), said)
  const isOpen = (one: (typeof left)[number]) => one.batch.status !== "paused" && !isBooked(one)
  const stored = ({ each }: (typeof left)[number]) =>
    world.tables.contacts.get(each.batch_id, Number.parseInt(each.contact_id.split("_")[2] ?? "", 36))
  assert.strictEqual(
    because("number_busy"),
    count((one) => isOpen(one) && stored(one)?.waits_for_number === true),
    said,
  )
  const isAway = ({ batch }: (typeof left)[number]) => world.tables.agents.get(batch.agent_id)?.status !== "ACTIVE"
  const isClosed = world.tables.campaigns.get(campaignId)?.working_hours["saturday"] !== undefined
  const isDue = (one: (typeof left)[number]) => (stored(one)?.eligible_at ?? 0) <= moment
  const isOutside = (one: (typeof left)[number]) => isClosed && isDue(one) && stored(one)?.in_hours_only === true
  const isHeld = (one: (typeof left)[number]) => !isDue(one) && (stored(one)?.holds ?? 0) > 0
  assert.strictEqual(
    because("agent_inactive"),
    count(
      (one) =>
        isOpen(one) &&
        isAway(one) &&
        stored(one)?.waits_for_number !== true &&
        (isDue(one) || isHeld(one)) &&
        !isOutside(one),
    ),
    said,
  )
})

describe("an explanation", () => {
  it("counts whoever waits once, under what keeps it from being dialled", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(...Object.keys(outcomes)),
        fc.array(steps, { maxLength: 14 }),
        (contacts, outcome, script) =>
          Effect.gen(function* () {
            const world = new World({
              script: () => outcomes[outcome] ?? ending("completed"),
              rows: [{ put: "agent", row: { ...agent, agent_id: otherAgent, revision: 1 } }],
            })
            yield* world.start()
            const test = new Campaigning(world)
            const { campaign_id } = yield* test.create([...contactsOf(contacts), ...contactsOf(1)])
            for (const step of script) {
              yield* play(test, campaign_id, step)
              yield* addsUp(test, campaign_id)
            }
          }).pipe(Effect.scoped, Effect.runPromise),
      ),
      { numRuns: 100 },
    ))
})
