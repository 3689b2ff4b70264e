import { Result, Schema } from "effect"
import { assert, describe, it } from "vitest"
import { described } from "../src/Annotations.ts"
import { listOf, nullable, objectOf, openObjectOf, Text } from "../src/Scalars.ts"
import { withoutNulls } from "../src/WithoutNulls.ts"

const Inner = openObjectOf({ name: Schema.optionalKey(nullable(Text)) })
const Written = objectOf({
  told: described(Schema.optionalKey(nullable(Text)), "What is told."),
  inner: Schema.optionalKey(nullable(Inner)),
  list: Schema.optionalKey(nullable(listOf(Inner))),
  required: nullable(Text),
})
const Answered = withoutNulls(Written)

const isRead = (value: unknown) => Result.isSuccess(Schema.decodeUnknownResult(Answered)(value))

describe("what comes back of a merge patch", () => {
  it("has no field that is null, and may have none of those that are optional", () => {
    assert.isTrue(isRead({ required: "x" }))
    assert.isTrue(isRead({ required: "x", told: "y", inner: { name: "z" } }))
    assert.isFalse(isRead({}))
    for (const value of [
      { told: null },
      { inner: null },
      { inner: { name: null } },
      { list: null },
      { required: null },
    ]) {
      assert.isFalse(isRead({ required: "x", ...value }), JSON.stringify(value))
    }
  })

  it("keeps nulls in lists and under names that are free", () => {
    assert.isTrue(isRead({ required: "x", list: [{ name: null }], inner: { other: null } }))
  })

  it("says so in its type, and keeps what is told of a field", () => {
    const { inner, list, told }: typeof Answered.Type = { required: "x" }
    const texts: ReadonlyArray<string | undefined> = [told, inner?.name]
    const items: ReadonlyArray<string | null | undefined> = (list ?? []).map(({ name }) => name)
    assert.deepStrictEqual([texts, items], [[undefined, undefined], []])
    const { schema } = Schema.toJsonSchemaDocument(Answered)
    assert.deepStrictEqual(Object(schema).properties.told, {
      type: "string",
      allOf: [{ description: "What is told." }],
    })
  })
})
