import { assert, describe, it } from "@effect/vitest"
import { DependencyTimeout, Engine, Gate, limits, LimitExceeded, type Organization } from "@carillon/core"
import { holdsLine, Parking } from "@carillon/core/ports"
import { MemorySlots } from "@carillon/core/memory"
import { Context, Effect, Exit, Fiber, Layer } from "effect"
import * as fc from "fast-check"
import { law } from "../../src/testing/Law.ts"
import { laws } from "../../src/testing/world/Laws.ts"
import type { Interposition } from "../../src/testing/world/World.ts"
import { numberOf, restart, scriptOf, type ScriptName, worldOf } from "../../src/testing/world/Plans.ts"
import {
  answerOf,
  away,
  organization,
  organizationId,
  World,
  type WorldOptions,
} from "../../src/testing/world/World.ts"

const startedWorld = Effect.fnUntraced(function* (ceiling: number, options: Partial<WorldOptions> = {}) {
  const world = worldOf({ ceiling, calls: [] }, options)
  yield* world.start()
  return world
})

const dial = (world: World, script: ScriptName) => world.place({ to_number: numberOf(script) })

const figuresOf = (world: World) =>
  world.run(Effect.orDie(Effect.flatMap(Gate, (gate) => gate.figures(organizationId))))

/** The slot store, there or not. */
const outage = () => {
  const state = { isAway: false }
  const interpose: Interposition = (operation, effect) =>
    state.isAway && operation.startsWith("slots.") ? away : effect
  return { state, interpose }
}

