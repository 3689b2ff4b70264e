import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { discardsContacts } from "../../src/contacts/rules/ContactErrands.ts"
import { contactsOf } from "../../src/engine/rules/Guards.ts"
import { asks, joinSet, unchanged } from "../../src/engine/rules/Outcome.ts"
import { giveUpContacts } from "../../src/intake/steps/GiveUpContacts.ts"
import { sampleBatch } from "../../src/testing/Samples.ts"
import { momentAt, readOn, sourcesOn } from "../StepInPieces.ts"

const batch = sampleBatch("org_one", { batch_id: "bat_one" })
const asked = { organization_id: "platform", batch_id: "bat_one", isRefused: false }

describe("contacts are given up", () => {
  it("where their batch was never shown, and it is not shown any more", () => {
    const { expected, view } = Result.getOrThrow(readOn(sourcesOn(), giveUpContacts.reads(asked)))
    assert.deepStrictEqual(expected, [{ kind: "batch", id: "bat_one", revision: 0 }])
    const outcome = asks(discardsContacts("bat_one"), [joinSet(contactsOf("bat_one"))])
    assert.deepStrictEqual(giveUpContacts.decide(asked, view, momentAt(5_000)), outcome)
  })

  it("where their batch was refused for certain, which nobody shows any more", () => {
    const outcome = giveUpContacts.decide({ ...asked, isRefused: true }, null, momentAt(5_000))
    assert.deepStrictEqual(outcome, asks(discardsContacts("bat_one")))
  })

  it("no more once it is shown", () => {
    const { view } = Result.getOrThrow(readOn(sourcesOn({ put: "batch", row: batch }), giveUpContacts.reads(asked)))
    assert.deepStrictEqual(giveUpContacts.decide(asked, view, momentAt(5_000)), unchanged(undefined))
  })
})
