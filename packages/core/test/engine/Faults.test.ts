import { assert, describe, it } from "@effect/vitest"
import { DependencyTimeout, limits } from "@carillon/core"
import type { WakeupKind } from "@carillon/core/ports"
import { Effect, Exit } from "effect"
import * as fc from "fast-check"
import { assertOver, laws } from "../../src/testing/world/Laws.ts"
import { law } from "../../src/testing/Law.ts"
import { numberOf, plans, play, worldOf } from "../../src/testing/world/Plans.ts"
import type { Interposition } from "../../src/testing/world/World.ts"
import { answerOf, away, epoch, type World } from "../../src/testing/world/World.ts"

/** The question arrived and was acted on, and the answer is lost. */
const unheard = (effect: Effect.Effect<unknown, unknown>) =>
  Effect.andThen(effect, Effect.fail(new DependencyTimeout({ dependency: "call_storage" })))

/** What can fail: the carrier's port has answers of its own for that. */
const isFallible = (operation: string): boolean => !operation.startsWith("telephony.")

const failing =
  (isBroken: (operation: string) => boolean): Interposition =>
  (operation, effect) =>
    isFallible(operation) && isBroken(operation) ? away : effect

const wakeupsOf = (world: World): ReadonlyArray<WakeupKind> =>
  world.tables.wakeups.claimDue(Infinity, 100, { owner: "test", ms: 0 }).map((claim) => claim.kind)

describe("a fault at any one use of a port", () => {
  for (const [name, fault] of [
    ["nothing happens", () => away],
    ["it happens and the answer is lost", unheard],
  ] as const) {
    it.effect(`leaves every call with an end and no line behind: ${name}`, () =>
      Effect.gen(function* () {
        for (let use = 0; ; use++) {
          let uses = 0
          const struck: Array<string> = []
          const world = worldOf(
            { ceiling: 1, calls: [] },
            {
              interpose: (operation, effect) => {
                if (!isFallible(operation) || uses++ !== use) return effect
                struck.push(operation)
                return fault(effect)
              },
            },
          )
          yield* world.start()
          const look = laws(world, 1)
          yield* world.place({ to_number: numberOf("withoutFinal") })
          yield* world.place({ to_number: numberOf("recovered"), scheduled_at: epoch + 120_000 })
          yield* world.advance(3_600_000, look)
          assertOver(world)
          assert.deepStrictEqual(wakeupsOf(world), [], `after ${struck[0]} failed`)
          if (struck.length === 0) {
            assert.isAbove(use, 60)
            return
          }
        }
      }).pipe(Effect.scoped),
    )
  }
})

describe("outages", () => {
  const ports = ["store", "calls", "agents", "accounts", "wakeups", "slots"] as const

  it.effect("of any ports at any time exceed no ceiling, ring nobody twice, and once over, lose nobody", () =>
    law(
      fc.record({
        plan: plans,
        outages: fc.array(
          fc.record({
            port: fc.constantFrom(...ports),
            from: fc.nat(150_000),
            lasts: fc.integer({ min: 1, max: 60_000 }),
          }),
          { minLength: 1, maxLength: 4 },
        ),
      }),
      Effect.fnUntraced(function* ({ plan, outages }) {
        const world: World = worldOf(plan, {
          interpose: failing((operation) =>
            outages.some(({ port, from, lasts }) => {
              const at = world.now - epoch
              return operation.startsWith(`${port}.`) && at >= from && at < from + lasts
            }),
          ),
        })
        yield* world.start()
        yield* play(world, plan, laws(world, plan.ceiling))
        assertOver(world)
      }, Effect.scoped),
      { numRuns: 60 },
    ),
  )

  it.effect("of the call store before the intent to dial is written: nobody is rung", () =>
    Effect.gen(function* () {
      let isAway = true
      const world = worldOf(
        { ceiling: 1, calls: [] },
        { interpose: failing((operation) => isAway && operation.startsWith("store.")) },
      )
      yield* world.start()
      const placing = yield* world.place({ to_number: numberOf("ordinary") })
      const booking = yield* world.place({ to_number: numberOf("ordinary"), scheduled_at: epoch + 120_000 })
      yield* world.advance(0)
      for (const fiber of [placing, booking]) {
        assert.deepInclude(yield* Effect.flip(answerOf(fiber)), {
          _tag: "DependencyUnavailable",
          dependency: "call_storage",
        })
      }
      isAway = false
      yield* world.advance(600_000)
      assert.strictEqual(world.dials.length, 0)
      assert.deepStrictEqual(world.calls(), [])
      assertOver(world)
    }),
  )

  it.effect("of the call store after the dial: the call goes on by its reports, or the carrier is asked", () =>
    Effect.gen(function* () {
      for (const script of ["ordinary", "unconfirmedAndSilent", "unreachable"] as const) {
        const world = worldOf(
          { ceiling: 1, calls: [] },
          { interpose: failing((operation) => operation === "store.commit" && world.now < until) },
        )
        const until = epoch + 20_000
        yield* world.start()
        yield* world.place({ to_number: numberOf(script) })
        yield* world.advance(15_000, laws(world, 1))
        const [call] = world.calls()
        assert.deepInclude(call, { status: "queued", dial: "intended" })
        assert.strictEqual([...world.slots.members()].length, 1)
        yield* world.advance(3_600_000, laws(world, 1))
        assert.strictEqual(world.dials.length, 1)
        assertOver(world)
      }
    }),
  )

  it.effect("of the scheduling service: nothing is booked, and what is due waits", () =>
    Effect.gen(function* () {
      let isAway = false
      const world = worldOf(
        { ceiling: 1, calls: [] },
        { interpose: failing((operation) => isAway && operation.startsWith("wakeups.")) },
      )
      yield* world.start()
      const { call } = yield* world.placed({ to_number: numberOf("ordinary"), scheduled_at: epoch + 120_000 })
      isAway = true
      const refused = yield* world.place({ to_number: numberOf("ordinary"), scheduled_at: epoch + 120_000 })
      yield* world.advance(180_000)
      assert(Exit.isFailure(yield* Effect.exit(answerOf(refused))))
      assert.strictEqual(world.call(call.execution_id).status, "scheduled")
      isAway = false
      yield* world.advance(60_000)
      assert.strictEqual(world.call(call.execution_id).status, "completed")
      assert.strictEqual(world.calls().length, 1)
    }),
  )

  it.effect("of the account service: what is due waits, and is dialled once it is back", () =>
    Effect.gen(function* () {
      let isAway = false
      const world = worldOf(
        { ceiling: 1, calls: [] },
        { interpose: failing((operation) => isAway && operation.startsWith("accounts.")) },
      )
      yield* world.start()
      const { call } = yield* world.placed({ to_number: numberOf("ordinary"), scheduled_at: epoch + 120_000 })
      isAway = true
      yield* world.advance(200_000)
      assert.strictEqual(world.call(call.execution_id).status, "scheduled")
      isAway = false
      yield* world.advance(limits.wakeupRetryMs + 30_000)
      assert.strictEqual(world.call(call.execution_id).status, "completed")
    }),
  )
})
