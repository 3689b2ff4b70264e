import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { fileDice } from "../../../scripts/dice.ts"
import { comesAbout } from "../../../scripts/patience.ts"
import { acquire, ceilings, demandsOf, openProcess, type Process, reservationMs, type Tenure, Truth } from "./Line.ts"
import { onRedis, RedisProcess } from "./RedisServer.ts"

const processCount = 3
const workersPerProcess = 6

const server = Effect.acquireRelease(
  Effect.promise(() => RedisProcess.open()),
  (opened) => Effect.promise(() => opened.close()),
)

const { between, oneOf } = fileDice()

const pause = (least: number, most: number) => Effect.sleep(between(least, most))

const isAnswered = <A, E>(effect: Effect.Effect<A, E>) => Effect.map(Effect.result(effect), Result.isSuccess)

/** How long a dial stands in line. */
const waitMs = 40

/** A process that was held up: most are not, one in eight for long enough that a reservation may end meanwhile. */
const stall = (nth: number, least: number, most: number) => pause(least, nth % 8 === 0 ? 10 * most : most)

/** What a call does: reserve, commit, hold, dial, end, release. Nothing is dialled on what is not known. */
const call = Effect.fnUntraced(function* (process: Process, truth: Truth, nth: number) {
  const id = `exec_${String(nth).padStart(6, "0")}`
  const demands = demandsOf(nth)
  const waits = nth % 4 === 0
  const askedAt = truth.now()
  let until = askedAt + reservationMs
  let answer = yield* acquire(process, truth, id, demands, waits ? waitMs : null)
  if (answer._tag === "Blocked" && waits) {
    yield* stall(nth, 1, 50)
    // A line that was handed on is reserved from the end of the wait.
    until = Math.min(until + waitMs, truth.now() + reservationMs)
    answer = yield* acquire(process, truth, id, demands)
    if (answer._tag === "Blocked") yield* process.slots.leave(id, truth.now())
  }
  if (answer._tag === "Blocked") return
  const { fence } = answer
  yield* stall(nth, 0, 12)
  const tenure: Tenure = { askedAt, until, heldAt: null }
  if (truth.commit(id, demands, fence, tenure)) {
    yield* stall(nth, 0, 12)
    const isInTime = truth.now() < until
    if (isInTime && (yield* Effect.catch(process.slots.hold(id, fence), () => Effect.succeed(false)))) {
      tenure.heldAt = truth.now()
      yield* Effect.scoped(Effect.andThen(truth.dial(demands), stall(nth, 1, 12)))
      process.dialled += 1
    }
    truth.end(id)
  }
  // Some processes end before they give a line back.
  if (nth % 9 !== 0) yield* process.slots.release(id, fence, truth.now())
})

const ending = Effect.fnUntraced(function* (processes: ReadonlyArray<Process>, truth: Truth) {
  truth.aheadMs += 60_000
  const [one] = processes
  assert.isDefined(one)
  const tick = Effect.gen(function* () {
    while (!(yield* isAnswered(one.reconcile))) yield* Effect.sleep(20)
  })
  yield* tick
  yield* tick
  assert.deepStrictEqual(yield* one.slots.members(null, 100), [])
  const keys = new Map(
    Array.from({ length: 30 }, (_, nth) =>
      demandsOf(nth).map((one) => [`${one.level} ${one.key}`, one] as const),
    ).flat(),
  )
  const used = yield* one.slots.used([...keys.values()])
  assert.isTrue(used.every((count) => count === 0))
})

/** What shows why a process does not dial: the lines as each of them sees them. */
const linesOf = (processes: ReadonlyArray<Process>) =>
  Effect.forEach(processes, ({ dialled, slots }) =>
    Effect.map(Effect.exit(slots.members(null, 100)), (members) => ({ dialled, members })),
  )

const world = Effect.gen(function* () {
  const redis = yield* server
  const truth = new Truth()
  const processes = yield* Effect.all(Array.from({ length: processCount }, () => openProcess(redis, truth)))
  return { redis, truth, processes }
})

