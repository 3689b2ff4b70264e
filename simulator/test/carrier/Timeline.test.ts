import * as fc from "fast-check"
import { expect, test } from "vitest"
import { type Outcome, type OutcomeResult, outcomeResults } from "../../src/carrier/Outcome.ts"
import { drawMs, drawnMs, layOut } from "../../src/carrier/Timeline.ts"

const ms = fc.integer({ min: 0, max: 200_000 })
const outcome: fc.Arbitrary<Outcome> = fc.record(
  {
    result: fc.constantFrom<OutcomeResult>(...outcomeResults),
    ring_ms: ms,
    talk_ms: ms,
    processing_ms: ms,
    ack_delay_ms: ms,
  },
  { requiredKeys: ["result"] },
)
const point = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test("report, ring, talk and processing add up, and drawn times keep to their ranges", () => {
  fc.assert(
    fc.property(outcome, point, fc.integer({ min: 5, max: 120 }), (script, drawn, timeout) => {
      const line = layOut(script, 1_000, timeout, true, () => drawn)
      const { initiated_at, ended_at, final_at, connected_at } = line
      const report = initiated_at - 1_000 - (script.ack_delay_ms ?? 0)
      expect(report).toBeGreaterThanOrEqual(200)
      expect(report).toBeLessThanOrEqual(600)
      const ring = (connected_at ?? ended_at) - initiated_at
      expect(ring).toBe(Math.min(script.ring_ms ?? drawMs(drawnMs.ring, drawn), timeout * 1_000))
      const processing = final_at - ended_at
      expect(processing).toBe(script.processing_ms ?? drawMs(drawnMs.processing, drawn))
      if (line.answered && script.talk_ms !== undefined) expect(ended_at - connected_at!).toBe(script.talk_ms)
    }),
  )
})

test("what happens, happens in order", () => {
  fc.assert(
    fc.property(outcome, point, fc.boolean(), (script, drawn, heard) => {
      const { initiated_at, ringing_at, connected_at, lost_at, ended_at, final_at, analysis_at } = layOut(
        { ...script, state_lost: true },
        0,
        30,
        heard,
        () => drawn,
      )
      const moments = [0, initiated_at, ringing_at, connected_at, lost_at, ended_at, final_at, analysis_at]
      const told = moments.filter((moment) => moment !== null)
      expect(told).toEqual([...told].sort((a, b) => a - b))
      expect(told.every(Number.isSafeInteger)).toBe(true)
    }),
  )
})

test("a phone that rings beyond the call's patience is not answered, whatever else was planned", () => {
  fc.assert(
    fc.property(outcome, fc.integer({ min: 5, max: 120 }), (script, timeout) => {
      const line = layOut({ ...script, ring_ms: timeout * 1_000 + 1 }, 0, timeout, true, () => 0)
      expect(line).toMatchObject({ result: "no-answer", connected_at: null, answered: false, analysis_at: null })
      expect(line.ended_at - line.initiated_at).toBe(timeout * 1_000)
    }),
  )
})

test("a leg whose acknowledgement is lost reports once nobody waits for it any more", () => {
  const { initiated_at } = layOut({ result: "unconfirmed" }, 0, 30, false, () => 0)
  expect(initiated_at).toBe(8_200)
})

test("every result of the contract is one that a leg can come to", () => {
  const reached = new Set(outcomeResults.map((result) => layOut({ result }, 0, 30, true, () => 0).result))
  expect(reached).toEqual(
    new Set(["completed", "busy", "no-answer", "voicemail", "failed", "error", "call-disconnected"]),
  )
})
