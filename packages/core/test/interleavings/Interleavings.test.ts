import { assert, describe, it } from "@effect/vitest"
import { Effect, References } from "effect"
import * as fc from "fast-check"
import { expectedFailures, isExpected } from "../../src/testing/interleavings/Expected.ts"
import { operations } from "../../src/testing/interleavings/Operations.ts"
import {
  everyPair,
  named,
  play,
  type Played,
  playPair,
  playTriple,
  told,
  triples,
} from "../../src/testing/interleavings/Pairs.ts"
import { scenes } from "../../src/testing/interleavings/Scenes.ts"

/** One pair and one triple in so many are played here; `npm run soak:interleavings` plays them all. */
const oneIn = 2_000
const oneTripleIn = 8

/** Which those are: the same in every run, others with another `CARILLON_SEED`. */
const seed = Math.abs(fc.readConfigureGlobal().seed ?? 0)
const offset = seed % oneIn

const quiet = Effect.provideService(References.MinimumLogLevel, "None")

const unexpected = ({ interleaving, outcome }: Played): Played => ({
  interleaving,
  outcome: {
    ...outcome,
    violations: outcome.violations.filter(
      (violation) => !expectedFailures.some((failure) => isExpected(failure, interleaving, violation)),
    ),
  },
})

/** No law is broken; the message says how to see it again. */
const assertLawful = (played: ReadonlyArray<Played>): void => {
  const broken = played.map(unexpected).filter(({ outcome }) => outcome.violations.length > 0)
  assert(broken.length === 0, broken.map(told).join("\n"))
}

/** Scenes in which an operation plays alone here; `npm run soak:interleavings` plays it in all of them. */
const scenesForEach = 2

it.live(
  "each operation by itself breaks no law",
  () =>
    Effect.gen(function* () {
      for (const [index, first] of operations.entries()) {
        for (let nth = 0; nth < scenesForEach; nth++) {
          const scene = scenes[(seed + index * scenesForEach + nth) % scenes.length]
          if (scene !== undefined) assertLawful([yield* play({ scene, first, others: [] })])
        }
      }
    }).pipe(quiet),
  300_000,
)

describe("two operations at once", () => {
  it.live(
    `break no law, whichever use of a port the second gets in before: one pair in ${oneIn}, from pair ${offset}`,
    () =>
      Effect.gen(function* () {
        let count = 0
        for (const pair of everyPair().filter((_, index) => index % oneIn === offset)) {
          const played = yield* playPair(pair)
          assertLawful(played)
          count += played.length
        }
        // Nothing is shown by what was not played.
        assert.isAbove(count, 50)
      }).pipe(quiet),
    300_000,
  )

  it.live(
    "break no law where a third gets in as well",
    () =>
      Effect.gen(function* () {
        for (const triple of triples.filter((_, index) => index % oneTripleIn === seed % oneTripleIn))
          assertLawful(yield* playTriple(triple))
      }).pipe(quiet),
    300_000,
  )

  it.live.each(expectedFailures)("$law: is known to fail, and does", ({ example, law }) =>
    Effect.gen(function* () {
      const [scene, first, second, at] = example
      const { outcome } = yield* play(named(scene, first, [[second, at]]))
      assert.include(
        outcome.violations.map((violation) => violation.law),
        law,
      )
    }).pipe(quiet),
  )
})
