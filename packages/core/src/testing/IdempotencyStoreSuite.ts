import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import { Conflict, Store } from "../engine/ports/Store.ts"
import type { HeldKey } from "../engine/rules/HeldKey.ts"
import {
  type IdempotentRequest,
  IdempotencyStore,
  type KeptAnswer,
  type KeyTaking,
  type Standing,
} from "../idempotency/ports/IdempotencyStore.ts"
import { law } from "./Law.ts"
import { fresh, sampleCall, sampleCommit, sampleEpoch } from "./Samples.ts"

const keptMs = 1_000
const leaseMs = 300

/** What is known of one key, said as plainly as can be. */
interface Known {
  readonly fingerprint: string
  readonly held: HeldKey
  readonly heldUntil: number
  readonly subject: string
  readonly answer: KeptAnswer | null
}

const answered = (n: number): KeptAnswer => ({ status: 201, body: `{"n": ${n}}` })

const takingAt = (now: number, subject: string = "exec_one"): KeyTaking => ({
  now,
  expires_at: now + keptMs,
  held_until: now + leaseMs,
  subject,
})

const requestOf = (organization_id: string, key: string = "k"): IdempotentRequest => ({
  organization_id,
  route: "POST /v2/calls",
  key,
  fingerprint: "f",
})

const heldOf = ({ key, organization_id, route }: IdempotentRequest, expires_at: number, holding: number): HeldKey => ({
  organization_id,
  route,
  key,
  expires_at,
  holding,
})

/** How a key is to be found by whoever comes with it, and what is known of it afterwards. */
const expectedOf = (
  request: IdempotentRequest,
  taking: KeyTaking,
  known: Known | undefined,
): readonly [standing: Standing, after: Known | undefined] => {
  const { expires_at, held_until: heldUntil, now, subject } = taking
  if (known === undefined || known.held.expires_at <= now) {
    const held = heldOf(request, expires_at, 1)
    return [
      { _tag: "Begun", held },
      { fingerprint: request.fingerprint, held, heldUntil, subject, answer: null },
    ]
  }
  if (known.fingerprint !== request.fingerprint) return [{ _tag: "Different" }, known]
  if (known.answer !== null) return [{ _tag: "Answered", answer: known.answer }, known]
  if (known.heldUntil > now) return [{ _tag: "Running" }, known]
  const held = { ...known.held, holding: known.held.holding + 1 }
  return [
    { _tag: "TakenOver", held, subject: known.subject },
    { ...known, held, heldUntil },
  ]
}

