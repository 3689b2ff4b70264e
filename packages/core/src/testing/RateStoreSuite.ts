import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import { type Bucket, buckets } from "../limits/rules/Buckets.ts"
import { RateStore } from "../limits/ports/RateStore.ts"
import { emptyWindow, hit, peek, type RateHit, type WindowState } from "../limits/rules/SlidingWindow.ts"
import { law } from "./Law.ts"
import { fresh, sampleEpoch } from "./Samples.ts"

const figuresOf = ({ allowed, remaining, resetSeconds, retryAfterSeconds }: RateHit): RateHit => ({
  allowed,
  remaining,
  resetSeconds,
  retryAfterSeconds,
})

// Bursts within a moment, steps within a window, and leaps over one or several.
const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.nat(2_000) },
  { weight: 2, arbitrary: fc.nat(30_000) },
  { weight: 1, arbitrary: fc.integer({ min: 59_000, max: 200_000 }) },
)

const asks = fc.array(
  fc.record({
    step,
    organization: fc.nat(1),
    bucket: fc.constantFrom<Bucket>("calls.create", "default"),
    limit: fc.constantFrom(5, 5, 5, 1, 0, 12),
    counts: fc.boolean(),
  }),
  { maxLength: 80 },
)

/** Time only goes on, from test to test too: a shared store may keep its clock monotone. */
let clock = sampleEpoch

/** Lays down what every adapter of `RateStore` must do: step by step the same integers as `SlidingWindow`. */
export const suite = <E>(name: string, layer: Layer.Layer<RateStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("answers every hit and every look with the figures of the rule", () =>
      law(
        fc.record({ start: fc.nat(60_000), script: asks }),
        Effect.fnUntraced(function* ({ start, script }) {
          const store = yield* RateStore
          const organizations = [fresh("org_"), fresh("org_")]
          const states = new Map<string, WindowState>()
          clock += start
          for (const ask of script) {
            clock += ask.step
            const organizationId = organizations[ask.organization] ?? ""
            const key = `${organizationId} ${ask.bucket}`
            const state = states.get(key) ?? emptyWindow
            if (ask.counts) {
              const expected = hit(state, ask.limit, clock)
              const answer = yield* store.hit(organizationId, ask.bucket, ask.limit, clock)
              assert.deepStrictEqual(figuresOf(answer), figuresOf(expected))
              states.set(key, expected.state)
            } else {
              const answer = yield* store.peek(organizationId, ask.bucket, ask.limit, clock)
              assert.deepStrictEqual(figuresOf(answer), figuresOf(peek(state, ask.limit, clock)))
            }
          }
        }),
        { numRuns: 80 },
      ),
    )

    it.effect("lets exactly the ceiling pass of many that come at once, each organization and bucket on its own", () =>
      Effect.gen(function* () {
        const store = yield* RateStore
        clock += 3_600_000
        const organizations = [fresh("org_"), fresh("org_")]
        const limit = 7
        const asked = organizations.flatMap((organizationId) =>
          buckets.flatMap((bucket) => Array.from({ length: 12 }, () => ({ organizationId, bucket }))),
        )
        const answers = yield* Effect.all(
          asked.map(({ organizationId, bucket }) => store.hit(organizationId, bucket, limit, clock)),
          { concurrency: asked.length },
        )
        for (const organizationId of organizations) {
          for (const bucket of buckets) {
            const own = answers.filter(
              (_, n) => asked[n]?.organizationId === organizationId && asked[n]?.bucket === bucket,
            )
            assert.strictEqual(own.filter((answer) => answer.allowed).length, limit)
            const remaining = own.filter((answer) => answer.allowed).map((answer) => answer.remaining)
            assert.deepStrictEqual(
              remaining.toSorted((a, b) => b - a),
              [6, 5, 4, 3, 2, 1, 0],
            )
          }
        }
      }),
    )
  })
