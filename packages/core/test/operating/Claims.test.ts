import { DependencyUnavailable, limits, metersLayer, type MetricRegistry } from "@carillon/core"
import {
  Activity,
  CurrentOutages,
  DomainClock,
  Ids,
  outagesLayer,
  Parking,
  type WakeupClaim,
  type WakeupKind,
  Wakeups,
} from "@carillon/core/ports"
import { Alarm } from "../../src/engine/Alarm.ts"
import { Claims } from "../../src/operating/Claims.ts"
import { WakeupTable, wakeupsLayer } from "../../src/memory/MemoryWakeups.ts"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Metric, References } from "effect"

const epoch = Date.UTC(2026, 0, 5, 9)

/** Two processes on the same wake-ups, and a clock that both go by. */
const world = Effect.gen(function* () {
  const table = new WakeupTable()
  const clock = { now: epoch }
  /** What happens before an answer to `claimDue` arrives, and whether nothing can be handled or deferred. */
  const storage: { answering: Effect.Effect<void>; isDown: boolean } = { answering: Effect.void, isDown: false }
  /** A mistake of the handler: a defect of its effect, or what is thrown before there is one. */
  const mistake: { of: "effect" | "function" | null } = { of: null }
  const down = Effect.suspend(() =>
    storage.isDown ? Effect.fail(new DependencyUnavailable({ dependency: "call_storage" })) : Effect.void,
  )
  const wakeups = Layer.effect(
    Wakeups,
    Effect.map(Wakeups, (port) =>
      Wakeups.of({
        ...port,
        claimDue: (...asked) => Effect.tap(port.claimDue(...asked), () => storage.answering),
        defer: (...asked) => Effect.andThen(down, port.defer(...asked)),
      }),
    ),
  ).pipe(Layer.provide(wakeupsLayer(table)))
  const built = (seed: number) =>
    Layer.build(
      Claims.layer.pipe(
        Layer.provideMerge(Alarm.layer),
        Layer.provideMerge(Parking.layer),
        Layer.provideMerge(Activity.layer),
        Layer.provideMerge(
          Layer.mergeAll(wakeups, Layer.succeed(DomainClock, { now: () => clock.now }), Ids.layerSeeded(seed)),
        ),
      ),
    )
  const engine = Effect.fnUntraced(function* (seed: number) {
    const services = yield* built(seed)
    const handled: Array<{ readonly claim: WakeupClaim; readonly isOurs: () => boolean }> = []
    const provided = <A, E>(effect: Effect.Effect<A, E, Claims | Parking | Activity | Wakeups>) =>
      Effect.provide(effect, services)
    /** Looks at what is due; whatever it handles waits for `done`. */
    const run = provided(
      Effect.gen(function* () {
        const claims = yield* Claims
        const parking = yield* Parking
        yield* claims.run((claim, isOurs) => {
          if (mistake.of === "function") throw new Error("thrown")
          return Effect.suspend(() => {
            handled.push({ claim, isOurs })
            if (mistake.of === "effect") return Effect.die(new Error("a mistake at +15551234567"))
            return Effect.as(
              Effect.andThen(
                down,
                Effect.suspend(() => parking.park(claim.subject, Infinity).wait),
              ),
              null,
            )
          })
        })
        yield* (yield* Activity).quiescent
      }),
    )
    const done = (subject: string) =>
      provided(
        Effect.gen(function* () {
          ;(yield* Parking).wake(subject)
          yield* (yield* Activity).quiescent
        }),
      )
    const leave = provided(
      Effect.flatMap(Claims, (claims) => {
        claims.leave()
        return claims.giveBack
      }),
    )
    const open = provided(Effect.map(Activity, (activity) => activity.open()))
    /** Wakes who waits for the time that it is; answers how many. */
    const expire = provided(Effect.map(Parking, (parking) => parking.expire(clock.now)))
    const name = yield* provided(Effect.map(Claims, ({ process }) => process))
    return { handled, run, done, leave, open, expire, name }
  })
  return { table, clock, storage, mistake, engine, one: yield* engine(1), other: yield* engine(2) }
})

