import { assert, describe, it } from "@effect/vitest"
import {
  Agents,
  type Call,
  Calls,
  Erasure,
  Experiments,
  Numbers,
  Organizations,
  Suppressions,
  Usage,
} from "@carillon/core"
import { type CampaignBody, isTerminal } from "@carillon/core/domain"
import { Effect } from "effect"
import * as fc from "fast-check"
import { isFinishedBatch } from "../../src/batches/rules/BatchStatus.ts"
import { law } from "../../src/testing/Law.ts"
import { Campaigning, contactsOf, ending, numberOf } from "../../src/testing/world/Campaigning.ts"
import {
  agent,
  agentId,
  caller,
  epoch,
  organizationId,
  request,
  type Script,
  World,
} from "../../src/testing/world/World.ts"

const minute = 60_000

const otherAgent = "agt_other"

const outcomes: ReadonlyArray<Script> = [
  ending("completed", 50),
  ending("completed", 600),
  ending("busy", 20),
  ending("no-answer", 30),
  { outcome: { _tag: "Refused", kind: "unreachable" } },
  { outcome: { _tag: "Refused", kind: "invalid_destination" } },
  { acknowledgementMs: 60 * minute, asked: { _tag: "NeverDialled" } },
  {
    end: { status: "busy" },
    reports: [
      [300, "initiated"],
      [2_000, "recovered"],
      [5_000, "ended"],
      [6_000, "final"],
    ],
  },
]

/** Two campaigns that share an organization and call the same people. */
interface Scene {
  readonly test: Campaigning
  readonly campaignIds: ReadonlyArray<string>
}

/** Does one thing to the scene; the number chooses to what, and how. What is refused changes nothing. */
type Deed = (scene: Scene, nth: number) => Effect.Effect<unknown, unknown>

const campaignOf = ({ campaignIds }: Scene, nth: number): string => campaignIds[nth % campaignIds.length] ?? ""

const batchOf = (scene: Scene, nth: number): string => {
  const batches = scene.test.world.tables.batches.ofCampaign(organizationId, campaignOf(scene, nth))
  return batches[Math.floor(nth / 2) % Math.max(1, batches.length)]?.batch_id ?? ""
}

const openings = { start: "10:00", end: "10:30", enabled: true }
const hours = { monday: openings, tuesday: openings }

const edits = (now: number): ReadonlyArray<CampaignBody> => [
  { max_concurrent_calls: 1 },
  { max_concurrent_calls: null },
  { end_time: now + 20 * minute },
  { end_time: null },
  { start_time: now + 7 * minute },
  { working_hours: hours },
  { working_hours: hours, working_hours_enforced: true },
  { working_hours: {}, working_hours_enforced: false },
  { follow_up_policy: { enabled: true, cooldown_minutes: 5, max_attempts: 2 } },
  { follow_up_policy: { enabled: true, cooldown_minutes: 3, follow_up_agent_id: otherAgent } },
  { follow_up_policy: { enabled: false } },
  { retry_policy: { max_retries: 0 } },
]

const forAll = {
  agent_id: null,
  campaign_id: null,
  reason: "opt_out" as const,
  source: null,
  note: null,
  expires_at: null,
}

const steered =
  (what: "pause" | "resume" | "cancel" | "revive" | "remove"): Deed =>
  (scene, nth) =>
    scene.test.campaigns((campaigns) => Effect.asVoid(campaigns[what](caller, campaignOf(scene, nth))))

const steeredBatch =
  (what: "pause" | "resume" | "stop"): Deed =>
  (scene, nth) =>
    scene.test.batches((batches) => batches[what](caller, batchOf(scene, nth)))

const ofCampaigns: Readonly<Record<string, Deed>> = {
  "campaign.pause": steered("pause"),
  "campaign.resume": steered("resume"),
  "campaign.cancel": steered("cancel"),
  "campaign.revive": steered("revive"),
  "campaign.remove": steered("remove"),
  "campaign.edit": (scene, nth) =>
    scene.test.campaigns((campaigns) =>
      campaigns.patch(caller, campaignOf(scene, nth), edits(scene.test.world.now)[nth] ?? {}),
    ),
  "campaign.append": (scene, nth) =>
    scene.test.campaigns((campaigns) =>
      campaigns.append(caller, campaignOf(scene, nth), { contacts: contactsOf(1 + (nth % 4)), file_name: null }),
    ),
  "batch.pause": steeredBatch("pause"),
  "batch.resume": steeredBatch("resume"),
  "batch.stop": steeredBatch("stop"),
  "batch.schedule": (scene, nth) =>
    scene.test.batches((batches) => batches.schedule(caller, batchOf(scene, nth), scene.test.world.now + 5 * minute)),
  "batch.create": (scene, nth) =>
    scene.test.batches((batches) =>
      batches.create(
        caller,
        {
          agent_id: nth % 3 === 0 ? otherAgent : agentId,
          campaign_id: campaignOf(scene, nth),
          scheduled_at: nth % 4 === 0 ? scene.test.world.now + 4 * minute : null,
          retry_policy: nth % 5 === 0 ? { max_retries: 1, base_delay_minutes: 3 } : null,
        },
        { contacts: contactsOf(1 + (nth % 4), nth % 3), file_name: null },
      ),
    ),
}

