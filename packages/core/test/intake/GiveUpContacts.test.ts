import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { contactsOf } from "../../src/engine/rules/Guards.ts"
import { joinSet, unchanged, write } from "../../src/engine/rules/Outcome.ts"
import { giveUpContacts } from "../../src/intake/steps/GiveUpContacts.ts"
import { sampleBatch } from "../../src/testing/Samples.ts"
import { momentAt, readOn, sourcesOn } from "../StepInPieces.ts"

const batch = sampleBatch("org_one", { batch_id: "bat_one" })
const asked = { organization_id: "platform", batch_id: "bat_one" }

describe("contacts are given up", () => {
  it("where their batch was never shown, and it is not shown any more", () => {
    const { expected, view } = Result.getOrThrow(readOn(sourcesOn(), giveUpContacts.reads(asked)))
    assert.deepStrictEqual(expected, [{ kind: "batch", id: "bat_one", revision: 0 }])
    const outcome = write([joinSet(contactsOf("bat_one"))], { reply: true })
    assert.deepStrictEqual(giveUpContacts.decide(asked, view, momentAt(5_000)), outcome)
  })

  it("no more once it is shown", () => {
    const { view } = Result.getOrThrow(readOn(sourcesOn({ put: "batch", row: batch }), giveUpContacts.reads(asked)))
    assert.deepStrictEqual(giveUpContacts.decide(asked, view, momentAt(5_000)), unchanged(false))
  })
})
