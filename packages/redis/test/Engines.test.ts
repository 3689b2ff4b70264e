import {
  Activity,
  Calls,
  Chance,
  type DialCommand,
  DomainClock,
  Engine,
  Funds,
  Ids,
  KeyMinter,
  limits,
  Parking,
  Reconciler,
  SlotStore,
  Telephony,
  Transliterator,
  WebhookTransport,
} from "@carillon/core"
import { MemoryRates, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { sampleAgent, sampleCaller, sampleOrganization, samplePlaceCall } from "@carillon/core/testing"
import { RedisConnection, RedisSlots } from "@carillon/redis"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger, Schedule } from "effect"
import { fileDice } from "../../../scripts/dice.ts"
import { Proxy } from "../../../scripts/servers/Proxy.ts"
import { onRedis, RedisProcess } from "./RedisServer.ts"

const organizationId = "org_1"
const agentId = "agt_1"
const ceiling = 3
const epoch = Date.UTC(2026, 0, 5, 9)
/** Domain time runs ahead of the wall, so that reservations and ticks come round while the test runs. */
const fast = 20
/** Domain time all but stands still: the next tick of a reconciler is a minute away. */
const slow = 0.25

const organization = sampleOrganization(organizationId, {
  wallet: { balance: 1_000_000, currency: "USD" },
  concurrency: { organization: ceiling, per_agent: null, enforced: true },
})

const agent = sampleAgent(organizationId, { agent_id: agentId })

const caller = sampleCaller(organizationId)

const request = samplePlaceCall(agentId)

const end = {
  status: "completed" as const,
  duration_seconds: 1,
  answered_by_voicemail: false,
  hangup_by: null,
  hangup_reason: null,
  error: null,
}

/** The carrier, and what it really saw. */
class Legs {
  live = 0
  peak = 0
  dialled = 0
  /** How long a leg lasts, at least and at most (milliseconds). */
  lastMs: readonly [number, number] = [5, 25]
  readonly ids = new Set<string>()
  twice = 0

  dial({ execution_id }: DialCommand): void {
    if (this.ids.has(execution_id)) this.twice += 1
    this.ids.add(execution_id)
    this.dialled += 1
    this.live += 1
    this.peak = Math.max(this.peak, this.live)
  }
}

const dice = fileDice()

const pause = (least: number, most: number) => Effect.sleep(dice.between(least, most))

const openWorld = Effect.fnUntraced(function* (engineCount: number, speed = fast) {
  const redis = yield* Effect.acquireRelease(
    Effect.promise(() => RedisProcess.open()),
    (opened) => Effect.promise(() => opened.close()),
  )
  const began = Date.now()
  const now = () => epoch + (Date.now() - began) * speed
  const tables = new MemoryTables()
  tables.commit({
    id: "cmt_first",
    organization_id: organizationId,
    expect: [],
    changes: [
      { put: "organization", row: organization },
      { put: "agent", row: agent },
    ],
    wakeups: [],
    events: [],
    audit: [],
  })
  const legs = new Legs()
  const open = Effect.gen(function* () {
    const proxy = yield* Effect.acquireRelease(
      Effect.promise(() => Proxy.open(redis.port)),
      (opened) => Effect.promise(() => opened.close()),
    )
    let report: Engine["Service"]["report"] = () => Effect.succeed("unknown_execution")
    const tell = (told: Parameters<Engine["Service"]["report"]>[0]) =>
      Effect.ignore(Effect.retry(report(told), { times: 20 }))
    const carrier = Layer.succeed(Telephony, {
      dial: (command) =>
        Effect.gen(function* () {
          legs.dial(command)
          const leg = { execution_id: command.execution_id, call_sid: `leg-${command.execution_id}` }
          yield* Effect.forkDetach(
            Effect.gen(function* () {
              yield* pause(...legs.lastMs)
              legs.live -= 1
              const facts = { recording_url: null, cost: null, media: null }
              yield* tell({ ...leg, type: "initiated", at: now() })
              yield* tell({ ...leg, type: "ended", at: now(), end })
              yield* tell({ ...leg, type: "final", at: now(), end, facts })
            }),
          )
          return { _tag: "Accepted" as const, call_sid: leg.call_sid }
        }),
      hangup: () => Effect.succeed("Sent" as const),
      find: () => Effect.succeed({ _tag: "NoAnswer" as const }),
    })
    const storage = MemoryStore.layer(tables)
    const services = yield* Layer.build(
      Engine.driver.pipe(
        Layer.provideMerge(Engine.layer),
        Layer.provideMerge(Parking.layer),
        Layer.provideMerge(Activity.layer),
        Layer.provideMerge(RedisSlots.layer.pipe(Layer.provide(RedisConnection.layer({ url: proxy.url })))),
        Layer.provideMerge(
          Layer.mergeAll(
            storage,
            MemoryRates.layer(),
            carrier,
            Layer.mock(WebhookTransport)({}),
            Layer.succeed(DomainClock, { now }),
            Ids.layerSeeded(dice.unit()),
            Chance.layerSeeded(dice.unit()),
            KeyMinter.layer,
            Funds.layer.pipe(Layer.provide(storage)),
            Transliterator.layer,
          ),
        ),
      ),
    )
    report = Context.get(services, Engine).report
    return {
      proxy,
      place: Context.get(services, Calls).place(caller, request),
      slots: Context.get(services, SlotStore),
      tick: Context.get(services, Reconciler).tick,
    }
  })
  const engines = yield* Effect.all(Array.from({ length: engineCount }, () => open))
  return { redis, legs, engines, now }
})

