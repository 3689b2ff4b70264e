import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { limits } from "@carillon/core"
import { jsonContacts } from "@carillon/core/domain"
import { Pacing } from "@carillon/core/ports"

describe("contacts of a JSON body", () => {
  it.effect("have their number under either name and every other key as a variable", () =>
    Effect.gen(function* () {
      const { contacts, file_name } = yield* jsonContacts([
        { to_number: "+15550001111", name: "Ada", age: 36 },
        { phone_number: "+15550002222", tags: ["a"] },
      ])
      assert.isNull(file_name)
      assert.deepStrictEqual(contacts, [
        { to_number: "+15550001111", variables: { name: "Ada", age: 36 } },
        { to_number: "+15550002222", variables: { tags: ["a"] } },
      ])
    }),
  )

  it.effect("are refused together, each named, none of their digits told", () =>
    Effect.gen(function* () {
      const good = { to_number: "+15550001111" }
      const wrong = yield* Effect.flip(
        jsonContacts([
          good,
          { to_number: "15550001111" },
          good,
          { name: "x" },
          "text",
          { phone_number: 7 },
          { to_number: 5, phone_number: "+15550002222" },
        ]),
      )
      assert.deepInclude(wrong, {
        _tag: "InvalidField",
        field: "contacts[1].to_number",
        reason:
          "must be a number in E.164 form of 7 to 15 digits, also in contacts[3].to_number, contacts[4], contacts[5].phone_number, contacts[6].to_number",
      })
      assert.deepInclude(yield* Effect.flip(jsonContacts([])), { _tag: "Malformed" })
      const many = Array.from({ length: 50_001 }, () => good)
      assert.deepInclude(yield* Effect.flip(jsonContacts(many)), { _tag: "InvalidField", field: "contacts" })
      const faults = yield* Effect.flip(jsonContacts(Array.from({ length: 25 }, () => ({}))))
      assert.include(faults._tag === "InvalidField" ? faults.reason : "", "contacts[19].to_number and 5 more")
    }),
  )

  it.effect("are refused with a number that would be stored as null", () =>
    Effect.gen(function* () {
      for (const held of ["1e400", '[{"deep":-1e999}]']) {
        const contact = JSON.parse(`{"to_number":"+15550001111","n":1e300,"amount":${held}}`)
        const wrong = yield* Effect.flip(jsonContacts([contact]))
        assert.deepInclude(wrong, { field: "contacts[0].amount", reason: "must hold finite numbers only" })
      }
    }),
  )

  it.effect("are bounded, each and together", () =>
    Effect.gen(function* () {
      const good = { to_number: "+15550001111" }
      const large = { ...good, note: "…".repeat(limits.contactBytes / 3) }
      assert.deepInclude(yield* Effect.flip(jsonContacts([good, good, large])), {
        _tag: "InvalidField",
        field: "contacts[2]",
      })
      const half = { ...good, note: "x".repeat(limits.contactBytes / 2) }
      const count = (2 * limits.intakeCharacters) / limits.contactBytes
      assert.strictEqual(
        (yield* jsonContacts(Array.from({ length: count - 1 }, () => half))).contacts.length,
        count - 1,
      )
      assert.deepInclude(yield* Effect.flip(jsonContacts(Array.from({ length: count + 1 }, () => half))), {
        _tag: "InvalidField",
        field: "contacts",
      })
      const wide = { ...good, ...Object.fromEntries(Array.from({ length: 5_000 }, (_, nth) => [`k${nth}`, 1])) }
      assert.deepInclude(yield* Effect.flip(jsonContacts(Array.from({ length: 501 }, () => wide))), {
        _tag: "InvalidField",
        field: "contacts",
      })
    }),
  )

  it.effect("wait for their turn by what is in them, not by their number alone", () =>
    Effect.gen(function* () {
      let turns = 0
      const pacing = Effect.sync(() => void turns++)
      const count = 200
      const shapes = [
        Object.fromEntries(Array.from({ length: 450 }, (_, nth) => [`k${nth}`, 0])),
        { a: Array.from({ length: 450 }, () => []) },
        { note: "x".repeat(16 * 1024) },
      ]
      for (const shape of shapes) {
        turns = 0
        const contacts = Array.from({ length: count }, () => ({ to_number: "+15550001111", ...shape }))
        yield* Effect.provideService(jsonContacts(contacts), Pacing, pacing)
        assert.isAtLeast(turns, 20, Object.keys(shape)[0])
      }
    }),
  )
})