describe("waiting for a line", () => {
  it.effect("serves dials in order of arrival, the same moment included, and refuses the rest after five seconds", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(1)
      const look = laws(world, 1)
      yield* dial(world, "busy")
      yield* world.advance(0, look)
      const waiting = yield* Effect.forEach([0, 1, 2], (nth) =>
        world.place({ to_number: numberOf("busy"), variables: { nth } }),
      )
      yield* world.advance(3_500, look)
      const [first, second, third] = waiting
      assert(first !== undefined && second !== undefined && third !== undefined)
      assert.deepInclude((yield* answerOf(first)).call.variables, { nth: 0 })
      yield* world.advance(1_499, look)
      for (const fiber of [second, third]) assert.isUndefined(fiber.pollUnsafe())
      yield* world.advance(1, look)
      for (const fiber of [second, third]) {
        const refusal = yield* Effect.flip(answerOf(fiber))
        assert.deepEqual(
          refusal,
          new LimitExceeded({
            message: "Account concurrency limit reached (1 of 1 lines in use).",
            retryAfterSeconds: 5,
          }),
        )
      }
      assert.strictEqual(world.calls().length, 2)
    }),
  )

  it.effect("says what is true under a ceiling that was lowered, a minute after it was", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(4)
      for (let nth = 0; nth < 4; nth++) yield* world.placed({ to_number: numberOf("silentFromAnswer") })
      const lowered: Organization = {
        ...organization,
        revision: 2,
        concurrency: { organization: 2, per_agent: null, enforced: true },
      }
      world.write({ put: "organization", row: lowered })
      yield* world.advance(limits.cacheMs)
      const refused = yield* dial(world, "ordinary")
      yield* world.advance(limits.directDialWaitMs)
      const refusal = yield* Effect.flip(answerOf(refused))
      assert.deepInclude(refusal, { message: "Account concurrency limit reached (4 of 2 lines in use)." })
      // Nobody is hung up for it.
      assert.strictEqual(world.carrier.live().length, 4)
    }),
  )

  it.effect("gives nobody who waited a line by a ceiling that was lowered more than a minute ago", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(2)
      yield* world.placed({ to_number: numberOf("silentFromAnswer") })
      const lowered: Organization = {
        ...organization,
        revision: 2,
        concurrency: { organization: 1, per_agent: null, enforced: true },
      }
      world.write({ put: "organization", row: lowered })
      yield* world.advance(limits.cacheMs - 3_000)
      yield* dial(world, "busy")
      yield* world.advance(1_000)
      // It asks within the minute. After it a line would be free by the old ceiling.
      const late = yield* dial(world, "ordinary")
      yield* world.advance(limits.directDialWaitMs)
      const refusal = yield* Effect.flip(answerOf(late))
      assert.deepInclude(refusal, { message: "Account concurrency limit reached (1 of 1 lines in use)." })
      assert.strictEqual(world.carrier.live().length, 1)
    }),
  )

  it.effect("refuses nobody in an organization whose ceilings are not enforced, and counts all the same", () =>
    Effect.gen(function* () {
      const world = new World({
        script: scriptOf,
        organization: { concurrency: { organization: 2, per_agent: 1, enforced: false } },
      })
      yield* world.start()
      for (let nth = 0; nth < 5; nth++) yield* world.placed({ to_number: numberOf("silentFromAnswer") })
      assert.strictEqual(world.carrier.live().length, 5)
      assert.deepStrictEqual(yield* figuresOf(world), {
        max: 2,
        enforced: false,
        current: 5,
        available: 0,
        levels: { platform: 1000, organization: 2, agent: 1 },
      })
    }),
  )

  it.effect("gives no line to a requester who has gone while others wait", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(1)
      yield* dial(world, "busy")
      yield* world.advance(0)
      const gone = yield* dial(world, "ordinary")
      yield* world.advance(0)
      const patient = yield* dial(world, "busy")
      yield* world.advance(1_000)
      yield* Fiber.interrupt(gone)
      yield* world.advance(2_500)
      assert.strictEqual((yield* answerOf(patient))._tag, "Queued")
      assert.strictEqual(world.dials.length, 2)
    }),
  )

  it.effect("gets past a reservation that a dead process left, as soon as it has lapsed", () =>
    Effect.gen(function* () {
      const slots = new MemorySlots.SlotTable()
      let isMortal = true
      const world: World = worldOf(
        { ceiling: 1, calls: [] },
        {
          slots,
          interpose: (operation, effect) =>
            isMortal && operation === "store.admit"
              ? Effect.andThen(
                  Effect.sync(() => world.kill()),
                  Effect.never,
                )
              : effect,
        },
      )
      yield* world.start()
      yield* dial(world, "ordinary")
      yield* world.advance(0)
      assert.isTrue(world.isDown)
      isMortal = false
      world.now += limits.reservationMs + limits.directDialWaitMs
      yield* world.start()
      const { _tag } = yield* world.placed({ to_number: numberOf("ordinary") })
      assert.strictEqual(_tag, "Queued")
    }),
  )
})

