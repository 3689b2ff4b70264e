import { assert, it } from "@effect/vitest"
import { Effect, References } from "effect"
import { named, playPair, told } from "../../src/testing/interleavings/Pairs.ts"

const purge = "retention.purge what is over"

/** Whoever may meet a purge, before each use of a port of the one and of the other. */
const meetings = [
  [purge, "campaign.revive"],
  ["campaign.revive", purge],
  [purge, "erasure.of who is called first"],
  ["erasure.of who is called first", purge],
  [purge, purge],
] as const

it.live.each(meetings)(
  "%s and %s, where a campaign was cancelled long ago",
  ([first, second]) =>
    Effect.gen(function* () {
      const { first: one, others, scene } = named("cancelled long ago", first, [[second, 0]])
      const [other] = others
      assert(other !== undefined)
      const played = yield* playPair({ scene, first: one, second: other.operation })
      assert.isAbove(played.length, 5)
      const broken = played.filter(({ outcome }) => outcome.violations.length > 0)
      assert(broken.length === 0, broken.map(told).join("\n"))
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
  120_000,
)
