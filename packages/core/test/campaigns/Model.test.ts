import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as fc from "fast-check"
import type { Call, DialCommand } from "@carillon/core"
import { type CampaignBody, isRetryTrigger, isTerminal } from "@carillon/core/domain"
import { placeOf } from "@carillon/core/ports"
import { campaigning, type Campaigning, contactsOf, ending, fold } from "../../src/testing/world/Campaigning.ts"
import { caller, type Script } from "../../src/testing/world/World.ts"

const minute = 60_000

const outcomes = ["completed", "busy", "no-answer", "failed", "invalid", "unknown", "never", "throttled"] as const

const scriptFor = (outcome: (typeof outcomes)[number]): Script => {
  switch (outcome) {
    case "invalid":
      return { outcome: { _tag: "Refused", kind: "invalid_destination" } }
    case "throttled":
      return { outcome: { _tag: "Refused", kind: "throttled", retryAfterSeconds: 1 } }
    case "unknown":
      return { acknowledgementMs: 3_600_000, asked: { _tag: "Unknown" } }
    case "never":
      return { acknowledgementMs: 3_600_000, asked: { _tag: "NeverDialled" } }
    default:
      return ending(outcome, 40)
  }
}

/** Two lists that repeat: how each contact's calls go, one after another. */
const plans = fc.array(fc.array(fc.constantFrom(...outcomes), { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 6,
})

const policies = fc.record({
  max_retries: fc.integer({ min: 0, max: 3 }),
  follow_up: fc.boolean(),
  max_attempts: fc.integer({ min: 1, max: 2 }),
})

type Policy = typeof policies extends fc.Arbitrary<infer A> ? A : never

const steps = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("advance" as const), ms: fc.integer({ min: 0, max: 90 * minute }) }),
  },
  { weight: 4, arbitrary: fc.constantFrom({ kind: "pause" as const }, { kind: "resume" as const }) },
  { weight: 2, arbitrary: fc.constantFrom({ kind: "cancel" as const }, { kind: "revive" as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("retries" as const), max_retries: fc.integer({ min: 0, max: 3 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("end" as const), ms: fc.integer({ min: minute, max: 240 * minute }) }),
  },
)

type Step = typeof steps extends fc.Arbitrary<infer A> ? A : never

interface ModelContact {
  status: "pending" | "in_progress" | "retry_scheduled" | "follow_up_scheduled" | "completed" | "failed"
  attempts: number
  retries: number
  followUps: number
  reached: boolean
  endedAt: number
}

/** The contacts as the specification describes them, from nothing but calls and commands. */
class Model {
  readonly contacts: Array<ModelContact>
  readonly #calls = new Map<string, Call>()
  readonly #ended = new Set<string>()
  policy: Policy
  cancelled = false

  constructor(count: number, policy: Policy) {
    this.policy = policy
    this.contacts = Array.from({ length: count }, () => ({
      status: "pending",
      attempts: 0,
      retries: 0,
      followUps: 0,
      reached: false,
      endedAt: 0,
    }))
  }

  calls(): ReadonlyArray<Call> {
    return [...this.#calls.values()]
  }

  observe(commit: Parameters<typeof fold>[1]): void {
    for (const change of commit.changes) {
      if (change.put === "erased_call") this.#undo(change.call)
      if (change.put !== "call") continue
      const call = change.row
      const contact = this.#contactOf(call)
      if (!this.#calls.has(call.execution_id)) {
        assert.include(["pending", "retry_scheduled", "follow_up_scheduled"], contact.status)
        contact.attempts += 1
        if (contact.status === "retry_scheduled") {
          contact.retries += 1
          assert.isAtLeast(call.created_at, contact.endedAt + 15 * minute)
        }
        if (contact.status === "follow_up_scheduled") {
          contact.followUps += 1
          assert.isAtLeast(call.created_at, contact.endedAt + 60 * minute)
        }
        contact.status = "in_progress"
      }
      this.#calls.set(call.execution_id, call)
      if (isTerminal(call.status) && !this.#ended.has(call.execution_id)) {
        this.#ended.add(call.execution_id)
        this.#end(contact, call)
      }
    }
  }

  #contactOf(call: Call): ModelContact {
    const contact = this.contacts[placeOf(call.contact_id ?? "")?.row ?? -1]
    assert(contact !== undefined)
    return contact
  }

  #undo(call: Call): void {
    const contact = this.#contactOf(call)
    this.#calls.delete(call.execution_id)
    contact.attempts -= 1
    contact.status = call.is_follow_up ? "follow_up_scheduled" : call.retry_count > 0 ? "retry_scheduled" : "pending"
    if (contact.status === "retry_scheduled") contact.retries -= 1
    if (contact.status === "follow_up_scheduled") contact.followUps -= 1
  }

  #end(contact: ModelContact, call: Call): void {
    contact.endedAt = call.completed_at ?? 0
    if (call.status === "completed") contact.reached = true
    const wasNeverHeardOf = call.dial === "unconfirmed"
    const failed = isRetryTrigger(call.status) && !wasNeverHeardOf && !this.cancelled
    if (failed && !call.is_follow_up && contact.retries < this.policy.max_retries) contact.status = "retry_scheduled"
    else if (failed && this.policy.follow_up && contact.followUps < this.policy.max_attempts) {
      contact.status = "follow_up_scheduled"
    } else contact.status = contact.reached ? "completed" : "failed"
  }
}