describe("a line whose call could not be committed", () => {
  it.effect("is free again at once", () =>
    Effect.gen(function* () {
      let fails = true
      const world = yield* startedWorld(1, {
        interpose: (operation, effect) => (fails && operation === "store.admit" ? away : effect),
      })
      const refused = yield* dial(world, "ordinary")
      yield* world.advance(0)
      assert(Exit.isFailure(yield* Effect.exit(answerOf(refused))))
      assert.deepStrictEqual([...world.slots.members()], [])
      fails = false
      yield* world.placed({ to_number: numberOf("ordinary") })
      assert.strictEqual(world.dials.length, 1)
    }),
  )

  it.effect("stays with the call where somebody else has committed it under the same line", () =>
    Effect.gen(function* () {
      let other: (() => void) | undefined
      const world = yield* startedWorld(1, {
        interpose: (operation, effect) => {
          if (operation !== "store.admit" || other === undefined) return effect
          other()
          other = undefined
          return effect
        },
      })
      const { call } = yield* world.placed({ to_number: numberOf("ordinary"), scheduled_at: world.now + 120_000 })
      yield* world.advance(119_000)
      other = () => {
        const row = world.call(call.execution_id)
        const [member] = [...world.slots.members()]
        assert(member !== undefined)
        const { execution_id, fence, levels } = member
        world.slots.hold(execution_id, fence)
        world.write({
          put: "call",
          row: {
            ...row,
            revision: row.revision + 1,
            status: "queued",
            dial: "accepted",
            slot: { member: execution_id, fence, levels },
            due_at: world.now + 60_000,
          },
        })
      }
      yield* world.advance(2_000)
      assert.deepStrictEqual(
        [...world.slots.members()].map((member) => member.state),
        ["held"],
      )
      assert.strictEqual(world.dials.length, 0)
    }),
  )

  it.effect("stays with a call that the carrier reports live though it refused the dial", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(1, {
        script: () => ({ outcome: { _tag: "Refused", kind: "rejected" }, acknowledgementMs: 1_000 }),
      })
      const placing = yield* dial(world, "ordinary")
      yield* world.advance(500)
      const [row] = world.calls()
      assert(row !== undefined)
      world.carrier.again(
        { execution_id: row.execution_id, at: world.now, call_sid: "leg", type: "ringing" },
        world.now,
      )
      yield* world.advance(1_000)
      assert(Exit.isFailure(yield* Effect.exit(answerOf(placing))))
      assert.strictEqual(world.call(row.execution_id).status, "ringing")
      assert.strictEqual([...world.slots.members()].length, 1)
    }),
  )
})

