import { assert, it } from "@effect/vitest"
import { limits } from "@carillon/core"
import { DomainClock, Wakeups } from "@carillon/core/ports"
import { Effect, Layer } from "effect"
import { makeReconcilerWakeups } from "../../src/limits/ReconcilerWakeups.ts"
import { wakeupsLayer, WakeupTable } from "../../src/memory/MemoryWakeups.ts"

const epoch = Date.UTC(2026, 0, 5, 9)

/** What one process knows of the reconciler, a clock to be turned, and every wake-up that was set. */
const watched = Effect.gen(function* () {
  const clock = { now: epoch }
  const set: Array<{ readonly subject: string; readonly in: number }> = []
  const noted = Layer.effect(
    Wakeups,
    Effect.map(Wakeups, (port) =>
      Wakeups.of({
        ...port,
        set: (wakeup) => {
          set.push({ subject: wakeup.subject, in: wakeup.at - clock.now })
          return port.set(wakeup)
        },
      }),
    ),
  ).pipe(Layer.provide(wakeupsLayer(new WakeupTable())))
  const given = Layer.mergeAll(noted, Layer.succeed(DomainClock, { now: () => clock.now }))
  return { clock, set, ...(yield* Effect.provide(makeReconcilerWakeups, given)) }
})

it.effect("the reconciler is waited for until it has not come for long, and its tick says whether it comes again", () =>
  Effect.gen(function* () {
    const { clock, set, ticked, watch } = yield* watched
    const late = limits.reconcileMs + limits.wakeupRetries * limits.wakeupRetryMs
    yield* watch
    yield* watch
    clock.now += late
    yield* watch
    assert.deepStrictEqual(set, [{ subject: "platform", in: limits.reconcileMs }])
    clock.now += 1
    yield* watch
    assert.lengthOf(set, 2)
    yield* ticked(true)
    assert.lengthOf(set, 3)
    yield* ticked(false)
    assert.lengthOf(set, 3)
    yield* watch
    assert.lengthOf(set, 4)
  }),
)

it.effect("the losses of one stretch of time have one wake-up, at its end, apart from the ordinary tick", () =>
  Effect.gen(function* () {
    const { clock, lost, set } = yield* watched
    const into = epoch % limits.releaseRetryMs
    yield* lost
    yield* lost
    assert.deepStrictEqual(
      set.map((each) => each.in),
      [limits.releaseRetryMs - into],
    )
    clock.now += limits.releaseRetryMs
    yield* lost
    assert.lengthOf(set, 2)
    assert.notStrictEqual(set[0]?.subject, set[1]?.subject)
    assert.isFalse(set.some(({ subject }) => subject === "platform"))
  }),
)
