import { type Caller, Calls, Engine, Funds, Gate, limits, Reconciler, Telephony, Transliterator } from "@carillon/core"
import { isTerminal } from "@carillon/core/domain"
import {
  Activity,
  Chance,
  DomainClock,
  Ids,
  KeyMinter,
  Parking,
  type SlotMember,
  SlotStore,
  WebhookTransport,
} from "@carillon/core/ports"
import { MemoryRates, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { sampleAgent, sampleCaller, sampleOrganization, samplePlaceCall, TestWorld } from "@carillon/core/testing"
import { RedisConnection, RedisSlots } from "@carillon/redis"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger, Schedule } from "effect"
import { fileDice } from "../../../scripts/dice.ts"
import { comesAbout } from "../../../scripts/patience.ts"
import { Proxy } from "../../../scripts/servers/Proxy.ts"
import * as OlderSlots from "./older/RedisSlots.ts"
import { onRedis, RedisProcess } from "./RedisServer.ts"

const organizationId = "org_1"
const agentId = "agt_1"
const ceiling = 3
const epoch = Date.UTC(2026, 0, 5, 9)
/** Domain time runs ahead of the wall, so that reservations and ticks come round while the test runs. */
const fast = 20
/** Domain time all but stands still: the next tick of a reconciler is hours away, and whoever compares lines with rows after a loss is minutes away. */
const slow = 0.002

const organization = sampleOrganization(organizationId, {
  wallet: { balance: 1_000_000, currency: "USD" },
  concurrency: { organization: ceiling, per_agent: null, enforced: true },
})

const agent = sampleAgent(organizationId, { agent_id: agentId })

const caller = sampleCaller(organizationId)

const request = samplePlaceCall(agentId)

const dice = fileDice()

const pause = (least: number, most: number) => Effect.sleep(dice.between(least, most))

/** How long a leg lasts, at least and at most (milliseconds). */
const shortLegs = [5, 25] as const

interface WorldOptions {
  readonly lastMs?: readonly [number, number]
  readonly speed?: number
  /** The gates of the engines, in turn. */
  readonly gates?: ReadonlyArray<typeof RedisSlots.layer>
}

