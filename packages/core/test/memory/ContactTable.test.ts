import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { type Contact, contactId } from "../../src/contacts/rules/Contact.ts"
import { ContactTable } from "../../src/memory/ContactTable.ts"

const batchId = "batch_1"
const size = 6

const waitingContact = (row: number, eligible_at: number, holds: number): Contact => ({
  contact_id: contactId(batchId, row),
  organization_id: "org_1",
  batch_id: batchId,
  campaign_id: null,
  row,
  revision: 1,
  status: "retry_scheduled",
  attempts: 1,
  retries_used: 0,
  follow_ups_used: 0,
  reached: false,
  follow_ups_exhausted: false,
  eligible_at,
  in_hours_only: false,
  waits_for_number: false,
  holds,
  first_execution_id: null,
  last_execution_id: null,
  last_status: null,
})

const tableOfContacts = (): ContactTable => {
  const table = new ContactTable()
  const entries = Array.from({ length: size }, (_, row) => ({ to_number: `+1555000000${row}`, variables: {} }))
  table.fill(batchId, 0, entries)
  for (let row = 0; row < size; row++) table.put(waitingContact(row, 100 + row, 0))
  return table
}

const time = fc.integer({ min: 0, max: 5 })
const written = fc.record({ row: fc.nat(size - 1), at: time, holds: fc.nat(1) })
const looked = fc.record({ now: time })

/** Who is next, again and again, at a moment. */
const orderAt = (table: ContactTable, now: number): ReadonlyArray<number> => {
  const passed: Array<{ readonly batch_id: string; readonly row: number }> = []
  for (;;) {
    const next = table.next([batchId], { now, in_hours: true }, passed, "all")
    if (next === null) return passed.map(({ row }) => row)
    passed.push({ batch_id: batchId, row: next.row })
  }
}

describe("ContactTable", () => {
  it("answers by the moment that it is asked for, whoever has looked at it for which other one", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(written, looked), { maxLength: 20 }), time, (commands, now) => {
        const [lookedAt, left] = [tableOfContacts(), tableOfContacts()]
        for (const command of commands) {
          if ("row" in command) {
            const contact = waitingContact(command.row, command.at, command.holds)
            for (const table of [lookedAt, left]) table.put(contact)
          } else lookedAt.load([batchId], { now: command.now, in_hours: true })
        }
        const moment = { now, in_hours: true }
        assert.deepStrictEqual(lookedAt.load([batchId], moment), left.load([batchId], moment))
        assert.deepStrictEqual(orderAt(lookedAt, now), orderAt(left, now))
      }),
    )
  })
})