const count = <A>(items: ReadonlyArray<A>, where: (item: A) => boolean): number => items.filter(where).length

/** Everything that is told of the campaign agrees with the model. */
const agree = Effect.fnUntraced(function* (test: Campaigning, campaignId: string, model: Model, before: number) {
  const stats = yield* test.stats(campaignId)
  const record = yield* test.find(campaignId)
  const listed = yield* test.contacts(campaignId)
  const { contacts } = model
  const calls = model.calls()
  const completed = count(contacts, ({ reached }) => reached)
  const in_flight = count(contacts, ({ status, reached }) => status === "in_progress" && !reached)
  const failed = count(contacts, ({ status }) => status === "failed")
  assert.deepStrictEqual(stats.outcome_counts, {
    completed,
    failed,
    in_flight,
    pending: contacts.length - completed - failed - in_flight,
    total: contacts.length,
  })
  assert.isAtLeast(completed, before)
  assert.strictEqual(
    stats.contacts_dialled,
    count(contacts, ({ attempts }) => attempts > 0),
  )
  assert.strictEqual(
    stats.contact_counts.in_progress,
    count(contacts, ({ status }) => status === "in_progress"),
  )
  assert.strictEqual(stats.total_call_attempts, calls.length)
  assert.strictEqual(
    stats.follow_up_attempts,
    count(calls, (call) => call.is_follow_up),
  )
  const depths: { [depth: string]: number } = {}
  for (const call of calls) if (!call.is_follow_up) depths[call.retry_count] = (depths[call.retry_count] ?? 0) + 1
  assert.deepStrictEqual(stats.retry_breakdown, depths)
  const withStatus = (...statuses: ReadonlyArray<string>) => count(calls, (call) => statuses.includes(call.status))
  assert.deepStrictEqual(
    [record.completed_calls, record.failed_calls, record.busy_calls, record.no_answer_calls, record.in_progress_calls],
    [
      withStatus("completed"),
      withStatus("failed", "error", "call-disconnected"),
      withStatus("busy"),
      withStatus("no-answer"),
      count(calls, (call) => !isTerminal(call.status)),
    ],
  )
  const waiting = (status: string) => status.endsWith("_scheduled") || status === "pending"
  assert.deepStrictEqual(
    listed.map(({ status, attempts, retry_count, follow_up_count }) => [
      status,
      attempts,
      retry_count,
      follow_up_count,
    ]),
    contacts.map(({ status, attempts, retries, followUps }) => [
      model.cancelled && waiting(status) ? "skipped" : status,
      attempts,
      retries,
      followUps,
    ]),
  )
  return completed
})

