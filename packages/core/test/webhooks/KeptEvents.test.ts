import { assert, describe, it } from "@effect/vitest"
import { type CommittedEvent, type CursorLost, Deliveries, KeptEvents, limits, Subscriptions } from "@carillon/core"
import { eventTypes } from "@carillon/core/domain"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { law } from "../../src/testing/Law.ts"
import { laws } from "../../src/testing/world/Laws.ts"
import { plans, play, worldOf } from "../../src/testing/world/Plans.ts"
import { agentId, away, caller, organizationId, World } from "../../src/testing/world/World.ts"
import { eventIdOf } from "../../src/webhooks/rules/WebhookEvent.ts"

const read = (world: World, from: string) => world.run(Effect.flatMap(KeptEvents, (kept) => kept.read(from)))

/** Everything from there on, a page at a time. */
const readAll = Effect.fnUntraced(function* (world: World, from: string) {
  const found: Array<CommittedEvent> = []
  for (;;) {
    const page = yield* read(world, found.at(-1)?.cursor ?? from)
    if (page.length === 0) return found
    found.push(...page)
  }
})

const raised = (world: World): ReadonlyArray<string> =>
  world.commits.flatMap(({ events }) =>
    events.map(({ execution_id, sequence, type }) => eventIdOf(execution_id, type, sequence)),
  )

const idsOf = (events: ReadonlyArray<CommittedEvent>) => events.map(({ event_id }) => event_id)

const crashes = fc.array(fc.record({ use: fc.nat(120), happens: fc.boolean() }), { maxLength: 3 })

/** A world with one call that has come to its end, and its kept events. */
const afterOneCall = Effect.fnUntraced(function* () {
  const world = new World({ keepEvents: true })
  yield* world.start()
  yield* world.placed()
  yield* world.advance(30 * 60_000)
  return world
})

const lost = (world: World, from: string) =>
  Effect.map(Effect.flip(read(world, from)), (error) => (error as CursorLost).why)