/** What of a log says that others are lost, with what it says of them. */
const lostLines = () => {
  const lines: Array<Record<string, unknown>> = []
  const logger = Logger.make(({ fiber, message }) => {
    if (String(message).startsWith("Another process")) lines.push({ ...fiber.getRef(References.CurrentLogAnnotations) })
  })
  return { lines, layer: Logger.layer([logger]) }
}

/** Warnings and errors of a log, with what they are annotated with. */
const loudLines = () => {
  const lines: Array<{ readonly level: string; readonly text: string; readonly about: unknown }> = []
  const logger = Logger.make(({ fiber, logLevel, message }) => {
    if (logLevel !== "Warn" && logLevel !== "Error") return
    lines.push({ level: logLevel, text: String(message), about: { ...fiber.getRef(References.CurrentLogAnnotations) } })
  })
  return { lines, layer: Logger.layer([logger]) }
}

/** What is measured, by the name and the values of its labels but the unit. */
const measured = () => {
  const registry: MetricRegistry = new Map()
  const of = (name: string, ...values: ReadonlyArray<string>) =>
    Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry)).flatMap(({ attributes, id, state }) => {
      const { unit: _, ...labels } = Object(attributes)
      if (id !== name || Object.values(labels).join() !== values.join()) return []
      return "count" in state ? [Number(state.count)] : "value" in state ? [Number(state.value)] : []
    })[0] ?? null
  return { of, layer: metersLayer(registry) }
}

const set = (table: WakeupTable, kind: WakeupKind, subject: string) => table.set({ kind, subject, at: epoch })

describe("what becomes due beside a backlog of another organization's", () => {
  it.effect("is claimed within a few rounds, and nothing of the backlog is forgotten", () =>
    Effect.gen(function* () {
      const { clock, one, table } = yield* world
      const backlog = 100 * limits.wakeupBatch
      for (let nth = 0; nth < backlog; nth++) set(table, "call", `exec_${nth}`)
      const isHandled = (subject: string) => one.handled.some(({ claim }) => claim.subject === subject)
      for (let neighbour = 0; neighbour < 10; neighbour++) {
        clock.now += 1
        const subject = `neighbour_${neighbour}`
        table.set({ kind: "delivery", subject, at: clock.now })
        for (let round = 0; round < limits.wakeupLatestRound; round++) yield* one.run
        assert.isTrue(isHandled(subject), subject)
      }
      for (let round = 0; round <= backlog / limits.wakeupBatch; round++) yield* one.run
      assert.strictEqual(one.handled.length, backlog + 10)
    }).pipe(Effect.scoped),
  )

  const organization_id = "org_flood"

  it.effect("is claimed within a few rounds where the backlog goes on behind it, for each of many neighbours", () =>
    Effect.gen(function* () {
      const { clock, one, table } = yield* world
      const backlog = 100 * limits.wakeupBatch
      for (const at of [epoch, epoch + 2]) {
        for (let nth = 0; nth < backlog; nth++) {
          table.set({ kind: "call", subject: `exec_${at}_${nth}`, at, organization_id })
        }
      }
      const neighbours = Array.from({ length: 2 * limits.wakeupsInTurn }, (_, nth) => `neighbour_${nth}`)
      for (const subject of neighbours) {
        table.set({ kind: "delivery", subject, at: epoch + 1, organization_id: `of_${subject}` })
      }
      clock.now = epoch + 2
      for (let round = 0; round < 2 * limits.wakeupLatestRound; round++) yield* one.run
      const handled = new Set(one.handled.map(({ claim }) => claim.subject))
      assert.deepStrictEqual(
        neighbours.filter((subject) => !handled.has(subject)),
        [],
      )
    }).pipe(Effect.scoped),
  )

  it.effect("is claimed within a few rounds where all that is handled sets something that is due at once", () =>
    Effect.gen(function* () {
      const { clock, one, table } = yield* world
      for (let nth = 0; nth < 100 * limits.wakeupBatch; nth++) {
        table.set({ kind: "call", subject: `exec_${nth}`, at: epoch, organization_id })
      }
      clock.now += 1
      table.set({ kind: "delivery", subject: "neighbour", at: clock.now, organization_id: "org_quiet" })
      let round = 0
      for (; !one.handled.some(({ claim }) => claim.subject === "neighbour"); round++) {
        clock.now += 1
        for (let nth = 0; nth < limits.wakeupBatch; nth++) {
          table.set({ kind: "event", subject: `event_${round}_${nth}`, at: clock.now, organization_id })
        }
        yield* one.run
      }
      assert.isAtMost(round, 2)
    }).pipe(Effect.scoped),
  )
})

