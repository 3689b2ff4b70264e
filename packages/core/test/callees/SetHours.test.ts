import { InvalidField } from "@carillon/core"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type HoursRequest, setHours } from "../../src/callees/steps/SetHours.ts"
import type { HoursEntry, HoursSetting } from "../../src/callees/rules/HoursRow.ts"
import { put, refused, write } from "../../src/engine/rules/Outcome.ts"
import { limits } from "../../src/Limits.ts"
import { sampleAgent, sampleCaller } from "../../src/testing/Samples.ts"
import { momentAt, readOn, sourcesOn, replied } from "../StepInPieces.ts"

const organization_id = "org_one"
const caller = sampleCaller(organization_id)
const scope = { agent_id: "agt_one", campaign_id: null }
const request: HoursRequest = { enabled: true, timezone_column: null, countries: {}, elsewhere: null }
const input = { caller, request, scope }
const at = momentAt(5_000)

const hours = { countries: {}, elsewhere: null, unknown_timezone: null }
const entryOf = (agent_id: string, changes: Partial<HoursEntry> = {}): HoursEntry => ({
  agent_id,
  campaign_id: null,
  enabled: true,
  timezone_column: null,
  hours,
  updated_at: 1_000,
  ...changes,
})
const settingOf = (entries: ReadonlyArray<HoursEntry>): HoursSetting => ({ organization_id, revision: 3, entries })

/** What comes of it where these hours stand. */
const decided = (setting: HoursSetting | null) => {
  const agent = { put: "agent", row: sampleAgent(organization_id, { agent_id: "agt_one" }) } as const
  const stored = setting === null ? [] : [{ put: "callee_hours", row: setting } as const]
  const { expected, view } = Result.getOrThrow(readOn(sourcesOn(agent, ...stored), setHours.reads(input)))
  assert.deepStrictEqual(expected, [{ kind: "callee_hours", id: organization_id, revision: setting?.revision ?? 0 }])
  return setHours.decide(input, view, at)
}

describe("the hours of a scope", () => {
  it("are written in the place of those that it had, at the moment of the decision", () => {
    const setting = settingOf([entryOf("agt_one", { enabled: false }), entryOf("agt_two")])
    const entry = entryOf("agt_one", { updated_at: 5_000 })
    const audit = [{ resource: { type: "callee_hours", id: null }, details: scope }]
    assert.deepStrictEqual(
      decided(setting),
      write([put("callee_hours", setting, settingOf([entryOf("agt_two"), entry]))], { audit, reply: entry }),
    )
    const first = { organization_id, revision: 0, entries: [entry] }
    assert.deepStrictEqual(decided(null), write([put("callee_hours", null, first)], { audit, reply: entry }))
  })

  it("are refused where as many others have some as may, and where they would be too large together", () => {
    const others = (count: number) => Array.from({ length: count }, (_, nth) => entryOf(`agt_other_${nth}`))
    const tooMany = new InvalidField({
      field: "campaign_id",
      reason: "must be one of at most 100 that have callee hours",
    })
    assert.deepStrictEqual(decided(settingOf(others(limits.calleeHoursScopes))), refused(tooMany))
    const last = decided(settingOf([...others(limits.calleeHoursScopes - 1), entryOf("agt_one")]))
    assert.isTrue(Result.isSuccess(replied(last.answer)))
    const large = entryOf("agt_two", { timezone_column: "z".repeat(limits.calleeHoursBytes) })
    const reason = `make the callee hours of the organization larger than ${limits.calleeHoursBytes} bytes`
    assert.deepStrictEqual(decided(settingOf([large])), refused(new InvalidField({ field: "countries", reason })))
  })
})