describe("events that are kept for the host", () => {
  it.effect(
    "are all that were raised, in the order of their commits, wherever the engine dies and the reader begins again",
    () =>
      law(
        fc.tuple(plans, crashes, fc.infiniteStream(fc.nat(3))),
        Effect.fnUntraced(function* ([plan, at, steps]) {
          let uses = 0
          let nth = 0
          const world = worldOf(plan, {
            keepEvents: true,
            interpose: (operation, effect) => {
              const crash = at[nth]
              if (crash === undefined || operation === "deliveries.kept" || uses++ < crash.use) return effect
              nth += 1
              uses = 0
              const end = Effect.andThen(
                Effect.sync(() => world.kill()),
                Effect.never,
              )
              return crash.happens ? Effect.andThen(effect, end) : end
            },
          })
          yield* world.start()
          yield* play(world, plan, laws(world, plan.ceiling))
          const all = yield* readAll(world, "oldest")
          assert.deepStrictEqual(idsOf(all), raised(world))
          // A reader that handles some of what it reads and dies before it keeps the cursor of the last ones.
          const handled: Array<string> = []
          let cursor = "oldest"
          for (;;) {
            const page = yield* read(world, cursor)
            if (page.length === 0) break
            const { value: step } = steps.next()
            const kept = page.slice(0, 1 + (step ?? 0))
            handled.push(...idsOf(page))
            cursor = kept.at(-1)?.cursor ?? cursor
          }
          assert.deepStrictEqual([...new Set(handled)], raised(world))
        }, Effect.scoped),
        { numRuns: 60 },
      ),
  )

  it.effect("are the same that webhooks carry, to the byte, and are there without one", () =>
    Effect.gen(function* () {
      const silent = yield* afterOneCall()
      const events = yield* readAll(silent, "oldest")
      assert.deepStrictEqual(
        events.map(({ event_type }) => event_type),
        ["call_ringing", "call_started", "call_completed", "platform_analysis_completed", "all_processing_completed"],
      )
      assert.strictEqual(silent.endpoints.received.length, 0)

      const heard = new World({ keepEvents: true })
      yield* heard.start()
      yield* heard.run(
        Effect.flatMap(Subscriptions, (all) =>
          all.create(caller, {
            agent_id: agentId,
            callback_url: "https://93.184.216.34/hook",
            event_types: [...eventTypes],
          }),
        ),
      )
      yield* heard.placed()
      yield* heard.advance(30 * 60_000)
      assert.sameMembers(
        (yield* readAll(heard, "oldest")).map(({ body }) => body),
        heard.endpoints.received.map(({ request }) => request.body),
      )
    }).pipe(Effect.scoped),
  )

  it.effect("are kept where nobody could say who listens, and where nobody does", () =>
    Effect.gen(function* () {
      let isAway = true
      const world = new World({
        keepEvents: true,
        interpose: (operation, effect) => (isAway && operation === "subscriptions.listeners" ? away : effect),
      })
      yield* world.start()
      yield* world.placed()
      yield* world.advance(60_000)
      const events = yield* readAll(world, "oldest")
      assert.deepStrictEqual(idsOf(events), raised(world))
      isAway = false
      yield* world.advance(60_000)
      const [first] = events
      assert(first !== undefined)
      yield* world.run(Effect.flatMap(Deliveries, (deliveries) => deliveries.route(first.event_id)))
      const row = world.tables.webhooks.event(first.event_id)
      assert.isNotNull(row?.routed_at)
      assert.deepStrictEqual((yield* readAll(world, "oldest")).slice(0, events.length), events)
    }).pipe(Effect.scoped),
  )

  it.effect("lose no cursor in silence", () =>
    Effect.gen(function* () {
      const world = yield* afterOneCall()
      const events = yield* readAll(world, "oldest")
      const [first, second] = events
      const last = events.at(-1)
      assert(first !== undefined && second !== undefined && last !== undefined)
      assert.deepStrictEqual(yield* read(world, first.cursor), events.slice(1))
      assert.deepStrictEqual(yield* read(world, last.cursor), [])
      assert.deepStrictEqual(yield* read(world, "newest"), [])
      for (const cursor of [
        "",
        "1",
        "now",
        "0.evt_1",
        `${events.length + 1}.${last.event_id}`,
        `1.${second.event_id}`,
      ]) {
        assert.strictEqual(yield* lost(world, cursor), "unknown", cursor)
      }
      const discard = (id: string) => ({ put: "discard", organization_id: organizationId, kind: "event", id }) as const
      world.write(discard(first.event_id))
      // Its own event may expire: what comes after it is there.
      assert.deepStrictEqual(yield* read(world, first.cursor), events.slice(1))
      world.write(discard(second.event_id))
      assert.strictEqual(yield* lost(world, first.cursor), "forgotten")
      assert.deepStrictEqual(yield* readAll(world, "oldest"), events.slice(2))
      for (const { event_id } of events.slice(2)) world.write(discard(event_id))
      assert.deepStrictEqual(yield* read(world, last.cursor), [])
      yield* world.placed()
      yield* world.advance(60_000)
      assert.strictEqual((yield* read(world, last.cursor)).at(0)?.event_type, "call_ringing")
      assert.strictEqual(yield* lost(world, second.cursor), "forgotten")
    }).pipe(Effect.scoped),
  )

  it.effect("come to a stream as they are committed, which waits while the store is away", () =>
    Effect.gen(function* () {
      let isAway = false
      const world = new World({
        keepEvents: true,
        interpose: (operation, effect) => (isAway && operation.startsWith("deliveries.") ? away : effect),
      })
      yield* world.start()
      const kept = world.service(KeptEvents)
      const came: Array<CommittedEvent> = []
      const reader = yield* Effect.forkChild(
        Stream.runForEach(kept.stream("oldest"), (event) => Effect.sync(() => came.push(event))),
      )
      const look = TestClock.adjust(limits.keptEventsLookMs + limits.keptEventsRetryMs)
      yield* look
      assert.lengthOf(came, 0)
      yield* world.placed()
      yield* world.advance(2_000)
      yield* look
      assert.deepStrictEqual(idsOf(came), raised(world))
      isAway = true
      yield* look
      yield* world.advance(60_000)
      yield* look
      isAway = false
      yield* look
      assert.deepStrictEqual(idsOf(came), raised(world))
      assert.isAbove(came.length, 1)
      yield* Fiber.interrupt(reader)
    }).pipe(Effect.scoped),
  )

  it.effect("are not there without being asked for, and a reader is told so", () =>
    Effect.gen(function* () {
      const world = new World()
      yield* world.start()
      yield* world.placed()
      yield* world.advance(60_000)
      const exit = yield* Effect.exit(read(world, "oldest"))
      assert.include(String(exit), "keepEvents: true")
      assert.isFalse(yield* world.run(Effect.flatMap(KeptEvents, ({ areThere }) => areThere)))
      assert.strictEqual(world.tables.webhooks.size, 0)
    }).pipe(Effect.scoped),
  )
})