describe("with the slot store away", () => {
  it.effect("keeps every ceiling by the count of committed calls, and waits for a release as before", () =>
    Effect.gen(function* () {
      const { state, interpose } = outage()
      const world = yield* startedWorld(2, { interpose })
      const look = laws(world, 2)
      state.isAway = true
      yield* dial(world, "silentFromAnswer")
      yield* dial(world, "busy")
      yield* world.advance(0, look)
      const [patient, refused] = [yield* dial(world, "silentFromAnswer"), yield* dial(world, "ordinary")]
      yield* world.advance(3_500, look)
      assert.strictEqual((yield* answerOf(patient))._tag, "Queued")
      yield* world.advance(1_500, look)
      assert.deepInclude(yield* Effect.flip(answerOf(refused)), {
        message: "Account concurrency limit reached; all lines are in use.",
        retryAfterSeconds: 5,
      })
      assert.deepInclude(yield* figuresOf(world), { current: 2, available: 0 })
      assert.strictEqual(world.dials.length, 3)
    }),
  )

  it.effect("finds within a second a line that another process has freed", () =>
    Effect.gen(function* () {
      const { state, interpose } = outage()
      const world = yield* startedWorld(1, { interpose })
      const other = yield* Layer.build(Layer.provideMerge(Engine.layer, world.ground()))
      state.isAway = true
      const { call } = yield* world.placed({ to_number: numberOf("silentFromAnswer") })
      yield* world.advance(10_000)
      const waiting = yield* dial(world, "ordinary")
      yield* world.advance(1_500)
      assert.isUndefined(waiting.pollUnsafe())
      const end = { status: "completed", duration_seconds: 5, answered_by_voicemail: false, error: null } as const
      yield* Context.get(other, Engine).report({
        execution_id: call.execution_id,
        at: world.now,
        call_sid: call.call_sid,
        type: "final",
        end: { ...end, hangup_by: "customer", hangup_reason: "user_hangup" },
        facts: { recording_url: null, cost: null, media: null },
      })
      yield* world.advance(limits.countedLookMs)
      assert.strictEqual((yield* answerOf(waiting))._tag, "Queued")
    }),
  )

  it.effect("exceeds no ceiling when it is back and has heard of nothing, and knows everything within two ticks", () =>
    Effect.gen(function* () {
      const { state, interpose } = outage()
      const world = yield* startedWorld(2, { interpose })
      const look = laws(world, 2)
      yield* dial(world, "busy")
      yield* world.advance(0, look)
      state.isAway = true
      // One ends, two begin, and the slot store hears of none of it.
      for (let nth = 0; nth < 2; nth++) yield* dial(world, "silentFromAnswer")
      yield* world.advance(10_000, look)
      assert.strictEqual(world.carrier.live().length, 2)
      const [stale] = [...world.slots.members()]
      assert(stale !== undefined)
      world.slots.release(stale.execution_id, stale.fence, world.now)
      state.isAway = false
      for (let nth = 0; nth < 6; nth++) {
        yield* dial(world, "ordinary")
        yield* world.advance((2 * limits.reconcileMs) / 6, look)
      }
      const held = world.calls().flatMap((call) => (call.final_report_at === null ? [call.execution_id] : []))
      assert.sameMembers(
        [...world.slots.members()].map((member) => member.execution_id),
        held,
      )
    }),
  )

  const outages = fc.record({
    outageMs: fc.integer({ min: 1, max: 40_000 }),
    scripts: fc.array(fc.constantFrom("busy" as const, "ordinary" as const), { minLength: 1, maxLength: 4 }),
    isOneWay: fc.boolean(),
  })

  it.effect("holds exactly what the rows hold within five seconds of being well again, however it failed", () =>
    law(outages, ({ isOneWay, outageMs, scripts }) =>
      Effect.gen(function* () {
        let isAway = false
        const world = yield* startedWorld(4, {
          interpose: (operation, effect) =>
            isAway && (isOneWay ? operation === "slots.release" : operation.startsWith("slots.")) ? away : effect,
        })
        const look = laws(world, 4)
        for (const script of scripts) yield* dial(world, script)
        yield* world.advance(2_000, look)
        isAway = true
        for (const _ of scripts) {
          yield* dial(world, "busy")
          yield* world.advance(outageMs / scripts.length, look)
        }
        isAway = false
        yield* world.advance(5_000, look)
        const held = () => world.calls().flatMap((call) => (holdsLine(call) ? [call.execution_id] : []))
        const members = () => [...world.slots.members()].map((member) => member.execution_id)
        assert.sameMembers(members(), held())
        // So nobody is refused a line that nobody has, also once the slot store is trusted again.
        for (let nth = 0; nth < 8; nth++) {
          const isFree = held().length < 4
          const dialled = yield* dial(world, "busy")
          yield* world.advance(0, look)
          assert.strictEqual(dialled.pollUnsafe() !== undefined, isFree)
          yield* world.advance(6_000, look)
          assert.sameMembers(members(), held())
        }
      }).pipe(Effect.scoped),
    ),
  )

  /**
   * The first that is asked of a store that hangs is done once it is well again, though nobody waits for the answer any more; then nothing is
   * sent.
   */
  const hanging = () => {
    const late: Array<Effect.Effect<unknown>> = []
    let hangs = false
    const interpose: Interposition = (operation, effect) => {
      if (!hangs || !operation.startsWith("slots.")) return effect
      // An acquire is taken back behind it by whoever sent it.
      if (operation === "slots.release" && late.length < 2) late.push(Effect.ignore(effect))
      return away
    }
    const begin = () => {
      hangs = true
    }
    const end = Effect.suspend(() => {
      hangs = false
      return Effect.all(late.splice(0), { discard: true })
    })
    return { begin, end, interpose }
  }

  const hangs = fc.record({
    hungMs: fc.integer({ min: 1, max: 10_000 }),
    waited: fc.array(fc.integer({ min: 0, max: 800 }), { minLength: 1, maxLength: 4 }),
    leaves: fc.boolean(),
  })

  it.effect("gives nobody's line to a dial that has given up meanwhile", () =>
    law(hangs, ({ hungMs, leaves, waited }) =>
      Effect.gen(function* () {
        const { begin, end, interpose } = hanging()
        const world = yield* startedWorld(2, { interpose })
        const look = laws(world, 2)
        // Both lines come free while the store hangs, and it hears of it when those who waited have gone.
        for (let nth = 0; nth < 2; nth++) yield* dial(world, "busy")
        yield* world.advance(0, look)
        const waiting = yield* Effect.forEach(waited, (ms) =>
          Effect.andThen(world.advance(ms, look), dial(world, "busy")),
        )
        yield* world.advance(0, look)
        begin()
        if (leaves) for (const fiber of waiting) yield* Fiber.interrupt(fiber)
        // Whoever comes now is given the lines by the count.
        for (let nth = 0; nth < 2; nth++) yield* dial(world, "silentFromAnswer")
        yield* world.advance(hungMs, look)
        yield* end
        yield* world.advance(5_000, look)
        const held = world.calls().flatMap((call) => (holdsLine(call) ? [call.execution_id] : []))
        const members = [...world.slots.members()].map((member) => member.execution_id)
        assert.sameMembers(members, held)
      }).pipe(Effect.scoped),
    ),
  )

  it.effect("keeps no line for contacts that need none any more, though it did not hear so", () =>
    Effect.gen(function* () {
      const { state, interpose } = outage()
      const world = yield* startedWorld(1, { interpose })
      const want = (wanting: boolean) => world.run(Effect.flatMap(Gate, (gate) => gate.want(organizationId, wanting)))
      yield* want(true)
      yield* dial(world, "busy")
      yield* world.advance(0)
      // The line goes to a waiting dial and to the contacts in turn, and it is their turn.
      const refused = yield* dial(world, "ordinary")
      yield* world.advance(limits.directDialWaitMs)
      assert.instanceOf(yield* Effect.flip(answerOf(refused)), LimitExceeded)
      state.isAway = true
      yield* want(false)
      state.isAway = false
      yield* world.advance(limits.releaseRetryMs)
      assert.strictEqual((yield* world.placed({ to_number: numberOf("ordinary") }))._tag, "Queued")
    }),
  )

  it.effect("is told of a counted line at once where only a moment was lost", () =>
    Effect.gen(function* () {
      let fails = true
      const world = yield* startedWorld(1, {
        interpose: (operation, effect) => {
          if (operation !== "slots.acquire" || !fails) return effect
          fails = false
          return away
        },
      })
      const { call } = yield* world.placed({ to_number: numberOf("busy") })
      assert.isNull(call.slot?.fence)
      assert.deepInclude([...world.slots.members()][0], { execution_id: call.execution_id, state: "held" })
      yield* world.advance(4_000)
      assert.deepStrictEqual([...world.slots.members()], [])
    }),
  )

  it.effect("still waits no longer than five seconds when it goes while a dial waits", () =>
    Effect.gen(function* () {
      const { state, interpose } = outage()
      const world = yield* startedWorld(1, { interpose })
      yield* dial(world, "silentFromAnswer")
      yield* world.advance(0)
      const waiting = yield* dial(world, "ordinary")
      yield* world.advance(2_000)
      state.isAway = true
      yield* world.advance(3_000)
      assert.instanceOf(yield* Effect.flip(answerOf(waiting)), LimitExceeded)
    }),
  )

  it.effect("admits nobody where the committed calls cannot be read either", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(2, {
        interpose: (operation, effect) =>
          operation.startsWith("slots.") || operation === "store.admit" ? away : effect,
      })
      const refused = yield* dial(world, "ordinary")
      yield* world.advance(limits.directDialWaitMs)
      assert.deepInclude(yield* Effect.flip(answerOf(refused)), { _tag: "DependencyUnavailable" })
      assert.strictEqual(world.dials.length, 0)
    }),
  )

  it.effect("trusts an empty slot store only once it knows the lines of the calls that live", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(2)
      const look = laws(world, 2)
      for (const _ of [0, 1]) yield* world.placed({ to_number: numberOf("silentFromAnswer") })
      yield* world.advance(30_000, look)
      yield* restart(world)
      const refused = yield* dial(world, "ordinary")
      yield* world.advance(limits.directDialWaitMs, look)
      assert.deepInclude(yield* Effect.flip(answerOf(refused)), {
        message: "Account concurrency limit reached (2 of 2 lines in use).",
      })
    }),
  )
})