describe("what a process claims", () => {
  it.effect("is its own as long as it handles it, however long that takes, and nobody else's", () =>
    Effect.gen(function* () {
      const { clock, one, other, table } = yield* world
      set(table, "call", "exec_1")
      yield* one.run
      for (; clock.now < epoch + 10 * limits.wakeupLeaseMs; clock.now += 1_000) {
        yield* one.run
        yield* other.run
        // Set again and again, as by reports: still one at a time.
        set(table, "call", "exec_1")
      }
      assert.deepStrictEqual([one.handled.length, other.handled.length], [1, 0])
      assert.isTrue(one.handled[0]?.isOurs())
      yield* one.done("exec_1")
      yield* other.run
      assert.strictEqual(other.handled.length, 1)
    }).pipe(Effect.scoped),
  )

  it.effect("is another's soon after it stands still, and then it knows", () =>
    Effect.gen(function* () {
      const { clock, one, other, table } = yield* world
      set(table, "dispatch", "org_1")
      yield* one.run
      clock.now += limits.wakeupLeaseMs - 1
      yield* other.run
      assert.strictEqual(other.handled.length, 0)
      clock.now += 1
      yield* other.run
      assert.strictEqual(other.handled.length, 1)
      assert.isFalse(one.handled[0]?.isOurs())
      yield* one.run
      assert.isFalse(one.handled[0]?.isOurs())
      // Its late word ends nothing.
      yield* one.done("org_1")
      assert.isTrue(other.handled[0]?.isOurs())
      assert.isNotNull(table.next(true))
    }).pipe(Effect.scoped),
  )

  it.effect("is another's when its handler has hung", () =>
    Effect.gen(function* () {
      const { clock, one, other, table } = yield* world
      set(table, "call", "exec_1")
      for (; clock.now < epoch + limits.wakeupHandlingMs; clock.now += limits.wakeupRenewMs) yield* one.run
      yield* other.run
      assert.strictEqual(other.handled.length, 0)
      clock.now += limits.wakeupLeaseMs
      yield* other.run
      assert.strictEqual(other.handled.length, 1)
    }).pipe(Effect.scoped),
  )

  it.effect("is given back at once by a process that leaves, which claims nothing more", () =>
    Effect.gen(function* () {
      const { one, other, table } = yield* world
      set(table, "call", "exec_1")
      yield* one.run
      yield* one.leave
      yield* one.run
      assert.isFalse(one.handled[0]?.isOurs())
      assert.strictEqual(one.handled.length, 1)
      yield* other.run
      assert.strictEqual(other.handled.length, 1)
    }).pipe(Effect.scoped),
  )

  it.effect("is given back by a process that leaves, although its handler has hung", () =>
    Effect.gen(function* () {
      const { clock, one, other, table } = yield* world
      set(table, "call", "exec_1")
      for (; clock.now < epoch + limits.wakeupHandlingMs; clock.now += limits.wakeupRenewMs) yield* one.run
      yield* one.run
      yield* other.run
      assert.strictEqual(other.handled.length, 0)
      yield* one.leave
      yield* other.run
      assert.strictEqual(other.handled.length, 1)
    }).pipe(Effect.scoped),
  )

  it.effect("is given back unhandled where the process left before it knew of the claim", () =>
    Effect.gen(function* () {
      const { one, other, storage, table } = yield* world
      set(table, "call", "exec_1")
      let open = 0
      storage.answering = Effect.gen(function* () {
        open = yield* one.open
        yield* one.leave
      })
      yield* one.run
      assert.strictEqual(open, 1, "who leaves waits for the answer")
      storage.answering = Effect.void
      yield* other.run
      assert.deepStrictEqual([one.handled.length, other.handled.length], [0, 1])
    }).pipe(Effect.scoped),
  )

  it.effect("is looked at again for each claim that could not be ended, also for two of one subject", () =>
    Effect.gen(function* () {
      const { clock, one, storage, table } = yield* world
      storage.isDown = true
      set(table, "call", "exec_1")
      yield* one.run
      table.setAnew({ kind: "call", subject: "exec_1", at: epoch })
      yield* one.run
      assert.strictEqual(one.handled.length, 2)
      storage.isDown = false
      clock.now += limits.wakeupRetryMs
      assert.strictEqual(yield* one.expire, 2)
    }).pipe(Effect.scoped),
  )
})

