import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import type { Bucket } from "../limits/rules/Buckets.ts"
import { RateStore } from "../limits/ports/RateStore.ts"
import { emptyWindow, hit as counted, peek, type WindowState, windowMs } from "../limits/rules/SlidingWindow.ts"
import { RateTable } from "../memory/MemoryRates.ts"
import { law } from "./Law.ts"
import { fresh, sampleEpoch } from "./Samples.ts"

// Clocks of several processes differ, so time falls back now and then.
const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.nat(2_000) },
  { weight: 2, arbitrary: fc.nat(30_000) },
  { weight: 1, arbitrary: fc.integer({ min: 59_000, max: 200_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: -90_000, max: -1 }) },
)

const asks = fc.array(
  fc.record({
    step,
    bucket: fc.constantFrom<Bucket>("calls.create", "default"),
    limit: fc.constantFrom(5, 5, 5, 3, 0, 12),
    counts: fc.constantFrom(true, true, true, false),
  }),
  { maxLength: 80, size: "max" },
)

/** A refusal rolls no window, neither here nor where it was known before; so time falls back beyond one only where nothing is refused. */
const script = fc.record({ asks, roomy: fc.boolean() })

type Script = typeof script extends fc.Arbitrary<infer A> ? A : never

const holds = Effect.fnUntraced(function* (store: RateStore["Service"], { asks: asked, roomy }: Script) {
  const memory = new RateTable()
  const states = new Map<Bucket, WindowState>()
  const organizationId = fresh("org_")
  let now = sampleEpoch
  for (const ask of asked) {
    const { bucket, counts } = ask
    const limit = roomy ? 1_000 : ask.limit
    now = Math.max(now + ask.step, roomy ? 0 : Math.floor(now / windowMs) * windowMs)
    const state = states.get(bucket) ?? emptyWindow
    const { state: after, ...hit } = counted(state, limit, now)
    const { allowed, remaining, resetSeconds, retryAfterSeconds } = counts
      ? memory.hit(organizationId, bucket, limit, now)
      : memory.peek(organizationId, bucket, limit, now)
    const answer = yield* store[counts ? "hit" : "peek"](organizationId, bucket, limit, now)
    assert.deepStrictEqual(answer, { allowed, remaining, resetSeconds, retryAfterSeconds })
    assert.deepStrictEqual(answer, counts ? hit : peek(state, limit, now))
    if (counts) states.set(bucket, after)
  }
})

/** Holds a rate store against the rule and the store in memory: one script, step by step, and the same integers. */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<RateStore, E>,
  { numRuns }: { readonly numRuns: number },
): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("gives the same integers as the rule at every step, also where clocks fall back", () =>
      Effect.flatMap(RateStore, (store) => law(script, (steps) => holds(store, steps), { numRuns })),
    )
  })
