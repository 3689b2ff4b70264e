import { assert, describe, it } from "@effect/vitest"
import { type Call, Engine, Subscriptions } from "@carillon/core"
import { housekeepingWakeups, Wakeups } from "@carillon/core/ports"
import { Effect } from "effect"
import * as fc from "fast-check"
import { assertOver, laws } from "../../src/testing/world/Laws.ts"
import { law } from "../../src/testing/Law.ts"
import { numberOf, type Plan, plans, play, worldOf } from "../../src/testing/world/Plans.ts"
import { agentId, answerOf, away, caller, epoch, organizationId, type World } from "../../src/testing/world/World.ts"

/** Forgets every wake-up, claimed ones too, and sets them anew from the rows. */
const rebuild = (world: World): Effect.Effect<void> =>
  world.run(
    Effect.gen(function* () {
      world.tables.wakeups.clearAll()
      yield* Effect.orDie((yield* Engine).rebuildWakeups)
    }),
  )

/** Sets every wake-up for now, whenever its time may be. */
const hasten = (world: World): Effect.Effect<void> =>
  world.run(
    Effect.gen(function* () {
      const wakeups = yield* Wakeups
      const ahead = yield* wakeups.claimDue(world.now + 365 * dayMs, 1_000, { owner: "prc_hasty", ms: 1 })
      for (const { kind, subject } of ahead) yield* wakeups.setAnew({ kind, subject, at: world.now })
    }).pipe(Effect.orDie),
  )

/** Plays a plan in which the wake-ups are lost, or come early, at some moments, and returns every row as it ends. */
const outcomeOf = Effect.fnUntraced(function* (plan: Plan, moments: ReadonlyArray<number>, disturb = rebuild) {
  const world = worldOf(plan)
  yield* world.start()
  const look = laws(world, plan.ceiling)
  yield* play(
    world,
    plan,
    look,
    moments.map((at) => [at, disturb(world)] as const),
  )
  assertOver(world)
  const { items } = world.tables.calls.page(organizationId, {}, { page: 1, page_size: 1_000 })
  return items
})

const dayMs = 86_400_000

const losses = fc.array(fc.nat(250_000), { minLength: 1, maxLength: 3 })

/** Enough lines for everybody: who comes first does not matter then. */
const roomy = plans.map((plan): Plan => ({ ...plan, ceiling: plan.calls.length }))

const withoutFence = (call: Call) => ({ ...call, slot: call.slot === null ? null : { ...call.slot, fence: null } })