/** Lays down what every adapter of `IdempotencyStore` must do, and of the store beside it. */
export const suite = <E>(name: string, layer: Layer.Layer<IdempotencyStore | Store, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("follows the model: begun, running, taken over, answered, another content, expired", () =>
      law(
        fc.array(
          fc.record({
            passed: fc.constantFrom(0, 1, leaseMs - 1, leaseMs, 400, keptMs - 1, keptMs),
            organization: fc.constantFrom("a", "b"),
            route: fc.constantFrom("POST /v2/calls", "POST /v2/batches"),
            key: fc.constantFrom("k", "K"),
            fingerprint: fc.constantFrom("f1", "f1", "f1", "f2"),
            ending: fc.constantFrom("keep", "abandon", "release", "renew", "rename", "nothing", "nothing"),
            /** Whether it is said by who had the key before it was taken over. */
            isLate: fc.boolean(),
          }),
          { maxLength: 24 },
        ),
        Effect.fnUntraced(function* (commands) {
          const store = yield* IdempotencyStore
          const organization = { a: fresh("org_"), b: fresh("org_") }
          const model = new Map<string, Known>()
          let now = sampleEpoch
          let nth = 0
          for (const command of commands) {
            now += command.passed
            const { fingerprint, key, route } = command
            const organization_id = organization[command.organization === "a" ? "a" : "b"]
            const request: IdempotentRequest = { organization_id, route, key, fingerprint }
            const id = `${organization_id} ${route} ${key}`
            const taking = takingAt(now, `exec_${nth}`)
            const [expected, after] = expectedOf(request, taking, model.get(id))
            assert.deepStrictEqual(yield* store.begin(request, taking), expected)
            if (after !== undefined) model.set(id, after)
            if (after === undefined || !("held" in expected)) continue
            const { held } = expected
            const said = command.isLate ? { ...held, holding: held.holding - 1 } : held
            const ours = (changes: Partial<Known>) => {
              if (!command.isLate) model.set(id, { ...after, ...changes })
            }
            switch (command.ending) {
              case "keep": {
                const answer = answered(nth++)
                yield* store.keep(said, answer)
                ours({ answer })
                break
              }
              case "abandon":
                assert.strictEqual(yield* store.abandon(said), !command.isLate)
                if (!command.isLate) model.delete(id)
                break
              case "release":
                assert.strictEqual(yield* store.release(said, now), !command.isLate)
                ours({ heldUntil: now })
                break
              case "renew":
                assert.strictEqual(yield* store.renew(said, now + 2 * leaseMs), !command.isLate)
                ours({ heldUntil: now + 2 * leaseMs })
                break
              case "rename":
                assert.strictEqual(yield* store.rename(said, `exec_again_${nth}`), !command.isLate)
                ours({ subject: `exec_again_${nth}` })
                break
              case "nothing":
                break
            }
          }
        }),
        { numRuns: 80 },
      ),
    )

    it.effect("lets nothing that is told late of an earlier request change what has begun under its key since", () =>
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        const request = requestOf(fresh("org_"))
        const [first, second] = [heldOf(request, sampleEpoch + keptMs, 1), heldOf(request, sampleEpoch + 2 * keptMs, 1)]
        const again = store.begin(request, takingAt(sampleEpoch + keptMs))
        yield* store.begin(request, takingAt(sampleEpoch))
        yield* store.abandon(first)
        assert.deepStrictEqual(yield* again, { _tag: "Begun", held: second })
        assert.isFalse(yield* store.abandon(first))
        assert.isFalse(yield* store.release(first, sampleEpoch))
        yield* store.keep(first, answered(1))
        assert.deepStrictEqual(yield* again, { _tag: "Running" })
        yield* store.keep(second, answered(2))
        assert.isFalse(yield* store.abandon(second))
        assert.deepStrictEqual(yield* again, { _tag: "Answered", answer: answered(2) })
      }),
    )

    it.effect("lets a commit rest on a key for as long as nobody has taken it over, let it go, or begun it anew", () =>
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        const { commit, rows } = yield* Store
        const organization_id = fresh("org_")
        const resting = Effect.fnUntraced(function* (held: HeldKey) {
          const call = sampleCall(organization_id)
          const writing = commit(
            sampleCommit(organization_id, { expect: [{ held }], changes: [{ put: "call", row: call }] }),
          )
          const refusal = yield* Effect.match(writing, { onFailure: (error) => error, onSuccess: () => null })
          const asked = { kind: "call", id: call.execution_id } as const
          const isThere = (yield* rows([asked])).of(asked) !== null
          assert.strictEqual(isThere, refusal === null)
          if (refusal !== null) assert.deepInclude(refusal, { _tag: "Conflict", kind: "idempotency_key" })
          if (refusal !== null) assert.isTrue(refusal instanceof Conflict)
          return isThere
        })
        const request = requestOf(organization_id)
        const held = heldOf(request, sampleEpoch + keptMs, 1)
        assert.isFalse(yield* resting(held))
        yield* store.begin(request, takingAt(sampleEpoch))
        assert.isTrue(yield* resting(held))
        // Its time is over, and nobody has taken it over yet.
        yield* store.release(held, sampleEpoch)
        assert.isTrue(yield* resting(held))
        yield* store.begin(request, takingAt(sampleEpoch))
        const next = { ...held, holding: 2 }
        assert.deepStrictEqual([yield* resting(held), yield* resting(next)], [false, true])
        yield* store.abandon(next)
        assert.isFalse(yield* resting(next))
        yield* store.begin(request, takingAt(sampleEpoch + 1))
        assert.deepStrictEqual(
          [yield* resting(held), yield* resting({ ...held, expires_at: held.expires_at + 1 })],
          [false, true],
        )
      }),
    )

    it.effect("shows whoever has taken a key over all that was written by who had it, and lets nothing follow", () =>
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        const { commit, rows } = yield* Store
        const organization_id = fresh("org_")
        const raced = Effect.fnUntraced(function* (nth: number) {
          const request = requestOf(organization_id, `raced ${nth}`)
          const held = heldOf(request, sampleEpoch + keptMs, 1)
          const call = sampleCall(organization_id)
          const asked = { kind: "call", id: call.execution_id } as const
          yield* store.begin(request, takingAt(sampleEpoch))
          const writing = sampleCommit(organization_id, { expect: [{ held }], changes: [{ put: "call", row: call }] })
          const written = Effect.match(commit(writing), { onFailure: () => false, onSuccess: () => true })
          const found = Effect.gen(function* () {
            const taken = yield* store.begin(request, takingAt(sampleEpoch + leaseMs))
            assert.strictEqual(taken._tag, "TakenOver")
            return (yield* rows([asked])).of(asked) !== null
          })
          const both =
            nth % 2 === 0
              ? Effect.all([written, found], { concurrency: 2 })
              : Effect.all([found, written], { concurrency: 2 })
          const [one, other] = yield* both
          assert.strictEqual(one, other)
        })
        yield* Effect.forEach(Array.from({ length: 40 }).keys(), raced, { concurrency: 8, discard: true })
      }),
    )

    it.effect("takes away what has expired, so many at a time, and nothing else", () =>
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        const organization_id = fresh("org_")
        // Later than whatever other tests have begun, and this one before on the same rows.
        const now = sampleEpoch + 1_000 * keptMs
        yield* Effect.repeat(store.forget(now + 10, 100), { until: (forgotten) => forgotten === 0 })
        const requests = Array.from({ length: 5 }, (_, nth) => requestOf(organization_id, `k${nth}`))
        const begin = (request: IdempotentRequest, nth: number) =>
          store.begin(request, { ...takingAt(now), expires_at: now + 1 + nth })
        for (const [nth, request] of requests.entries()) {
          yield* begin(request, nth)
          if (nth % 2 === 0) yield* store.keep(heldOf(request, now + 1 + nth, 1), answered(nth))
        }
        const forgotten: Array<number> = []
        for (let times = 0; times < 3; times++) forgotten.push(yield* store.forget(now + 3, 2))
        assert.deepStrictEqual(forgotten, [2, 1, 0])
        const standings = yield* Effect.forEach(requests, begin)
        assert.deepStrictEqual(
          standings.map(({ _tag }) => _tag),
          ["Begun", "Begun", "Begun", "Running", "Answered"],
        )
      }),
    )

    it.effect("lets exactly one of many begin, and exactly one take it over", () =>
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        const request = requestOf(fresh("org_"))
        const many = (at: number) =>
          Effect.all(
            Array.from({ length: 20 }, () => store.begin(request, takingAt(at))),
            { concurrency: 20 },
          )
        for (const [at, taken] of [
          [sampleEpoch, "Begun"],
          [sampleEpoch + leaseMs, "TakenOver"],
          [sampleEpoch + 2 * leaseMs, "TakenOver"],
        ] as const) {
          const standings = yield* many(at)
          assert.strictEqual(standings.filter(({ _tag }) => _tag === taken).length, 1)
          assert.strictEqual(standings.filter(({ _tag }) => _tag === "Running").length, 19)
        }
      }),
    )
  })
