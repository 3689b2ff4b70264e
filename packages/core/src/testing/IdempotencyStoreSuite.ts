import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import {
  type IdempotentRequest,
  IdempotencyStore,
  type KeptAnswer,
  type Standing,
} from "../idempotency/ports/IdempotencyStore.ts"
import { law } from "./Law.ts"
import { fresh, sampleEpoch } from "./Samples.ts"

const keptMs = 1_000

/** What is known of one key, said as plainly as can be. */
interface Known {
  readonly fingerprint: string
  readonly expiresAt: number
  readonly answer: KeptAnswer | null
}

const answered = (n: number): KeptAnswer => ({ status: 201, body: `{"n": ${n}}` })

/** Lays down what every adapter of `IdempotencyStore` must do. */
export const suite = <E>(name: string, layer: Layer.Layer<IdempotencyStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("follows the model: begun, running, answered, another content, expired", () =>
      law(
        fc.array(
          fc.record({
            passed: fc.constantFrom(0, 1, 400, keptMs - 1, keptMs),
            organization: fc.constantFrom("a", "b"),
            route: fc.constantFrom("POST /v2/calls", "POST /v2/batches"),
            key: fc.constantFrom("k", "K"),
            fingerprint: fc.constantFrom("f1", "f2"),
            ending: fc.constantFrom("keep", "abandon", "nothing"),
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
            const request: IdempotentRequest = {
              organization_id: organization[command.organization === "a" ? "a" : "b"],
              route,
              key,
              fingerprint,
            }
            const id = `${request.organization_id} ${route} ${key}`
            const known = model.get(id)
            const live = known !== undefined && known.expiresAt > now ? known : undefined
            const expected: Standing =
              live === undefined
                ? { _tag: "Begun" }
                : live.fingerprint !== fingerprint
                  ? { _tag: "Different" }
                  : live.answer === null
                    ? { _tag: "Running" }
                    : { _tag: "Answered", answer: live.answer }
            assert.deepStrictEqual(yield* store.begin(request, now, now + keptMs), expected)
            if (expected._tag !== "Begun") continue
            model.set(id, { fingerprint, expiresAt: now + keptMs, answer: null })
            if (command.ending === "keep") {
              const answer = answered(nth++)
              yield* store.keep(request, now + keptMs, answer)
              model.set(id, { fingerprint, expiresAt: now + keptMs, answer })
            } else if (command.ending === "abandon") {
              yield* store.abandon(request, now + keptMs)
              model.delete(id)
            }
          }
        }),
        { numRuns: 80 },
      ),
    )

    it.effect("lets nothing that is told late of an earlier request change what has begun under its key since", () =>
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        const request = { organization_id: fresh("org_"), route: "POST /v2/calls", key: "k", fingerprint: "f" }
        const [first, second] = [sampleEpoch + keptMs, sampleEpoch + 2 * keptMs]
        const again = store.begin(request, first, second)
        yield* store.begin(request, sampleEpoch, first)
        yield* store.abandon(request, first)
        assert.deepStrictEqual(yield* again, { _tag: "Begun" })
        yield* store.abandon(request, first)
        yield* store.keep(request, first, answered(1))
        assert.deepStrictEqual(yield* again, { _tag: "Running" })
        yield* store.keep(request, second, answered(2))
        yield* store.abandon(request, second)
        assert.deepStrictEqual(yield* again, { _tag: "Answered", answer: answered(2) })
      }),
    )

    it.effect("takes away what has expired, so many at a time, and nothing else", () =>
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        const organization_id = fresh("org_")
        // Later than whatever other tests have begun, and this one before on the same rows.
        const now = sampleEpoch + 1_000 * keptMs
        yield* Effect.repeat(store.forget(now + 10, 100), { until: (forgotten) => forgotten === 0 })
        const requests = Array.from({ length: 5 }, (_, nth) => ({
          organization_id,
          route: "POST /v2/calls",
          key: `k${nth}`,
          fingerprint: "f",
        }))
        for (const [nth, request] of requests.entries()) {
          yield* store.begin(request, now, now + 1 + nth)
          if (nth % 2 === 0) yield* store.keep(request, now + 1 + nth, answered(nth))
        }
        const forgotten: Array<number> = []
        for (let times = 0; times < 3; times++) forgotten.push(yield* store.forget(now + 3, 2))
        assert.deepStrictEqual(forgotten, [2, 1, 0])
        const standings = yield* Effect.forEach(requests, (request, nth) => store.begin(request, now, now + 1 + nth))
        assert.deepStrictEqual(
          standings.map(({ _tag }) => _tag),
          ["Begun", "Begun", "Begun", "Running", "Answered"],
        )
      }),
    )

    it.effect("lets exactly one of many begin", () =>
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        const request = { organization_id: fresh("org_"), route: "POST /v2/calls", key: "k", fingerprint: "f" }
        const standings = yield* Effect.all(
          Array.from({ length: 20 }, () => store.begin(request, sampleEpoch, sampleEpoch + keptMs)),
          { concurrency: 20 },
        )
        assert.strictEqual(standings.filter(({ _tag }) => _tag === "Begun").length, 1)
        assert.strictEqual(standings.filter(({ _tag }) => _tag === "Running").length, 19)
      }),
    )
  })