describe("a process that was killed", () => {
  it.effect("is told of once by who goes on with what it had claimed, with how much and since when", () => {
    const { layer, lines } = lostLines()
    return Effect.gen(function* () {
      const { clock, one, other, table } = yield* world
      for (let nth = 0; nth < 3; nth++) set(table, "call", `exec_${nth}`)
      set(table, "dispatch", "org_1")
      yield* one.run
      clock.now += limits.wakeupRenewMs
      yield* one.run
      const since = new Date(clock.now).toISOString()
      clock.now += limits.wakeupLeaseMs
      yield* other.run
      assert.deepStrictEqual(lines, [{ process: one.name, claims: 4, since }])
      // What comes later is told a minute later, all of it.
      for (let later = 0; later < 4; later++) {
        table.set({ kind: "call", subject: `exec_later_${later}`, at: clock.now })
        yield* one.run
        clock.now += limits.wakeupLeaseMs
        yield* other.run
      }
      assert.lengthOf(lines, 1)
      clock.now += limits.lostProcessToldMs
      yield* other.run
      assert.lengthOf(lines, 2)
      assert.deepInclude(lines[1], { process: one.name, claims: 4 })
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("is one line, however much it had claimed, and each of several has its own", () => {
    const { layer, lines } = lostLines()
    return Effect.gen(function* () {
      const { clock, engine, one, other, table } = yield* world
      const third = yield* engine(3)
      const claimed = 3 * limits.wakeupBatch + 1
      for (let nth = 0; nth < claimed; nth++) set(table, "call", `exec_${nth}`)
      for (let round = 0; round < 4; round++) yield* one.run
      table.set({ kind: "delivery", subject: "dlv_1", at: clock.now })
      yield* third.run
      clock.now += limits.wakeupLeaseMs
      for (let round = 0; round < 4; round++) yield* other.run
      assert.sameDeepMembers(
        lines.map(({ claims, process }) => ({ claims, process })),
        [
          { claims: claimed, process: one.name },
          { claims: 1, process: third.name },
        ],
      )
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("is none that leaves, or that hangs in what it takes up again itself", () => {
    const { layer, lines } = lostLines()
    return Effect.gen(function* () {
      const { clock, one, other, table } = yield* world
      set(table, "call", "exec_1")
      yield* one.run
      yield* one.leave
      yield* other.run
      assert.strictEqual(other.handled.length, 1)
      for (const end = clock.now + limits.wakeupHandlingMs; clock.now < end; clock.now += limits.wakeupRenewMs) {
        yield* other.run
      }
      clock.now += limits.wakeupLeaseMs
      yield* other.run
      assert.strictEqual(other.handled.length, 2)
      assert.deepStrictEqual(lines, [])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})

describe("a handler with a mistake", () => {
  for (const place of ["effect", "function"] as const) {
    it.effect(
      `is an error in the log, counts as failed, and is tried again by the same process: in its ${place}`,
      () => {
        const { layer, lines } = loudLines()
        const meters = measured()
        return Effect.gen(function* () {
          const { clock, mistake, one, other, table } = yield* world
          mistake.of = place
          set(table, "campaign", "cmp_1")
          set(table, "ledger", "2026-01-05")
          yield* one.run
          assert.strictEqual(meters.of("carillon.wakeups", "campaign", "failed"), 1)
          assert.strictEqual(meters.of("carillon.wakeups", "campaign", "interrupted"), null)
          assert.sameDeepMembers(
            lines.map(({ about, level }) => ({ about, level })),
            [
              { level: "Error", about: { kind: "campaign", wakeups: 1, last: "cmp_1" } },
              { level: "Error", about: { kind: "ledger", wakeups: 1, last: "2026-01-05" } },
            ],
          )
          for (const { text } of lines) assert.notInclude(text, "5551234567")
          // It was given back, so nobody waits for the end of a lease, and nobody is told of as killed.
          mistake.of = null
          clock.now += limits.wakeupRetryMs
          yield* one.run
          yield* other.run
          assert.deepStrictEqual(
            one.handled
              .slice(-2)
              .map(({ claim }) => claim.subject)
              .toSorted(),
            ["2026-01-05", "cmp_1"],
          )
          assert.lengthOf(other.handled, 0)
          assert.lengthOf(lines, 2)
        }).pipe(Effect.scoped, Effect.provide([layer, meters.layer]))
      },
    )
  }

  it.effect("is tried again for ever, and is a line a minute", () => {
    const { layer, lines } = loudLines()
    return Effect.gen(function* () {
      const { clock, mistake, one, table } = yield* world
      mistake.of = "effect"
      set(table, "call", "exec_1")
      const minutes = 3
      for (
        const end = clock.now + minutes * limits.handlersToldMs;
        clock.now < end;
        clock.now += limits.wakeupRetryMs
      ) {
        yield* one.run
      }
      assert.lengthOf(one.handled, (minutes * limits.handlersToldMs) / limits.wakeupRetryMs)
      assert.deepStrictEqual(
        lines.map(({ about }) => Object(about).wakeups),
        [1, 12, 12],
      )
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})

describe("a handler that fails", () => {
  it.effect("is a warning of its kind, which names what failed, and counts", () => {
    const { layer, lines } = loudLines()
    const meters = measured()
    return Effect.gen(function* () {
      const { one, storage, table } = yield* world
      storage.isDown = true
      for (let nth = 0; nth < 3; nth++) set(table, "call", `exec_${nth}`)
      yield* one.run
      assert.strictEqual(meters.of("carillon.wakeups", "call", "failed"), 3)
      assert.deepStrictEqual(
        lines.map(({ about, level }) => ({ about, level })),
        [{ level: "Warn", about: { kind: "call", wakeups: 1, last: "exec_0" } }],
      )
      assert.include(lines[0]?.text, "DependencyUnavailable call_storage")
    }).pipe(Effect.scoped, Effect.provide([layer, meters.layer]))
  })

  it.effect("is told by the line of the dependency alone, while that is away", () => {
    const { layer, lines } = loudLines()
    return Effect.gen(function* () {
      yield* (yield* CurrentOutages)?.failed("store", "it is down") ?? Effect.void
      const { one, storage, table } = yield* world
      storage.isDown = true
      set(table, "call", "exec_1")
      yield* one.run
      assert.lengthOf(one.handled, 1)
      assert.deepStrictEqual(
        lines.map(({ text }) => text.split(" (")[0]),
        ["The store does not answer"],
      )
    }).pipe(Effect.scoped, Effect.provide([layer, outagesLayer]))
  })
})

describe("a handler that hangs", () => {
  it.effect("shows by the age of the oldest claim, and is one warning once it counts as hung", () => {
    const { layer, lines } = loudLines()
    const meters = measured()
    return Effect.gen(function* () {
      // Both measure into the same place, where the second one is read.
      const { clock, other: one, table } = yield* world
      set(table, "call", "exec_1")
      assert.strictEqual(meters.of("carillon.claims.oldest.age"), 0)
      for (; clock.now < epoch + limits.wakeupHandlingMs; clock.now += limits.wakeupRenewMs) yield* one.run
      assert.deepStrictEqual(lines, [])
      assert.strictEqual(meters.of("carillon.claims.oldest.age"), limits.wakeupHandlingMs / 1_000)
      yield* one.run
      assert.deepStrictEqual(
        lines.map(({ about, level }) => ({ about, level })),
        [{ level: "Warn", about: { kind: "call", wakeups: 1, last: "exec_1" } }],
      )
      yield* one.done("exec_1")
      assert.strictEqual(meters.of("carillon.claims.oldest.age"), 0)
    }).pipe(Effect.scoped, Effect.provide([layer, meters.layer]))
  })
})
