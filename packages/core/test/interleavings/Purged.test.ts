import { assert, describe, it } from "vitest"
import type { Change } from "@carillon/core/ports"
import { contactId } from "../../src/contacts/rules/Contact.ts"
import { untouched } from "../../src/contacts/rules/ContactProgress.ts"
import { atCommit } from "../../src/testing/interleavings/Laws.ts"
import { RowsByKind } from "../../src/testing/RowsByKind.ts"
import { sampleBatch, sampleCall, sampleDelivery } from "../../src/testing/Samples.ts"

const organization_id = "org_one"
const batch = sampleBatch(organization_id, { batch_id: "bat_one", status: "completed", purging_since: 1 })
const contact = { ...untouched(batch, contactId(batch.batch_id, 0), 0), revision: 1, status: "completed" } as const
const call = sampleCall(organization_id, {
  execution_id: "exec_one",
  status: "completed",
  dial: "accepted",
  final_report_at: 1,
  contact_id: contact.contact_id,
})
const delivery = sampleDelivery(organization_id, { execution_id: call.execution_id, status: "delivered", due_at: null })

const gone: ReadonlyArray<Change> = [
  { put: "removal", organization_id, kind: "call", id: call.execution_id, revision: 1 },
  { put: "discard", organization_id, kind: "contact", id: contact.contact_id },
]

/** The laws that break where these rows go. */
const broken = (...rows: ReadonlyArray<Change>) => {
  const known = new RowsByKind()
  for (const row of rows) known.apply(row)
  return [...atCommit(known, { audit: [], changes: gone }, { now: 0, numberOf: () => null })].map(({ law }) => law)
}

const over: ReadonlyArray<Change> = [
  { put: "batch", row: batch },
  { put: "contact", row: contact },
  { put: "call", row: call },
  { put: "delivery", row: delivery },
]

describe("nothing that is under way loses its row", () => {
  it("but what is over may", () => assert.deepStrictEqual(broken(...over), []))

  const underWay: ReadonlyArray<readonly [string, Change]> = [
    ["a live call", { put: "call", row: { ...call, status: "in-progress" } }],
    ["a call that holds its line", { put: "call", row: { ...call, final_report_at: null } }],
    ["a call that is not processed", { put: "call", row: { ...call, processing: { ...call.processing, due_at: 2 } } }],
    ["a call whose webhook is still to be sent", { put: "delivery", row: { ...delivery, due_at: 2 } }],
    ["a call with a retry to come", { put: "contact", row: { ...contact, status: "retry_scheduled" } }],
    ["a contact in a call", { put: "contact", row: { ...contact, status: "in_progress" } }],
    ["a contact of a batch that dials", { put: "batch", row: { ...batch, status: "in_progress" } }],
  ]
  for (const [what, row] of underWay) it(`not ${what}`, () => assert.isNotEmpty(broken(...over, row)))
})