describe("wake-ups are hints", () => {
  it.effect("deletes all wake-ups, rebuilds them from the rows, and finds the same future", () =>
    law(
      fc.tuple(roomy, losses),
      Effect.fnUntraced(function* ([plan, at]) {
        const undisturbed = yield* outcomeOf(plan, [])
        const rebuilt = yield* outcomeOf(plan, at)
        assert.deepStrictEqual(rebuilt.map(withoutFence), undisturbed.map(withoutFence))
      }, Effect.scoped),
      { numRuns: 50 },
    ),
  )

  it.effect("comes early, and finds the same future", () =>
    law(
      fc.tuple(roomy, losses),
      Effect.fnUntraced(function* ([plan, at]) {
        const undisturbed = yield* outcomeOf(plan, [])
        const hastened = yield* outcomeOf(plan, at, hasten)
        assert.deepStrictEqual(hastened.map(withoutFence), undisturbed.map(withoutFence))
      }, Effect.scoped),
      { numRuns: 50 },
    ),
  )

  it.effect("comes early for a delivery and for facts that nobody tells, and both are seen to in time", () => {
    const times = Effect.fnUntraced(function* (isHasty: boolean) {
      const world = worldOf({ ceiling: 1, calls: [] })
      // The first three attempts of each event fail.
      const tried = new Map<string, number>()
      world.endpoints.react = ({ body }) => {
        const nth = (tried.get(body) ?? 0) + 1
        tried.set(body, nth)
        return { answer: { _tag: "Answered", http_status: nth < 4 ? 500 : 200 } }
      }
      yield* world.start()
      const subscription = { callback_url: "https://inbox.test/hook", agent_id: agentId, secret: null }
      yield* world.run(Effect.flatMap(Subscriptions, (service) => service.create(caller, subscription)))
      yield* world.place({ to_number: numberOf("withoutFinal") })
      for (let second = 0; second < 1_200; second += 5) {
        yield* world.advance(5_000)
        if (isHasty) yield* hasten(world)
      }
      const [call] = world.calls()
      return {
        processing: call?.processing,
        received: world.endpoints.received.map(({ at, request }) => [at, JSON.parse(request.body).event_type]),
      }
    }, Effect.scoped)
    return Effect.gen(function* () {
      const [calm, hasty] = [yield* times(false), yield* times(true)]
      assert.isNotNull(calm.processing?.completed_at)
      assert.isAbove(calm.received.length, 3)
      assert.deepStrictEqual(hasty, calm)
    })
  })

  it.effect("says whose it is, whoever sets it first", () =>
    Effect.gen(function* () {
      const world = worldOf({ ceiling: 2, calls: [] })
      const table = world.tables.wakeups
      const set = table.set.bind(table)
      /** Of each busy subject, whose it was when it was first set, and when it was first set again by a rebuild. */
      const whose: Array<{ readonly kind: string; readonly organization_id: string | undefined }> = []
      const known = new Set<string>()
      table.set = (wakeup) => {
        const { kind, organization_id, subject } = wakeup
        if (!housekeepingWakeups.has(kind) && !known.has(`${kind} ${subject}`)) whose.push({ kind, organization_id })
        known.add(`${kind} ${subject}`)
        set(wakeup)
      }
      yield* world.start()
      const subscription = { callback_url: "https://inbox.test/hook", agent_id: agentId, secret: null }
      yield* world.run(Effect.flatMap(Subscriptions, (service) => service.create(caller, subscription)))
      yield* world.place({ to_number: numberOf("withoutFinal") })
      yield* world.place({ to_number: numberOf("ordinary"), scheduled_at: epoch + 120_000 })
      yield* world.advance(60_000)
      known.clear()
      const before = whose.length
      yield* rebuild(world)
      assert.isAbove(whose.length, before)
      yield* world.advance(1_200_000)
      assert.deepStrictEqual(new Set(whose.map((one) => one.organization_id)), new Set([organizationId]))
      const kinds = new Set(whose.map(({ kind }) => kind))
      assert.includeMembers([...kinds], ["call", "processing", "delivery"])
    }).pipe(Effect.scoped),
  )

  it.effect("breaks no law and forgets nobody where lines are short", () =>
    law(
      fc.tuple(plans, losses),
      Effect.fnUntraced(function* ([plan, at]) {
        yield* outcomeOf(plan, at)
      }, Effect.scoped),
      { numRuns: 50 },
    ),
  )

  it.effect("starts no second wait for a call that waits in line already", () =>
    Effect.gen(function* () {
      const world = worldOf({ ceiling: 1, calls: [] })
      yield* world.start()
      const { call: first } = yield* world.placed({ to_number: numberOf("silentFromAnswer") })
      const scheduled_at = epoch + 120_000
      const { call: second } = yield* world.placed({ to_number: numberOf("ordinary"), scheduled_at })
      yield* world.advance(130_000)
      yield* rebuild(world)
      // The wait began when the call came due, and it ends 15 seconds later, however often it was looked at.
      yield* world.advance(4_999)
      assert.strictEqual(world.call(second.execution_id).status, "scheduled")
      yield* world.advance(1)
      assert.deepInclude(world.call(second.execution_id), {
        status: "rescheduled",
        scheduled_at: scheduled_at + 15_000 + 60_000,
      })
      assert.strictEqual(world.call(first.execution_id).status, "in-progress")
      assert.strictEqual(world.dials.length, 1)
    }),
  )

  it.effect("looks again at what could not be handled, and at nothing that is not due", () =>
    Effect.gen(function* () {
      let isAway = false
      const world = worldOf(
        { ceiling: 1, calls: [] },
        {
          interpose: (operation, effect) => (isAway && operation === "agents.find" ? away : effect),
        },
      )
      yield* world.start()
      const scheduled_at = epoch + 120_000
      const placing = yield* world.place({ to_number: numberOf("ordinary"), scheduled_at })
      yield* world.advance(0)
      const { call } = yield* answerOf(placing)
      world.tables.wakeups.set({ kind: "call", subject: call.execution_id, at: epoch + 60_000 })
      world.tables.wakeups.set({ kind: "call", subject: "exec_unknown", at: epoch + 60_000 })
      yield* world.advance(60_000)
      assert.strictEqual(world.call(call.execution_id).revision, 1)
      isAway = true
      yield* world.advance(66_000)
      assert.strictEqual(world.call(call.execution_id).status, "scheduled")
      isAway = false
      yield* world.advance(30_000)
      assert.strictEqual(world.call(call.execution_id).status, "completed")
      assert.strictEqual(world.dials.length, 1)
    }),
  )
})
