import type { Call } from "@carillon/core"
import type { Commit } from "@carillon/core/ports"
import { MemoryTables } from "@carillon/core/memory"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { LineHistory, type LinePoint } from "../../src/dashboard/LineHistory.ts"

const started = 1_767_603_600_000

/** A history over tables that hold as many lines as it is told. */
const scripted = () => {
  const tables = new MemoryTables()
  let used = 0
  tables.calls.holding = () => used
  const history = new LineHistory(tables)
  const row = { organization_id: "org", agent_id: "agt", campaign_id: "cmp", batch_id: "bat" }
  const commit = { changes: [{ put: "call", row: row as Call }] } as unknown as Commit
  return {
    history,
    set: (lines: number, at: number) => {
      used = lines
      history.observe(commit, at)
    },
  }
}

const lastBefore = (points: ReadonlyArray<LinePoint>, at: number) => points.findLast((point) => point.at <= at)

test("the most and the last of every second are those of a plain list of all changes", () => {
  const changes = fc.array(fc.record({ after: fc.nat(4_000), lines: fc.nat(20) }), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(changes, (steps) => {
      const { history, set } = scripted()
      const all: Array<{ at: number; lines: number }> = []
      let now = started
      for (const { after, lines } of steps) {
        now += after
        set(lines, now)
        all.push({ at: now, lines })
      }
      const points = history.read("organization", "org", started, now, 1_000_000)
      for (let second = started; second <= now; second += 1_000) {
        const known = lastBefore(points, second)
        const before = all.findLast(({ at }) => at < second)?.lines ?? 0
        const within = all.filter(({ at }) => at >= second && at < second + 1_000).map(({ lines }) => lines)
        const isOwn = known?.at === second
        expect(isOwn ? known.last : (known?.last ?? 0)).toBe(within.at(-1) ?? before)
        if (isOwn) expect(known.most).toBe(Math.max(before, ...within))
      }
    }),
    { numRuns: 200 },
  )
})

test("a peak is never lost to a coarser look, and an answer has few points", () => {
  const changes = fc.array(fc.record({ after: fc.nat(90_000), lines: fc.nat(50) }), { minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(changes, fc.integer({ min: 1, max: 60 }), (steps, wanted) => {
      const { history, set } = scripted()
      let now = started
      let peak = 0
      for (const { after, lines } of steps) {
        now += after
        set(lines, now)
        peak = Math.max(peak, lines)
      }
      const points = history.read("platform", "platform", started - 60_000, now, wanted)
      expect(Math.max(...points.map(({ most }) => most))).toBe(peak)
      expect(points.length).toBeLessThanOrEqual(wanted + 2)
      expect(points.map(({ at }) => at)).toEqual(points.map(({ at }) => at).toSorted((a, b) => a - b))
    }),
    { numRuns: 200 },
  )
})

test("what is kept is bounded, in time and in subjects", () => {
  const { history, set } = scripted()
  for (let second = 0; second < 10_000; second++) set(second % 7, started + second * 1_000)
  const now = started + 10_000_000
  expect(history.read("agent", "agt", now - 600_000, now, 1_000_000).length).toBeLessThanOrEqual(601)
  // Seconds from so long ago are forgotten, minutes are not.
  const all = history.read("agent", "agt", started, now, 1_000_000)
  expect(all.length).toBeLessThanOrEqual(168)
  expect(all[0]?.at).toBeLessThanOrEqual(started)
  expect(history.read("agent", "nobody", started, now, 10)).toEqual([{ at: started, most: 0, last: 0 }])
})