const ofOthers: Readonly<Record<string, Deed>> = {
  agent: ({ test }, nth) =>
    test.world.run(
      Effect.flatMap(Agents, (agents) =>
        agents[nth % 2 === 0 ? "deploy" : "undeploy"](caller, nth % 4 < 2 ? agentId : otherAgent),
      ),
    ),
  experiment: ({ test }, nth) =>
    test.world.run(
      Effect.gen(function* () {
        const experiments = yield* Experiments
        const { items } = yield* experiments.page(organizationId, agentId, null, { page: 1, page_size: 1 })
        const [first] = items
        if (first !== undefined) {
          const status = nth % 2 === 0 ? "paused" : "active"
          return void (yield* experiments.patch(caller, agentId, first.version_id, { status }))
        }
        const body = { variant_agent_id: otherAgent, version_name: "B", variant_traffic_pct: 50 }
        yield* experiments.create(caller, agentId, { ...body, status: "active" })
      }),
    ),
  wallet: ({ test }, nth) =>
    test.world.run(
      Effect.flatMap(Organizations, (organizations) =>
        organizations.change(organizationId, { wallet: { balance: nth % 3 === 0 ? 0 : 100, currency: "USD" } }),
      ),
    ),
  limits: ({ test }, nth) =>
    test.world.run(
      Effect.flatMap(Organizations, (organizations) =>
        organizations.change(organizationId, {
          concurrency: { organization: 1 + (nth % 4), per_agent: nth % 3 === 0 ? 1 : null, enforced: true },
        }),
      ),
    ),
  suppression: ({ test }, nth) =>
    test.world.run(
      Effect.flatMap(Suppressions, (suppressions) =>
        nth % 3 === 0
          ? Effect.asVoid(suppressions.remove(caller, [numberOf(nth % 4)], forAll))
          : Effect.asVoid(suppressions.add(caller, [numberOf(nth % 4)], forAll)),
      ),
    ),
  erasure: ({ test }, nth) =>
    test.world.run(Effect.flatMap(Erasure, (erasure) => erasure.erase(organizationId, numberOf(nth % 4)))),
  number: ({ test }, nth) =>
    test.world.run(
      Effect.gen(function* () {
        const numbers = yield* Numbers
        if (nth % 2 === 0) return void (yield* numbers.register(caller, "+15550001111", {}))
        const { items } = yield* numbers.page(organizationId, { page: 1, page_size: 1 })
        yield* numbers.release(caller, items[0]?.number.phone_number_id ?? "")
      }),
    ),
  call: ({ test }, nth) =>
    test.world.admit(
      Effect.flatMap(Calls, (calls) =>
        calls.place(
          caller,
          request({
            to_number: numberOf(nth % 4),
            scheduled_at: nth % 2 === 0 ? null : test.world.now + 3 * minute,
          }),
        ),
      ),
    ),
  hangUp: ({ test }, nth) => {
    const live = test.world.calls().filter(({ status }) => !isTerminal(status))
    const one = live[nth % Math.max(1, live.length)]
    return one === undefined ? Effect.void : test.world.stop(one.execution_id)
  },
}

const deeds = { ...ofCampaigns, ...ofOthers }

const script = fc.array(
  fc.record({
    deed: fc.constantFrom(...Object.keys(deeds)),
    nth: fc.nat({ max: 11 }),
    thenMs: fc.oneof(fc.constant(0), fc.nat({ max: minute }), fc.nat({ max: 20 * minute })),
  }),
  { minLength: 3, maxLength: 20 },
)

const count = <A>(items: ReadonlyArray<A>, where: (item: A) => boolean): number => items.filter(where).length

/** Each contact shows its calls, and each call which attempt it is. */
const contactsAgree = Effect.fnUntraced(function* ({ test }: Scene, campaignId: string, calls: ReadonlyArray<Call>) {
  const listed = yield* test.contacts(campaignId)
  for (const contact of listed) {
    const own = calls.filter(({ contact_id }) => contact_id === contact.contact_id)
    const said = JSON.stringify([contact, own.map(({ execution_id, status }) => [execution_id, status])])
    assert.strictEqual(contact.attempts, own.length, said)
    const followUps = count(own, (call) => call.is_follow_up)
    assert.strictEqual(contact.follow_up_count, followUps, said)
    assert.strictEqual(contact.retry_count, Math.max(0, own.length - followUps - 1), said)
    own.forEach((call, nth) => {
      assert.strictEqual(call.retry_count, nth, said)
      assert.strictEqual(call.parent_execution_id, nth === 0 ? null : own[0]?.execution_id, said)
    })
    if (contact.status === "in_progress") continue
    const last = own.at(-1)
    assert.strictEqual(contact.last_execution_id, last?.execution_id ?? null, said)
    assert.strictEqual(contact.last_status, last?.status ?? null, said)
    if (contact.next_attempt_at !== null) assert.isAtLeast(contact.next_attempt_at, test.world.now, said)
  }
  return listed
})