describe("an engine that is held up on the way to the carrier", () => {
  /** Holds up the nth use of an operation, before or after it happens. */
  const heldUp = (
    delays: ReadonlyArray<{
      readonly operation: string
      readonly nth: number
      readonly ms: number
      readonly first: boolean
    }>,
    startWith: Partial<WorldOptions> = {},
  ) => {
    const uses = new Map<string, number>()
    const world: World = worldOf(
      { ceiling: 1, calls: [] },
      {
        ...startWith,
        interpose: (operation, effect) => {
          if (startWith.interpose !== undefined && operation.startsWith("slots.")) return away
          const nth = uses.get(operation) ?? 0
          uses.set(operation, nth + 1)
          const delay = delays.find((one) => one.operation === operation && one.nth === nth)
          if (delay === undefined) return effect
          const pause = Effect.suspend(
            () => world.service(Parking).park(`held up ${operation}`, world.now + delay.ms).wait,
          )
          return delay.first ? Effect.andThen(pause, effect) : Effect.tap(effect, () => pause)
        },
      },
    )
    return world
  }

  it.effect("rings nobody on a reservation that has ended, though the reconciler has restored the line", () =>
    Effect.gen(function* () {
      const world = heldUp([
        { operation: "store.admit", nth: 0, ms: 28_000, first: true },
        { operation: "slots.hold", nth: 1, ms: 15_000, first: true },
      ])
      yield* world.start()
      const look = laws(world, 1)
      const late = yield* dial(world, "silentFromAnswer")
      yield* world.advance(limits.directDialWaitMs + limits.reservationMs + 1_000, look)
      const other = yield* dial(world, "silentFromAnswer")
      yield* world.advance(60_000, look)
      assert.strictEqual((yield* answerOf(other))._tag, "Queued")
      assert.instanceOf(yield* Effect.flip(answerOf(late)), LimitExceeded)
      assert.strictEqual(world.dials.length, 1)
    }),
  )

  it.effect("rings nobody once the carrier was asked about the call and took it for one that was never placed", () =>
    Effect.gen(function* () {
      const world = heldUp([{ operation: "store.admit", nth: 0, ms: 60_000, first: false }], {
        interpose: () => away,
      })
      yield* world.start()
      const look = laws(world, 1)
      const late = yield* dial(world, "silentFromAnswer")
      yield* world.advance(50_000, look)
      assert.deepInclude(world.calls()[0], { status: "error" })
      const other = yield* dial(world, "silentFromAnswer")
      yield* world.advance(60_000, look)
      assert.strictEqual((yield* answerOf(other))._tag, "Queued")
      // It was the store that was slow: the carrier was never asked.
      assert.deepEqual(yield* Effect.flip(answerOf(late)), new DependencyTimeout({ dependency: "call_storage" }))
      assert.strictEqual(world.dials.length, 1)
    }),
  )

  it.effect("leaves a call alone that has ended before the outcome of its dial could be written", () =>
    Effect.gen(function* () {
      const world = heldUp([{ operation: "store.commit", nth: 0, ms: 60_000, first: true }], {
        script: () => ({ asked: { _tag: "Unknown" } }),
      })
      yield* world.start()
      yield* dial(world, "ordinary")
      yield* world.advance(40_000)
      const [ended] = world.calls()
      assert.deepInclude(ended, { status: "error", dial: "intended" })
      yield* world.advance(60_000)
      assert.strictEqual(world.calls()[0], ended)
    }),
  )
})
