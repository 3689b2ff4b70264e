import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { contactId } from "../../src/contacts/rules/Contact.ts"
import { numberFree, untouched, waitingForNumber } from "../../src/contacts/rules/ContactProgress.ts"
import { freeHeirs, waitForCall } from "../../src/contacts/steps/NumberTurns.ts"
import { put, unchanged, write } from "../../src/engine/rules/Outcome.ts"
import { limits } from "../../src/Limits.ts"
import { sampleBatch, sampleCall, sampleCommit } from "../../src/testing/Samples.ts"
import { momentAt, readOn, sourcesOn } from "../StepInPieces.ts"

const organization_id = "org_one"
const now = 5_000
const at = momentAt(now)
const batch = sampleBatch(organization_id, { batch_id: "bat_one", total_contacts: 40 })
const { batch_id } = batch
const to_number = "+15555550100"
const contactAt = (row: number) => untouched(batch, contactId(batch_id, row), row)
const call = sampleCall(organization_id, { batch_id, to_number, status: "in-progress", dial: "accepted", revision: 4 })

/** Contacts as they are stored, with a call of their batch to their number or without. */
const storedWith = (contacts: ReadonlyArray<ReturnType<typeof contactAt>>, isCalled: boolean) => {
  const sources = sourcesOn({ put: "batch", row: batch }, ...(isCalled ? [{ put: "call", row: call } as const] : []))
  const entries = Array.from({ length: batch.total_contacts }, () => ({ to_number, variables: {} }))
  Effect.runSync(sources.contacts.fill(batch_id, 0, entries))
  const changes = contacts.map((row) => ({ put: "contact", row }) as const)
  Effect.runSync(sources.store.commit(sampleCommit(organization_id, { changes })))
  return sources
}

describe("a contact whose number somebody is in a call with", () => {
  const fresh = contactAt(0)
  const retried = { ...fresh, revision: 1, status: "retry_scheduled", eligible_at: 4_000 } as const
  const asked = (contact: typeof fresh) => ({ organization_id, contact, to_number })

  it("is set aside, and writes the call for which it waits", () => {
    for (const [contact, stored] of [
      [fresh, null],
      [retried, retried],
    ] as const) {
      const sources = storedWith(stored === null ? [] : [stored], true)
      const { expected, view } = Result.getOrThrow(readOn(sources, waitForCall.reads(asked(contact))))
      assert.deepStrictEqual(view, [call, stored])
      assert.deepStrictEqual(expected, [{ kind: "contact", id: contact.contact_id, revision: stored?.revision ?? 0 }])
      assert.deepStrictEqual(
        waitForCall.decide(asked(contact), view, at),
        write([put("contact", stored, waitingForNumber(contact, now)), put("call", call, call)], { reply: undefined }),
      )
    }
  })

  it("is left as it is where the call is over, or it has changed", () => {
    assert.deepStrictEqual(waitForCall.decide(asked(fresh), [null, null], at), unchanged(undefined))
    assert.deepStrictEqual(waitForCall.decide(asked(fresh), [call, retried], at), unchanged(undefined))
    assert.deepStrictEqual(waitForCall.decide(asked(retried), [call, null], at), unchanged(undefined))
  })
})

describe("contacts that wait for a number", () => {
  const waiting = Array.from({ length: limits.numberHeirs + 4 }, (_, row) => ({
    ...contactAt(row),
    revision: 1,
    waits_for_number: true,
    // The later ones have waited longer.
    waits_since: 2_000 - row,
  }))
  const asked = { organization_id: null, lane_id: batch_id, to_number } as const

  it("may be dialled once nobody is in a call with it: those that have waited the longest", () => {
    const { by, changes } = freeHeirs.decide(asked, [null, waiting], at)
    const freed = waiting.toReversed().slice(0, limits.numberHeirs)
    assert.deepStrictEqual(
      changes,
      freed.map((heir) => put("contact", heir, numberFree(heir, now))),
    )
    assert.deepInclude(by, { organization_id })
  })

  it("wait on while somebody is, and where nobody waits nothing is written", () => {
    const [first] = waiting
    assert.isDefined(first)
    if (first === undefined) return
    const { expected, view } = Result.getOrThrow(readOn(storedWith([first], true), freeHeirs.reads(asked)))
    assert.deepStrictEqual(view, [call, [first]])
    assert.deepStrictEqual(expected, [])
    assert.deepStrictEqual(freeHeirs.decide(asked, [call, [first]], at), unchanged(undefined))
    assert.deepStrictEqual(freeHeirs.decide(asked, [null, []], at), unchanged(undefined))
  })
})