const follow = Effect.fnUntraced(function* (
  plan: ReadonlyArray<ReadonlyArray<(typeof outcomes)[number]>>,
  size: number,
  policy: Policy,
  script: ReadonlyArray<Step>,
) {
  const dialled = new Map<string, number>()
  const test = yield* campaigning((command: DialCommand) => {
    const row = placeOf(command.contact_id ?? "")?.row ?? 0
    const outcomesOf = plan[row % plan.length]!
    const key = command.execution_id
    const nth = dialled.get(key) ?? command.retry_count
    dialled.set(key, nth)
    return scriptFor(outcomesOf[nth % outcomesOf.length]!)
  })
  const model = new Model(size, policy)
  let status = "created"
  let endsAt = Infinity
  test.world.tables.onCommit((commit) => {
    for (const change of commit.changes) {
      if (change.put === "call" && change.row.revision === 1) {
        assert.include(["created", "active"], status, "dialled while it may not")
        assert.isBelow(change.row.created_at, endsAt, "dialled after its end")
      }
      if (change.put === "campaign") status = change.row.status
    }
    model.observe(commit)
  })
  const { campaign_id } = yield* test.create(contactsOf(size), {
    retry_policy: { max_retries: policy.max_retries },
    follow_up_policy: { enabled: policy.follow_up, max_attempts: policy.max_attempts, cooldown_minutes: 60 },
  })
  let completed = 0
  const patch = (body: CampaignBody) => test.campaigns((campaigns) => campaigns.patch(caller, campaign_id, body))
  const play = Effect.fnUntraced(function* (step: Step) {
    switch (step.kind) {
      case "advance":
        return yield* test.world.advance(step.ms)
      case "retries": {
        const done = yield* Effect.exit(patch({ retry_policy: { max_retries: step.max_retries } }))
        if (Exit.isSuccess(done)) model.policy = { ...model.policy, max_retries: step.max_retries }
        return
      }
      case "end": {
        const end_time = test.world.now + step.ms
        if (Exit.isSuccess(yield* Effect.exit(patch({ end_time })))) endsAt = end_time
        return
      }
      case "cancel": {
        const done = yield* Effect.exit(test.campaigns((campaigns) => campaigns.cancel(caller, campaign_id)))
        if (Exit.isSuccess(done)) model.cancelled = true
        return
      }
      case "revive": {
        const done = yield* Effect.exit(test.campaigns((campaigns) => campaigns.revive(caller, campaign_id)))
        if (Exit.isSuccess(done)) model.cancelled = false
        return
      }
      default:
        yield* Effect.exit(test.campaigns((campaigns) => campaigns[step.kind](caller, campaign_id)))
    }
  })
  for (const step of script) {
    yield* play(step)
    completed = yield* agree(test, campaign_id, model, completed)
  }
  // Left alone, it comes to an end. What was cancelled cannot be edited, and what has expired is not to be revived before it is.
  endsAt = Infinity
  yield* play({ kind: "revive" })
  yield* Effect.exit(patch({ end_time: null }))
  yield* play({ kind: "resume" })
  yield* test.world.advance(5 * 24 * 60 * minute)
  yield* agree(test, campaign_id, model, completed)
  assert.strictEqual((yield* test.find(campaign_id)).in_progress_calls, 0)
  for (const { status } of model.contacts) assert.include(["completed", "failed"], status)
})

describe("a campaign under random commands", () => {
  it("agrees with a model of its contacts at every step", () =>
    fc.assert(
      fc.asyncProperty(
        plans,
        fc.integer({ min: 1, max: 30 }),
        policies,
        fc.array(steps, { maxLength: 12 }),
        (plan, size, policy, script) => Effect.runPromise(Effect.scoped(follow(plan, size, policy, script))),
      ),
      { numRuns: 30 },
    ))
})