onRedis("the gate under faults", () => {
  const faults: Readonly<
    Record<string, (redis: RedisProcess, processes: ReadonlyArray<Process>) => Effect.Effect<void, unknown>>
  > = {
    "kill -9": (redis) =>
      Effect.gen(function* () {
        yield* Effect.promise(() => redis.kill())
        yield* pause(0, 200)
        yield* Effect.promise(() => redis.start())
      }),
    FLUSHALL: (redis) => Effect.promise(() => redis.command((client) => client.flushall())),
    "CLIENT KILL": (redis) =>
      Effect.promise(() => redis.command((client) => client.call("CLIENT", "KILL", "TYPE", "normal"))),
    "CLIENT PAUSE": (redis) =>
      Effect.promise(() => redis.command((client) => client.client("PAUSE", between(100, 700), "ALL"))),
    "a cut line": (_, processes) =>
      Effect.gen(function* () {
        const proxy = oneOf(processes).proxy
        proxy.cut()
        yield* pause(0, 200)
        proxy.mend()
      }),
    "a slow line": (_, processes) =>
      Effect.gen(function* () {
        const proxy = oneOf(processes).proxy
        proxy.delayMs = between(60, 180)
        yield* pause(200, 500)
        proxy.mend()
      }),
    "lost answers": (_, processes) =>
      Effect.gen(function* () {
        const proxy = oneOf(processes).proxy
        proxy.swallowsAnswers = true
        yield* pause(200, 500)
        proxy.breakAll()
        proxy.mend()
      }),
  }

  for (const [name, strike] of Object.entries(faults)) {
    it.live(`${name}: no over-admission, and no line is lost for good`, () =>
      Effect.gen(function* () {
        const { redis, truth, processes } = yield* world
        let nth = 0
        let isOver = false
        const worker = (process: Process) =>
          Effect.gen(function* () {
            while (!isOver) {
              yield* Effect.ignore(call(process, truth, nth++))
              yield* pause(1, 4)
            }
          })
        const workers = yield* Effect.forEach(
          processes.flatMap((process) => Array.from({ length: workersPerProcess }, () => process)),
          (process) => Effect.forkScoped(worker(process)),
        )
        const reconciling = processes.map((process) =>
          Effect.gen(function* () {
            while (!isOver) {
              yield* Effect.ignore(process.reconcile)
              yield* pause(20, 60)
            }
          }),
        )
        workers.push(...(yield* Effect.forEach(reconciling, (one) => Effect.forkScoped(one))))
        for (let round = 0; round < 2; round++) {
          yield* pause(0, 60)
          yield* truth.strike(strike(redis, processes))
          // Every process dials again after it.
          const before = processes.map(({ dialled }) => dialled)
          yield* comesAbout("that every process dials again", {
            look: Effect.sync(() => ({
              isThere: processes.every(({ dialled }, index) => dialled > (before[index] ?? 0) + 5),
              progress: processes.map(({ dialled }) => dialled).join(", "),
            })),
            rows: linesOf(processes),
          })
        }
        isOver = true
        yield* Effect.forEach(workers, Fiber.await)
        assert.deepStrictEqual(truth.overAdmissions, [])
        yield* ending(processes, truth)
      }).pipe(Effect.scoped),
    )
  }

  it.live("a flush is answered by refusing until the committed calls are entered again", () =>
    Effect.gen(function* () {
      const { redis, truth, processes } = yield* world
      const [one, other] = processes
      assert(one !== undefined && other !== undefined)
      const demands = demandsOf(1)
      const reserved = yield* acquire(one, truth, "exec_late", demands)
      assert(reserved._tag === "Acquired")
      yield* one.slots.release("exec_late", reserved.fence, truth.now())
      for (let n = 0; n < ceilings.agent; n++) {
        const now = truth.now()
        const answer = yield* acquire(one, truth, `exec_${n}`, demands)
        assert(answer._tag === "Acquired")
        assert.isTrue(
          truth.commit(`exec_${n}`, demands, answer.fence, { askedAt: now, until: now + reservationMs, heldAt: now }),
        )
        assert.isTrue(yield* one.slots.hold(`exec_${n}`, answer.fence))
      }
      yield* Effect.promise(() => redis.command((client) => client.flushall()))
      const late = Effect.result(acquire(other, truth, "exec_late", demands))
      assert.isTrue(Result.isFailure(yield* late))
      let answer = yield* late
      yield* comesAbout("an answer", {
        look: Effect.map(late, (next) => {
          answer = next
          return { isThere: Result.isSuccess(next) }
        }),
        rows: linesOf(processes),
      })
      assert(Result.isSuccess(answer))
      assert.deepStrictEqual(answer.success, { _tag: "Blocked", level: "agent", used: 3, max: 3 })
      const members = yield* one.slots.members(null, 10)
      assert.strictEqual(members.length, ceilings.agent)
      // No fence is given twice, also where Redis has forgotten which it gave.
      yield* one.slots.release("exec_0", members[0]?.fence ?? 0, truth.now())
      const again = yield* late
      assert(Result.isSuccess(again) && again.success._tag === "Acquired")
      assert.isAbove(again.success.fence, reserved.fence)
    }).pipe(Effect.scoped),
  )
})