/** Each batch counts its contacts and calls, and stands where they have brought it. */
const batchesAgree = Effect.fnUntraced(function* ({ test }: Scene, campaignId: string, calls: ReadonlyArray<Call>) {
  const listed = yield* test.contacts(campaignId)
  const page = { page: 1, page_size: 100 }
  const { items } = yield* test.campaigns((campaigns) => campaigns.batches(organizationId, campaignId, page))
  for (const batch of items) {
    const own = listed.filter(({ batch_id }) => batch_id === batch.batch_id)
    const said = JSON.stringify([batch, own])
    const parts =
      batch.pending_contacts +
      batch.in_progress_contacts +
      batch.completed_contacts +
      batch.failed_contacts +
      batch.skipped_contacts
    assert.deepStrictEqual([parts, own.length], [batch.total_contacts, batch.total_contacts], said)
    assert.strictEqual(
      Object.values(batch.execution_status).reduce((sum, each) => sum + each, 0),
      count(calls, ({ batch_id }) => batch_id === batch.batch_id),
      said,
    )
    assert.strictEqual(batch.completed_at !== null, isFinishedBatch(batch.status), said)
    for (const { attempts, status } of own) {
      if (batch.status === "completed") assert.include(["completed", "failed", "skipped"], status, said)
      // Whoever was erased before its first dial is left out, and so is whose number must not be called.
      const isLeftOut = status === "skipped" || status === "failed"
      if (batch.status === "dispatched") assert.isTrue(attempts > 0 || isLeftOut, said)
    }
  }
})

/** What is counted of a campaign is what is listed of it. */
const campaignAgrees = Effect.fnUntraced(function* (scene: Scene, campaignId: string) {
  const { test } = scene
  const calls = test.world.calls().filter(({ campaign_id }) => campaign_id === campaignId)
  const listed = yield* contactsAgree(scene, campaignId, calls)
  yield* batchesAgree(scene, campaignId, calls)
  const stats = yield* test.stats(campaignId)
  const { completed, failed, in_flight, pending, total } = stats.outcome_counts
  const reached = new Set(calls.flatMap(({ contact_id, status }) => (status === "completed" ? [contact_id] : [])))
  assert.deepStrictEqual(
    [total, completed + failed + in_flight + pending, completed, failed],
    [listed.length, listed.length, reached.size, count(listed, ({ status }) => status === "failed")],
  )
  assert.deepStrictEqual(
    [stats.contacts_dialled, stats.total_call_attempts, stats.follow_up_attempts],
    [count(listed, ({ attempts }) => attempts > 0), calls.length, count(calls, (call) => call.is_follow_up)],
  )
  const { completed_calls, in_progress_calls } = yield* test.find(campaignId)
  assert.deepStrictEqual(
    [completed_calls, in_progress_calls],
    [count(calls, ({ status }) => status === "completed"), count(calls, ({ status }) => !isTerminal(status))],
  )
})

const usageAgrees = Effect.fnUntraced(function* ({ test: { world } }: Scene) {
  const range = { from_date: epoch - 1, to_date: world.now + 1 }
  const { total } = yield* world.run(Effect.flatMap(Usage, (usage) => usage.report(organizationId, range)))
  const calls = world.calls()
  const byStatus: { [status in Call["status"]]?: number } = {}
  for (const { status } of calls) byStatus[status] = (byStatus[status] ?? 0) + 1
  assert.deepStrictEqual([total.calls, total.status_counts], [calls.length, byStatus])
})

describe("campaigns to which everything is done", () => {
  it.effect("count at every moment what is listed of them", () =>
    law(
      fc.tuple(fc.array(fc.constantFrom(...outcomes), { minLength: 1, maxLength: 3 }), script),
      Effect.fnUntraced(function* ([plan, acts]) {
        let nth = 0
        const world = new World({
          script: () => plan[nth++ % plan.length] ?? ending("completed"),
          rows: [{ put: "agent", row: { ...agent, agent_id: otherAgent, revision: 1 } }],
          organization: { concurrency: { organization: 3, per_agent: null, enforced: true } },
        })
        yield* world.start()
        const test = new Campaigning(world)
        const first = yield* test.create([...contactsOf(3), ...contactsOf(1)], {
          retry_policy: { base_delay_minutes: 2 },
        })
        const second = yield* test.create([], { follow_up_policy: { enabled: true, cooldown_minutes: 4 } })
        const scene: Scene = { test, campaignIds: [first.campaign_id, second.campaign_id] }
        for (const { deed, nth: chosen, thenMs } of acts) {
          yield* Effect.ignore(deeds[deed]?.(scene, chosen) ?? Effect.void)
          yield* world.advance(thenMs)
          for (const campaignId of scene.campaignIds) yield* campaignAgrees(scene, campaignId)
          yield* usageAgrees(scene)
        }
      }, Effect.scoped),
      { numRuns: 40 },
    ),
  )
})