const openWorld = Effect.fnUntraced(function* (
  engineCount: number,
  { gates = [], lastMs = shortLegs, speed = fast }: WorldOptions = {},
) {
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
  const carrier = new TestWorld.LiveCarrier(now, () => {
    const ended = dice.between(...lastMs) * speed
    return {
      reports: [
        [ended, "initiated"],
        [ended, "ended"],
        [ended, "final"],
      ],
      asked: { _tag: "NoAnswer" },
    }
  })
  yield* Effect.forkScoped(carrier.speaking)
  const open = Effect.fnUntraced(function* (nth: number) {
    const proxy = yield* Effect.acquireRelease(
      Effect.promise(() => Proxy.open(redis.port)),
      (opened) => Effect.promise(() => opened.close()),
    )
    let report: Engine["Service"]["report"] = () => Effect.succeed("unknown_execution")
    const telephony = Layer.succeed(
      Telephony,
      carrier.telephony((told) => report(told)),
    )
    const storage = MemoryStore.layer(tables)
    const services = yield* Layer.build(
      Engine.driver.pipe(
        Layer.provideMerge(Engine.layer),
        Layer.provideMerge(Parking.layer),
        Layer.provideMerge(Activity.layer),
        Layer.provideMerge(
          (gates[nth] ?? RedisSlots.layer).pipe(Layer.provide(RedisConnection.layer({ url: proxy.url }))),
        ),
        Layer.provideMerge(
          Layer.mergeAll(
            storage,
            MemoryRates.layer(),
            telephony,
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
    let placed = 0
    return {
      proxy,
      place: (whenGone?: Caller["whenGone"]) =>
        Effect.tap(Context.get(services, Calls).place({ ...caller, whenGone }, request), () =>
          Effect.sync(() => {
            placed += 1
          }),
        ),
      /** Calls that it has placed. */
      placed: () => placed,
      slots: Context.get(services, SlotStore),
      gate: Context.get(services, Gate),
      tick: Context.get(services, Reconciler).tick,
    }
  })
  const engines = yield* Effect.all(Array.from({ length: engineCount }, (_, nth) => open(nth)))
  /** What shows why nobody gets on: calls that have not ended or whose line is taken, legs, and the lines as each engine sees them. */
  const rows = Effect.gen(function* () {
    const lines = yield* Effect.forEach(engines, ({ gate, slots }) =>
      Effect.match(slots.members(null, 100), {
        onSuccess: (members) => ({ trusted: gate.isTrusted(), members }),
        onFailure: () => ({ trusted: gate.isTrusted(), members: null }),
      }),
    )
    const taken = new Set(lines.flatMap(({ members }) => members ?? []).map(({ execution_id }) => execution_id))
    const { items } = tables.calls.page(organizationId, {}, { page: 1, page_size: 10_000 })
    const open = items.filter(({ execution_id, status }) => !isTerminal(status) || taken.has(execution_id))
    return [
      ...open.map(({ dial, execution_id, slot, status }) => ({ call: execution_id, status, dial, slot })),
      ...carrier.live.map(({ execution_id }) => ({ leg: execution_id })),
      ...lines.map((line, engine) => ({ engine, ...line })),
    ]
  })
  /** Waits until it is so, as long as anybody gets on. */
  const until = (what: string, isThere: () => boolean, progress: () => string | number) =>
    comesAbout(what, { look: Effect.sync(() => ({ isThere: isThere(), progress: progress() })), rows })
  const dialled = () => carrier.dials.length
  return {
    redis,
    carrier,
    engines,
    now,
    rows,
    until,
    /** So many calls more are dialled. */
    further: (calls: number) =>
      Effect.suspend(() => {
        const from = dialled()
        return until(`${calls} calls more`, () => dialled() >= from + calls, dialled)
      }),
    silence: until(
      "the end of all legs",
      () => carrier.live.length === 0,
      () => carrier.live.length,
    ),
    /** Waits until the lines are as they shall be, as this engine sees them. */
    lines: (what: string, { slots }: { readonly slots: SlotStore["Service"] }, isSo: (line: SlotMember) => boolean) =>
      comesAbout(what, {
        look: Effect.match(slots.members(null, 100), {
          onSuccess: (members) => ({
            isThere: members.every(isSo),
            progress: members.map(({ execution_id, fence, state }) => `${execution_id} ${fence} ${state}`).join(", "),
          }),
          onFailure: () => ({ isThere: false, progress: "no answer" }),
        }),
        rows,
      }),
  }
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
        const { carrier, engines, further } = world
        const { begin, end } = outage(world)
        let isOver = false
        const customer = (engine: (typeof engines)[number]) =>
          Effect.gen(function* () {
            while (!isOver) {
              yield* Effect.ignore(engine.place())
              yield* pause(1, 6)
            }
          })
        const customers = yield* Effect.forEach(
          engines.flatMap((engine) => Array.from({ length: 4 }, () => engine)),
          (engine) => Effect.forkScoped(customer(engine)),
        )
        yield* further(20)
        for (let round = 0; round < 2; round++) {
          yield* begin
          yield* further(20)
          yield* end
          yield* further(60)
        }
        isOver = true
        yield* Effect.forEach(customers, Fiber.await)
        yield* world.silence
        assert.isAtMost(carrier.peak, ceiling)
        assert.strictEqual(carrier.ids.size, carrier.dials.length)
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

  /** Places calls at each engine until the scope closes. Then all hang up, as clients do: nobody goes on waiting for a line. */
  const customersOf = Effect.fnUntraced(function* ({ engines }: World) {
    let areGone = false
    const waiting = new Set<() => void>()
    const whenGone = (listener: () => void) => {
      if (areGone) listener()
      else waiting.add(listener)
      return () => waiting.delete(listener)
    }
    yield* Effect.forEach(
      engines.flatMap((engine) => [engine, engine]),
      ({ place }) => Effect.forkScoped(Effect.forever(Effect.andThen(Effect.ignore(place(whenGone)), pause(1, 6)))),
    )
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        areGone = true
        for (const listener of waiting) listener()
      }),
    )
  })

  it.live("give back what a hanging Redis did not hear of as soon as it answers, and wait for no tick", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(2, { speed: slow, lastMs: [1_000, 1_500] })
      const { carrier, engines, redis } = world
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* customersOf(world)
          yield* world.further(ceiling)
          yield* hang(redis, 2_500)
          // What was sent by now is heard late. After some questions without an answer nothing is sent any more, such as the end of these legs.
          yield* Effect.forEach(
            engines.flatMap((engine) => [engine, engine, engine]),
            ({ slots }) => Effect.ignore(slots.members(null, 1)),
            { concurrency: "unbounded" },
          )
          yield* world.further(ceiling)
        }),
      )
      yield* world.silence
      for (const engine of engines) {
        yield* world.lines("that no line is held for a call that is over", engine, ({ state }) => state !== "held")
      }
      assert.isAtMost(carrier.peak, ceiling)
    }).pipe(Effect.scoped),
  )

  it.live("leave no line to dials that gave up while Redis hung", () =>
    Effect.gen(function* () {
      // Dials wait for less time than Redis hangs, and a line that nobody uses would be kept for five seconds.
      const world = yield* openWorld(2, { speed: 4, lastMs: [300, 500] })
      const { carrier, engines, redis } = world
      const [engine] = engines
      assert.isDefined(engine)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* customersOf(world)
          yield* world.further(10)
          yield* hang(redis, 1_700)
          yield* Effect.sleep(1_700)
        }),
      )
      yield* world.silence
      yield* world.lines("that no line is taken", engine, ({ reserved_until, state }) => {
        // One that lapses was nobody's until then.
        if (state === "reserved") assert.isBelow(world.now(), reserved_until)
        return false
      })
      assert.isAtMost(carrier.peak, ceiling)
    }).pipe(Effect.scoped),
  )

  it.live(
    "keep the ceiling while those of the release before go on beside them, whoever ends a call, and whoever leaves",
    () =>
      Effect.gen(function* () {
        const world = yield* openWorld(3, { gates: [OlderSlots.layer, RedisSlots.layer, OlderSlots.layer] })
        const { carrier, engines, redis } = world
        const [, ours] = engines
        assert.isDefined(ours)
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* customersOf(world)
            yield* Effect.forkScoped(
              Effect.forEach(engines, ({ tick }) => Effect.ignore(tick)).pipe(
                Effect.andThen(Effect.sleep(limits.reconcileMs / fast)),
                Effect.forever,
              ),
            )
            yield* world.until(
              "calls of each engine",
              () => engines.every(({ placed }) => placed() >= 40),
              () => engines.map(({ placed }) => placed()).join(", "),
            )
          }),
        )
        yield* world.silence
        assert.isAtMost(carrier.peak, ceiling)
        assert.strictEqual(carrier.ids.size, carrier.dials.length)
        for (let tick = 0; tick < 2; tick++) {
          yield* Effect.sleep(limits.reconcileMs / fast)
          yield* Effect.retry(ours.tick, { times: 50, schedule: Schedule.spaced(100) })
        }
        const members = Effect.retry(ours.slots.members(null, 100), { times: 50, schedule: Schedule.spaced(100) })
        assert.deepStrictEqual(yield* members, [])
        const keys = yield* Effect.promise(() => redis.command((client) => client.keys("{carillon:gate}:*")))
        assert.include(keys, "{carillon:gate}:slots")
        assert.include(keys, "{carillon:gate}:2:slots")
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
        yield* world.further(10)
        said.length = 0
        yield* trouble.strike(world.redis)
        // Calls go on meanwhile, so only what is waited for counts.
        yield* world.until(
          "a slot store that is trusted again",
          () => count("The slot store holds") > 0,
          () => said.length,
        )
        yield* world.further(10)
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
