import type { CallStatus } from "@carillon/core"
import { callStatuses, isTerminal } from "@carillon/core/domain"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { toWireTiming } from "../../src/mapping/Timing.ts"
import { CallTiming } from "../../src/Timing.ts"
import { assertReads, media } from "./Arbitraries.ts"

const anyCall = fc.record({ execution_id: fc.constant("exec_1"), status: fc.constantFrom(...callStatuses) })

const unmeasured = {
  final_transcript_ms: null,
  first_token_ms: null,
  last_token_ms: null,
  first_audio_ms: null,
  complete_ms: null,
}

describe("timing on the wire", () => {
  it("is read by its schema", () => {
    fc.assert(
      fc.property(anyCall, fc.option(media, { nil: null }), (call, media) => {
        assertReads(CallTiming, toWireTiming(call, media))
      }),
    )
  })

  it("sums a round trip exactly when no stage is missing", () => {
    fc.assert(
      fc.property(anyCall, media, (call, media) => {
        const wire = toWireTiming(call, media)
        for (const [index, turn] of wire.turns.entries()) {
          const source = media.turns?.[index]
          const parts = [source?.final_transcript_ms, source?.first_token_ms, source?.first_audio_ms]
          const known = parts.filter((part) => typeof part === "number")
          assert.strictEqual(turn.turn, index + 1)
          assert.strictEqual(turn.round_trip_missing.length, parts.length - known.length)
          assert.strictEqual(
            turn.round_trip_ms,
            known.length === parts.length ? known.reduce((sum, part) => sum + part, 0) : null,
          )
        }
        assert.strictEqual(wire.summary.turns_measured, wire.turns.filter((turn) => turn.round_trip_ms !== null).length)
      }),
    )
  })

  it("orders the figures of a spread, all of them measured but the average", () => {
    fc.assert(
      fc.property(anyCall, media, (call, media) => {
        const { turns, summary } = toWireTiming(call, media)
        const measured = turns.flatMap((turn) => turn.heard.final_transcript_ms ?? [])
        const spread = summary.heard
        assert.strictEqual(spread === null, measured.length === 0)
        if (spread === null) return
        const { min, p50, p90, p95, p99, max, avg } = spread
        const figures = [min, p50, p90, p95, p99, max]
        assert.deepStrictEqual(
          figures,
          figures.toSorted((a, b) => a - b),
        )
        assert.includeMembers(measured, figures)
        assert.deepStrictEqual([min, max], [Math.min(...measured), Math.max(...measured)])
        assert.isTrue(avg >= min && avg <= max)
        const atMost = measured.filter((value) => value <= p50).length
        assert.isAtLeast(atMost, measured.length / 2)
      }),
    )
  })

  it("says why nothing was measured", () => {
    const reason = (status: CallStatus, turns: ReadonlyArray<typeof unmeasured> | null) =>
      toWireTiming({ execution_id: "exec_1", status }, { setup: null, turns }).not_measured_reason
    for (const status of callStatuses) {
      assert.strictEqual(reason(status, null), isTerminal(status) ? "never_recorded" : "in_progress")
      assert.strictEqual(reason(status, []), isTerminal(status) ? "no_turns_completed" : "in_progress")
      assert.isNull(reason(status, [unmeasured]))
    }
    assert.isFalse(toWireTiming({ execution_id: "exec_1", status: "busy" }, null).measured)
  })
})