type Outage = Effect.Effect<void>

onRedis("engines on one Redis", () => {
  type World = Effect.Success<ReturnType<typeof openWorld>>
  const outages: Readonly<Record<string, (world: World) => { readonly begin: Outage; readonly end: Outage }>> = {
    "Redis is away": ({ redis }) => ({
      begin: Effect.promise(() => redis.kill()),
      end: Effect.promise(() => redis.start()),
    }),
    "one of them cannot reach Redis": ({ engines: [engine] }) => ({
      begin: Effect.sync(() => engine?.proxy.cut()),
      end: Effect.sync(() => engine?.proxy.mend()),
    }),
  }

  it.live.each(Object.entries(outages))(
    "keep the ceiling by the committed calls while %s, and leave no line behind afterwards",
    ([, outage]) =>
      Effect.gen(function* () {
        const world = yield* openWorld(3)
        const { legs, engines } = world
        const { begin, end } = outage(world)
        let isOver = false
        const customer = (engine: (typeof engines)[number]) =>
          Effect.gen(function* () {
            while (!isOver) {
              yield* Effect.ignore(engine.place)
              yield* pause(1, 6)
            }
          })
        const customers = yield* Effect.forEach(
          engines.flatMap((engine) => Array.from({ length: 4 }, () => engine)),
          (engine) => Effect.forkScoped(customer(engine)),
        )
        const further = Effect.fnUntraced(function* (calls: number) {
          const before = legs.dialled
          while (legs.dialled < before + calls) yield* Effect.sleep(5)
        })
        yield* further(20)
        for (let round = 0; round < 2; round++) {
          yield* begin
          yield* further(20)
          yield* end
          yield* further(60)
        }
        isOver = true
        yield* Effect.forEach(customers, Fiber.await)
        while (legs.live > 0) yield* Effect.sleep(5)
        assert.isAtMost(legs.peak, ceiling)
        assert.strictEqual(legs.twice, 0)
        const [engine] = engines
        assert.isDefined(engine)
        // What was reserved when an answer was lost lapses in its time, so ticks come at the distance of those of an engine.
        for (let tick = 0; tick < 2; tick++) {
          yield* Effect.sleep(limits.reconcileMs / fast)
          // As an engine does: on a busy machine an answer may take longer than its tenth of a second.
          yield* Effect.retry(engine.tick, { times: 50, schedule: Schedule.spaced(100) })
        }
        const members = Effect.retry(engine.slots.members(null, 100), { times: 50, schedule: Schedule.spaced(100) })
        assert.deepStrictEqual(yield* members, [])
      }).pipe(Effect.scoped),
  )

  const hang = (redis: RedisProcess, ms: number) =>
    Effect.promise(() => redis.command((client) => client.client("PAUSE", ms, "ALL")))

  /** Places calls at each engine until the scope closes. */
  const customersOf = ({ engines }: World) =>
    Effect.forEach(
      engines.flatMap((engine) => [engine, engine]),
      (engine) => Effect.forkScoped(Effect.forever(Effect.andThen(Effect.ignore(engine.place), pause(1, 6)))),
    )

  const dialledFurther = Effect.fnUntraced(function* ({ legs }: World, calls: number) {
    const before = legs.dialled
    while (legs.dialled < before + calls) yield* Effect.sleep(5)
  })

  it.live("give back what a hanging Redis did not hear of as soon as it answers, and wait for no tick", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(2, slow)
      const { engines, legs, redis } = world
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* customersOf(world)
          yield* dialledFurther(world, 20)
          yield* hang(redis, 1_500)
          yield* dialledFurther(world, 20)
        }),
      )
      while (legs.live > 0) yield* Effect.sleep(5)
      for (const { slots } of engines) {
        const members = Effect.catch(slots.members(null, 100), () => Effect.succeed(null))
        let held = yield* members
        while (held === null || held.some(({ state }) => state === "held")) {
          yield* Effect.sleep(20)
          held = yield* members
        }
      }
      assert.isAtMost(legs.peak, ceiling)
    }).pipe(Effect.scoped),
  )

  it.live("leave no line to dials that gave up while Redis hung", () =>
    Effect.gen(function* () {
      // Dials wait for less time than Redis hangs, and a line that nobody uses would be kept for five seconds.
      const world = yield* openWorld(2, 4)
      const { engines, legs, redis } = world
      const [engine] = engines
      assert.isDefined(engine)
      legs.lastMs = [300, 500]
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* customersOf(world)
          yield* dialledFurther(world, 10)
          yield* hang(redis, 1_700)
          yield* Effect.sleep(1_700)
        }),
      )
      while (legs.live > 0) yield* Effect.sleep(5)
      const members = Effect.retry(engine.slots.members(null, 100), { times: 50, schedule: Schedule.spaced(100) })
      for (let left = yield* members; left.length > 0; left = yield* members) {
        for (const { reserved_until, state } of left) {
          // One that lapses was nobody's until then.
          if (state === "reserved") assert.isBelow(world.now(), reserved_until)
        }
        yield* Effect.sleep(20)
      }
      assert.isAtMost(legs.peak, ceiling)
    }).pipe(Effect.scoped),
  )

  const troubles: Readonly<
    Record<
      string,
      {
        readonly strike: (redis: RedisProcess) => Effect.Effect<void>
        readonly said: readonly [away: string, back: string]
      }
    >
  > = {
    hangs: {
      strike: (redis) => hang(redis, 1_000),
      said: ["Redis does not answer", "Redis answers again"],
    },
    "is lost": {
      strike: (redis) =>
        Effect.promise(async () => {
          await redis.kill()
          await redis.start()
        }),
      said: ["The connection to Redis broke", "Redis answers again"],
    },
    "is flushed": {
      strike: (redis) => Effect.asVoid(Effect.promise(() => redis.command((client) => client.flushall()))),
      said: ["Redis does not know every line", "Redis knows every line again"],
    },
  }

  it.live.each(Object.entries(troubles))(
    "say once each that Redis %s and is well again, and how lines are given",
    ([, trouble]) => {
      const said: Array<string> = []
      const gate = ["The slot store failed", "The slot store holds what the rows say"] as const
      const count = (begin: string) => said.filter((line) => line.startsWith(begin)).length
      return Effect.gen(function* () {
        const world = yield* openWorld(1)
        const [engine] = world.engines
        assert.isDefined(engine)
        yield* customersOf(world)
        yield* dialledFurther(world, 10)
        said.length = 0
        yield* trouble.strike(world.redis)
        while (count("The slot store holds") === 0) yield* Effect.sleep(5)
        yield* dialledFurther(world, 10)
        // On a busy machine Redis may be slow for good reason more than once: each time both lines come, in their order, and neither twice.
        for (const [away, back] of [trouble.said, gate]) {
          const told = said.filter((line) => line.startsWith(away) || line.startsWith(back))
          assert.isAtLeast(told.length, 2, said.join("\n"))
          for (const [nth, line] of told.entries()) {
            assert.isTrue(line.startsWith(nth % 2 === 0 ? away : back), said.join("\n"))
          }
        }
      }).pipe(Effect.scoped, Effect.provide(Logger.layer([Logger.make(({ message }) => said.push(String(message)))])))
    },
  )
})
