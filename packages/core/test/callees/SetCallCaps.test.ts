import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { CallCaps } from "../../src/callees/rules/CallCaps.ts"
import type { HoursSetting } from "../../src/callees/rules/HoursRow.ts"
import { removeCallCaps, setCallCaps } from "../../src/callees/steps/SetCallCaps.ts"
import { put, unchanged, write } from "../../src/engine/rules/Outcome.ts"
import { sampleCaller, sampleHours } from "../../src/testing/Samples.ts"
import { momentAt, readOn, sourcesOn } from "../StepInPieces.ts"

const organization_id = "org_one"
const caller = sampleCaller(organization_id)
const asked = { per_day: 3, per_week: null, per_thirty_days: 12, minimum_rest_seconds: 60 }
const caps: CallCaps = { ...asked, updated_at: 5_000 }
const at = momentAt(5_000)
const audit = [{ resource: { type: "call_caps", id: null }, details: {} }]
const hours = sampleHours(organization_id, { revision: 3 })

/** The setting as a step reads it, on which it rests. */
const viewOf = (setting: HoursSetting | null): HoursSetting | null => {
  const stored = setting === null ? [] : [{ put: "callee_hours", row: setting } as const]
  const { expected, view } = Result.getOrThrow(readOn(sourcesOn(...stored), setCallCaps.reads({ caller, caps: asked })))
  assert.deepStrictEqual(expected, [{ kind: "callee_hours", id: organization_id, revision: setting?.revision ?? 0 }])
  return view
}

describe("call caps", () => {
  it("are written beside the callee hours, in the place of those that were there", () => {
    for (const setting of [hours, { ...hours, caps: { ...caps, per_day: 1, updated_at: 1 } }]) {
      const change = put("callee_hours", setting, { ...hours, caps })
      const decided = setCallCaps.decide({ caller, caps: asked }, viewOf(setting), at)
      assert.deepStrictEqual(decided, write([change], { audit, reply: caps }))
    }
    const first = put("callee_hours", null, { organization_id, revision: 0, entries: [], caps })
    const decided = setCallCaps.decide({ caller, caps: asked }, viewOf(null), at)
    assert.deepStrictEqual(decided, write([first], { audit, reply: caps }))
  })

  it("are taken away, and the hours stay", () => {
    const setting = { ...hours, caps }
    assert.deepStrictEqual(
      removeCallCaps.decide({ caller }, viewOf(setting), at),
      write([put("callee_hours", setting, hours)], { audit, reply: true }),
    )
    for (const without of [null, hours]) {
      assert.deepStrictEqual(removeCallCaps.decide({ caller }, viewOf(without), at), unchanged(false))
    }
  })
})
