import { assert, describe, it } from "@effect/vitest"
import {
  DependencyTimeout,
  DependencyUnavailable,
  type EngineError,
  Idempotency,
  InvalidField,
  StateConflict,
} from "@carillon/core"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { type KeptAnswer, Parking } from "@carillon/core/ports"
import { nothingMade, type Recalled } from "../../src/idempotency/rules/Recalled.ts"
import type { Keyed } from "../../src/keys/rules/Caller.ts"
import type { KeyedRequest } from "../../src/idempotency/Idempotency.ts"
import { Cause, Deferred, Effect, Exit, Fiber, Result } from "effect"
import { organizationId, World } from "../../src/testing/world/World.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const request: KeyedRequest = {
  organization_id: organizationId,
  route: "POST /v2/calls",
  key: "k",
  content: "{}",
  makes: "execution",
}

const recall = () => Effect.succeed(nothingMade)

const takingAt = (now: number, ms: number) => ({ now, expires_at: now + ms, held_until: now + ms, subject: "exec_1" })

const startedOn = Effect.fnUntraced(function* (world: World) {
  yield* world.start()
  let runs = 0
  const handle = Effect.sync(() => ({ status: 201, body: `{"run":${++runs}}` }))
  const send = (changes: Partial<KeyedRequest> = {}, handling: Effect.Effect<KeptAnswer, EngineError> = handle) =>
    world.run(
      Effect.flatMap(Idempotency, (idempotency) =>
        idempotency.run({ ...request, ...changes }, { handle: () => handling, recall }),
      ),
    )
  return { world, send, runs: () => runs }
})

const started = () => startedOn(new World())

/** A world whose store of keys is away, does what it is told and loses its answer, or refuses answers for good. */
const startedWithFaults = Effect.fnUntraced(function* () {
  const is = { away: false, losing: false, refusing: false }
  const gone = Effect.fail(new DependencyUnavailable({ dependency: "call_storage" }))
  const world = new World({
    interpose: (name, use) => {
      if (!name.startsWith("idempotency.")) return use
      if (is.away) return gone
      if (is.refusing && name === "idempotency.keep")
        return Effect.fail(new InvalidField({ field: "body", reason: "is too large" }))
      return is.losing ? Effect.andThen(use, gone) : use
    },
  })
  return {
    ...(yield* startedOn(world)),
    tables: world.tables,
    away: (value: boolean) => void (is.away = value),
    lost: (value: boolean) => void (is.losing = value),
    refuses: (value: boolean) => void (is.refusing = value),
  }
})

