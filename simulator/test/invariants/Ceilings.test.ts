import type { Commit } from "@carillon/core/ports"
import { expect, test } from "vitest"
import { Ceilings } from "../../src/invariants/Ceilings.ts"
import { specifiedLimits } from "../../src/limits/LimitsMode.ts"

const platform = (concurrency: number): Commit => ({
  id: "cmt",
  organization_id: "org_1",
  expect: [],
  changes: [{ put: "platform", row: { platform_id: "platform", revision: 1, concurrency } }],
  wakeups: [],
  events: [],
  audit: [],
})

const minuteMs = 60_000

test("a platform whose ceiling was lowered or raised is full by either, for as long as somebody may go by the older one", () => {
  const ceilings = new Ceilings(specifiedLimits)
  ceilings.observe(platform(20), 0)
  ceilings.observe(platform(15), 10 * minuteMs)
  const at = (ms: number) => [14, 15].map((calls) => ceilings.mayBeFull(calls, 10 * minuteMs + ms))
  expect(at(0)).toEqual([false, true])
  expect(at(2 * minuteMs)).toEqual([false, true])
  ceilings.observe(platform(20), 20 * minuteMs)
  expect(ceilings.mayBeFull(15, 20 * minuteMs)).toBe(true)
  expect(ceilings.mayBeFull(15, 22 * minuteMs)).toBe(false)
  expect(ceilings.platform(20 * minuteMs)).toBe(20)
})
