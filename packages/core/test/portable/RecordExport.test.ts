import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import { write } from "../../src/engine/rules/Outcome.ts"
import { recordExport } from "../../src/portable/steps/RecordExport.ts"
import { momentAt, readOn, sourcesOn } from "../StepInPieces.ts"

const input = { organization_id: "org_one" }

it("an export is recorded, and rests on nothing", () => {
  const { expected, view } = Result.getOrThrow(readOn(sourcesOn(), recordExport.reads(input)))
  assert.deepStrictEqual(expected, [])
  const audit = [{ resource: { type: "organization", id: "org_one" } }]
  assert.deepStrictEqual(recordExport.decide(input, view, momentAt(5_000)), write([], { audit, reply: undefined }))
})