describe("a request with an Idempotency-Key", () => {
  it.effect("is run once and answered alike for 24 hours, then run anew", () =>
    Effect.gen(function* () {
      const { runs, send, world } = yield* started()
      assert.deepStrictEqual(yield* send(), { status: 201, body: '{"run":1}', replayed: false })
      yield* world.advance(day - 1)
      assert.deepStrictEqual(yield* send(), { status: 201, body: '{"run":1}', replayed: true })
      yield* world.advance(1)
      assert.deepStrictEqual(yield* send(), { status: 201, body: '{"run":2}', replayed: false })
      assert.strictEqual(runs(), 2)
    }),
  )

  it.effect("leaves nothing in the store within an hour after that, though nobody sends a key again", () =>
    Effect.gen(function* () {
      const { send, world } = yield* started()
      const began = world.now
      const kept = (of: KeyedRequest) =>
        world.tables.idempotency.begin({ ...of, fingerprint: "another" }, takingAt(began, 1))._tag === "Different"
      const others = Array.from({ length: 3 }, (_, nth) => ({ ...request, key: `k${nth}` }))
      yield* Effect.forEach(others, (each) => send(each))
      yield* world.advance(day - 1)
      assert.deepStrictEqual(others.map(kept), [true, true, true])
      yield* world.advance(hour + 1)
      assert.deepStrictEqual(others.map(kept), [false, false, false])
    }),
  )

  it.effect("asks for one look an hour, also where it could not before, and waits for none", () =>
    Effect.gen(function* () {
      let looks = 0
      let isAway = false
      const world = new World({
        interpose: (name, use) =>
          Effect.suspend(() => {
            if (name !== "wakeups.set") return use
            if (isAway) return Effect.fail(new DependencyUnavailable({ dependency: "scheduling_service" }))
            looks += 1
            return use
          }),
      })
      const { runs, send } = yield* startedOn(world)
      looks = 0
      yield* Effect.forEach([1, 2, 3], (nth) => send({ key: `k${nth}` }))
      assert.strictEqual(looks, 1)
      isAway = true
      yield* send({ key: "k4" })
      yield* world.advance(hour)
      yield* send({ key: "k5" })
      assert.strictEqual(runs(), 5)
      isAway = false
      yield* Effect.forEach(["k6", "k7"], (key) => send({ key }))
      assert.strictEqual(looks, 2)
    }),
  )

  it.effect("is one of its organization, route and key, and refuses another content", () =>
    Effect.gen(function* () {
      const { runs, send } = yield* started()
      yield* send()
      yield* send({ organization_id: "org_other" })
      yield* send({ route: "POST /v2/batches" })
      yield* send({ key: "K" })
      assert.strictEqual(runs(), 4)
      const other = yield* Effect.flip(send({ content: "{ }" }))
      assert.deepInclude(other, { _tag: "StateConflict" })
      assert.isUndefined(other._tag === "StateConflict" ? other.retryAfterSeconds : 0)
      for (const key of ["", "k".repeat(256)]) {
        assert.strictEqual((yield* Effect.flip(send({ key })))._tag, "Malformed")
      }
      assert.strictEqual((yield* send({ key: "k".repeat(255) })).replayed, false)
    }),
  )

  it.effect("is refused for a second while the first still runs", () =>
    Effect.gen(function* () {
      const { send } = yield* started()
      const gate = yield* Deferred.make<void>()
      const slow = Effect.as(Deferred.await(gate), { status: 201, body: "{}" })
      const first = yield* Effect.forkChild(send({}, slow))
      yield* Effect.yieldNow
      const second = yield* Effect.flip(send())
      assert.isTrue(second instanceof StateConflict && second.retryAfterSeconds === 1)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(first)).replayed, false)
      assert.strictEqual((yield* send()).replayed, true)
    }),
  )

  it.effect("lets go of a key whose request failed, died or was given up", () =>
    Effect.gen(function* () {
      const { runs, send } = yield* started()
      const refused = Effect.fail(new StateConflict({ message: "No." }))
      assert.isTrue(Result.isFailure(yield* Effect.result(send({}, refused))))
      yield* Effect.exit(send({}, Effect.die("bug")))
      const waiting = yield* Effect.forkChild(send({}, Effect.never))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(waiting)
      assert.strictEqual((yield* send()).replayed, false)
      assert.strictEqual(runs(), 1)
    }),
  )

  it.effect("is not held for a day where the store went away before it could let the key go", () =>
    Effect.gen(function* () {
      const { away, runs, send } = yield* startedWithFaults()
      const refused = new StateConflict({ message: "No." })
      const failing = Effect.andThen(
        Effect.sync(() => away(true)),
        Effect.fail(refused),
      )
      assert.strictEqual((yield* Effect.flip(send({}, failing)))._tag, "StateConflict")
      assert.strictEqual((yield* Effect.flip(send()))._tag, "DependencyUnavailable")
      away(false)
      assert.deepStrictEqual(yield* send(), { status: 201, body: '{"run":1}', replayed: false })
      assert.strictEqual(runs(), 1)
    }),
  )

  it.effect("is looked for at once where the store was away, and nobody knew whether it was done", () =>
    Effect.gen(function* () {
      const { away, send } = yield* startedWithFaults()
      const failing = Effect.andThen(
        Effect.sync(() => away(true)),
        Effect.fail(new DependencyUnavailable({ dependency: "call_storage" })),
      )
      yield* Effect.flip(send({}, failing))
      away(false)
      assert.strictEqual((yield* send()).replayed, false)
    }),
  )

  it.effect("is answered alike where the store went away before it could keep the answer", () =>
    Effect.gen(function* () {
      const { away, runs, send } = yield* startedWithFaults()
      const answer = { status: 201, body: '{"run":0}' }
      const done = Effect.sync(() => {
        away(true)
        return answer
      })
      assert.deepStrictEqual(yield* send({}, done), { ...answer, replayed: false })
      away(false)
      // Another request pays what is owed, too.
      yield* send({ key: "another" })
      assert.deepStrictEqual(yield* send(), { ...answer, replayed: true })
      assert.strictEqual(runs(), 1)
    }),
  )

  it.effect("is not let go by what an earlier one under its key owes, where that was done though nobody heard so", () =>
    Effect.gen(function* () {
      const { lost, send, tables, world } = yield* startedWithFaults()
      const failing = Effect.andThen(
        Effect.sync(() => lost(true)),
        Effect.fail(new StateConflict({ message: "No." })),
      )
      yield* Effect.flip(send({}, failing))
      lost(false)
      // Another process begins it again, and is not done yet.
      const claim = {
        organization_id: organizationId,
        route: request.route,
        key: request.key,
        fingerprint: "another's",
      }
      const later = world.now + 1
      assert.strictEqual(tables.idempotency.begin(claim, takingAt(later, day))._tag, "Begun")
      yield* send({ key: "another" })
      assert.deepStrictEqual(tables.idempotency.begin(claim, takingAt(later, day)), { _tag: "Running" })
    }),
  )

  it.effect("whose answer the store refuses for good is answered, and nothing is owed", () =>
    Effect.gen(function* () {
      const { refuses, send } = yield* startedWithFaults()
      refuses(true)
      assert.strictEqual((yield* send()).replayed, false)
      refuses(false)
      assert.isTrue((yield* Effect.flip(send())) instanceof StateConflict)
    }),
  )

  it.effect("holds its key for as long as it runs", () =>
    Effect.gen(function* () {
      const { send, world } = yield* started()
      const gate = yield* Deferred.make<void>()
      const slow = Effect.as(Deferred.await(gate), { status: 201, body: "{}" })
      const first = yield* Effect.forkChild(send({}, slow))
      yield* Effect.yieldNow
      yield* world.advance(10 * minute)
      assert.isTrue((yield* Effect.flip(send())) instanceof StateConflict)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(first)).replayed, false)
      assert.strictEqual((yield* send()).replayed, true)
    }),
  )

  it.effect(
    "waits under the name of what it makes: what a process cuts off is logged, and the key is the customer's",
    () =>
      Effect.gen(function* () {
        const { send, world } = yield* started()
        const secret = "k of a customer"
        const first = yield* Effect.forkChild(send({ key: secret }, Effect.never))
        yield* Effect.yieldNow
        const waiting = world.service(Parking).waiting()
        assert.lengthOf(
          waiting.filter(({ key }) => key.startsWith("key:exec_")),
          1,
        )
        assert.notInclude(JSON.stringify(waiting), secret)
        yield* Fiber.interrupt(first)
      }),
  )

  it.effect("that has a mistake says so, whoever has its key by then", () =>
    Effect.gen(function* () {
      const { send, world } = yield* started()
      const mistaken = Effect.andThen(
        Effect.sync(() => {
          world.now += minute
          const { content: _, makes: __, ...named } = request
          const fingerprint = bytesToHex(sha256(utf8ToBytes(request.content)))
          return world.tables.idempotency.begin({ ...named, fingerprint }, takingAt(world.now, day))
        }),
        Effect.die("bug"),
      )
      const exit = yield* Effect.exit(send({}, mistaken))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    }),
  )

  it.effect("whose key was taken over is refused, whatever became of it, and lets go of nothing", () =>
    Effect.gen(function* () {
      const { send, world } = yield* started()
      const lost = Effect.flatMap(
        Effect.sync(() => {
          world.now += minute
          const { content: _, makes: __, ...named } = request
          const fingerprint = bytesToHex(sha256(utf8ToBytes(request.content)))
          return world.tables.idempotency.begin({ ...named, fingerprint }, takingAt(world.now, day))
        }),
        (standing) => {
          assert.strictEqual(standing._tag, "TakenOver")
          return Effect.fail(new StateConflict({ message: "No." }))
        },
      )
      const refusal = yield* Effect.flip(send({}, lost))
      assert.deepInclude(refusal, { _tag: "StateConflict", retryAfterSeconds: 1 })
      assert.isTrue((yield* Effect.flip(send())) instanceof StateConflict)
    }),
  )

  it.effect("that failed though it may have been done is looked for before it is done again", () =>
    Effect.gen(function* () {
      const world = new World()
      yield* world.start()
      const answer = { status: 201, body: "{}" }
      const looked: Array<string> = []
      const run = (
        recalled: Recalled<KeptAnswer>,
        handling: Effect.Effect<KeptAnswer, EngineError> = Effect.succeed(answer),
      ) => {
        const made: Array<string> = []
        const handle = ({ subject }: Keyed) => {
          made.push(subject)
          return handling
        }
        const recall = (subject: string) => {
          looked.push(subject)
          return Effect.succeed(recalled)
        }
        const running = world.run(Effect.flatMap(Idempotency, (service) => service.run(request, { handle, recall })))
        return Effect.map(Effect.result(running), (result) => ({ made, result }))
      }
      const lost = Effect.fail(new DependencyTimeout({ dependency: "call_storage" }))
      const first = yield* run(nothingMade, lost)
      // Nothing was made: it is done again, as something else.
      const second = yield* run(nothingMade, lost)
      assert.deepStrictEqual(looked, first.made)
      assert.notDeepEqual(second.made, first.made)
      const asked = yield* run({ _tag: "Open", until: world.now + 7_500 })
      assert.deepInclude(yield* Effect.flip(Effect.fromResult(asked.result)), { retryAfterSeconds: 8 })
      const error = new DependencyUnavailable({ dependency: "telephony_service" })
      assert.strictEqual(yield* Effect.flip(Effect.fromResult((yield* run({ _tag: "Refused", error })).result)), error)
      // That let the key go.
      const third = yield* run({ _tag: "Refused", error }, lost)
      assert.lengthOf(third.made, 1)
      const found = yield* run({ _tag: "Made", made: answer })
      assert.deepStrictEqual(yield* Effect.fromResult(found.result), { ...answer, replayed: true })
      assert.deepStrictEqual(found.made, [])
      assert.deepStrictEqual(looked, [...first.made, ...second.made, ...second.made, ...third.made])
    }),
  )
})
