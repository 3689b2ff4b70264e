import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { placesByPriority, priorityIn, priorityOf } from "../../src/contacts/rules/Priority.ts"

describe("the priority of a contact", () => {
  it("is what its variable says, where that is a whole number from 0 to 9", () => {
    for (let priority = 0; priority <= 9; priority++) {
      assert.strictEqual(priorityIn(priority), priority)
      assert.strictEqual(priorityIn(` ${priority} `), priority)
    }
    assert.strictEqual(priorityIn("007"), 7)
    for (const none of [undefined, null, "", "  "]) assert.isUndefined(priorityIn(none))
    for (const wrong of [-1, 10, 1.5, "-1", "10", "1.5", "1e0", "high", "5x", true, {}, [5]]) {
      assert.isNull(priorityIn(wrong), JSON.stringify(wrong))
    }
  })

  it("is 5 where none was given", () => {
    assert.strictEqual(priorityOf({}), 5)
    assert.strictEqual(priorityOf({ priority: 0 }), 0)
  })

  it("puts contacts in the order that a stable sort would", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(9), { nil: undefined }), { maxLength: 60 }), (given) => {
        const contacts = given.map((priority) => (priority === undefined ? {} : { priority }))
        const sorted = contacts
          .map((contact, place) => ({ place, by: contact.priority ?? 5 }))
          .toSorted((one, other) => other.by - one.by || one.place - other.place)
        assert.deepStrictEqual(
          placesByPriority(contacts),
          sorted.map(({ place }) => place),
        )
      }),
    )
  })
})
