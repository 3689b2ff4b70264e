import { limits } from "@carillon/core"
import type { Callee } from "@carillon/core/ports"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { meetsCallees } from "../../src/callees/rules/CalleeErrand.ts"
import { addSuppressions, type SuppressionRequest } from "../../src/callees/steps/AddSuppressions.ts"
import { removeSuppressions } from "../../src/callees/steps/RemoveSuppressions.ts"
import { put, unchanged, write } from "../../src/engine/rules/Outcome.ts"
import { sampleCaller, sampleSuppression } from "../../src/testing/Samples.ts"
import { momentAt, readOn, sourcesOn, replied } from "../StepInPieces.ts"

const organization_id = "org_one"
const caller = sampleCaller(organization_id)
const at = momentAt(5_000)
const [first, second, third] = ["+15555550001", "+15555550002", "+15555550003"] as const

const request: SuppressionRequest = {
  agent_id: null,
  campaign_id: null,
  reason: "opt_out",
  source: null,
  note: null,
  expires_at: 9_000,
}
const asked = { ...request, created_at: 5_000 }

const calleeOf = (to_number: string, ...suppressions: Callee["suppressions"]): Callee => ({
  organization_id,
  to_number,
  revision: 3,
  suppressions,
})

const forAll = sampleSuppression({ expires_at: 7_000, created_at: 1_000 })
const forOne = sampleSuppression({ agent_id: "agt_one", expires_at: null, created_at: 1_000 })
const recorded = (numbers: number) => [
  { resource: { type: "suppression", id: null }, details: { numbers, agent_id: null, campaign_id: null } },
]

/** Numbers of which each has suppressions of half of what one commit writes. */
const large = (to_number: string): Callee => {
  const note = "n".repeat(limits.suppressionChunkBytes / 2 - 1_000)
  return calleeOf(to_number, { ...forOne, note })
}

describe("numbers are suppressed", () => {
  it("each that is not yet, or that is for less long; that the others stay so is expected of nobody", () => {
    const short = calleeOf(second, forAll)
    const long = calleeOf(third, { ...forAll, expires_at: null })
    const input = { caller, to_numbers: [first, second, third], request }
    const sources = sourcesOn({ put: "callee", row: short }, { put: "callee", row: long })
    const { expected, view } = Result.getOrThrow(readOn(sources, addSuppressions.reads(input)))
    assert.deepStrictEqual(expected, [])
    assert.deepStrictEqual(
      addSuppressions.decide(input, view, at),
      write(
        [
          put("callee", null, { ...calleeOf(first, asked), revision: 0 }),
          put("callee", short, calleeOf(second, { ...forAll, reason: "opt_out", source: null, expires_at: 9_000 })),
        ],
        {
          audit: recorded(2),
          errands: [meetsCallees(organization_id)],
          reply: { counts: { added: 1, replaced: 1, unchanged: 1, full: 0 }, taken: 3 },
        },
      ),
    )
  })

  it("not at all where each is already, and that is not recorded", () => {
    const known = new Map([[first, calleeOf(first, { ...forAll, expires_at: null })]])
    const counts = { added: 0, replaced: 0, unchanged: 1, full: 0 }
    const outcome = addSuppressions.decide({ caller, to_numbers: [first], request }, known, at)
    assert.deepStrictEqual(outcome, unchanged({ counts, taken: 1 }, [meetsCallees(organization_id)]))
  })

  it("as many as one commit may have", () => {
    const known = new Map([first, second, third].map((number) => [number, large(number)]))
    const { answer, changes } = addSuppressions.decide(
      { caller, to_numbers: [first, second, third], request },
      known,
      at,
    )
    assert.deepInclude(Result.getOrThrow(replied(answer)), { taken: 2 })
    assert.lengthOf(changes ?? [], 2)
  })
})

describe("suppressions are removed", () => {
  it("of each number that has one of the scope; that the others have none is expected of nobody", () => {
    const both = calleeOf(first, forAll, forOne)
    const other = calleeOf(second, forOne)
    const input = { caller, to_numbers: [first, second, third], scope: request }
    const sources = sourcesOn({ put: "callee", row: both }, { put: "callee", row: other })
    const { expected, view } = Result.getOrThrow(readOn(sources, removeSuppressions.reads(input)))
    assert.deepStrictEqual(expected, [])
    assert.deepStrictEqual(
      removeSuppressions.decide(input, view, at),
      write([put("callee", both, calleeOf(first, forOne))], { audit: recorded(1), reply: { counts: 1, taken: 3 } }),
    )
  })

  it("not at all where there are none, and that is not recorded", () => {
    const input = { caller, to_numbers: [first, second], scope: request }
    const known = new Map([[second, calleeOf(second, forOne)]])
    assert.deepStrictEqual(removeSuppressions.decide(input, known, at), unchanged({ counts: 0, taken: 2 }))
  })

  it("of as many as one commit may have", () => {
    const numbers = [first, second, third]
    const known = new Map(
      numbers.map((number) => [number, { ...large(number), suppressions: [forAll, ...large(number).suppressions] }]),
    )
    const { answer } = removeSuppressions.decide({ caller, to_numbers: numbers, scope: request }, known, at)
    assert.deepStrictEqual(Result.getOrThrow(replied(answer)), { counts: 2, taken: 2 })
  })
})
