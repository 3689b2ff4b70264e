import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { parseBearer } from "../../src/keys/rules/BearerHeader.ts"

const missing = { ok: false, reason: "missing" } as const
const notAnApiKey = { ok: false, reason: "not_an_api_key" } as const
const found = (key: string) => ({ ok: true, key }) as const

describe("the header zoo", () => {
  it.each([
    [undefined, missing],
    ["", missing],
    [" ", missing],
    ["Bearer", missing],
    ["Bearer ", missing],
    ["Bearer \t ", missing],
    ["gat_abc", missing],
    ["Basic dXNlcjpwYXNz", missing],
    ["Basic gat_abc", missing],
    ["Bearer gat_abc extra", missing],
    ["Bearer gat_abc, Bearer gat_def", missing],
    ["Bearer Bearer gat_abc", missing],
    ["Bearer:gat_abc", missing],
    ["Bearer=gat_abc", missing],
    ["BearerX gat_abc", missing],
    ["Bearer\u00a0gat_abc", missing],
    ["Bearer\u2003gat_abc", missing],
    ["\u00a0Bearer gat_abc", missing],
    ["Bearer gat_abc", found("gat_abc")],
    ["bearer gat_abc", found("gat_abc")],
    ["BEARER gat_abc", found("gat_abc")],
    ["bEaReR gat_abc", found("gat_abc")],
    ["Bearer  gat_abc", found("gat_abc")],
    ["BEARER\tgat_abc", found("gat_abc")],
    ["Bearer \t gat_abc", found("gat_abc")],
    [" Bearer gat_abc ", found("gat_abc")],
    ["Bearer gat_", found("gat_")],
    ["Bearer gat_\u00e9", found("gat_\u00e9")],
    ["Bearer gat_a\u00a0b", found("gat_a\u00a0b")],
    ["Bearer GAT_abc", notAnApiKey],
    ["Bearer Gat_abc", notAnApiKey],
    ["Bearer eyJhbGciOiJIUzI1NiJ9.e30.x", notAnApiKey],
    ["Bearer \u00a0gat_abc", notAnApiKey],
    ['Bearer "gat_abc"', notAnApiKey],
    ["Bearer xgat_abc", notAnApiKey],
    [`Bearer gat_${"a".repeat(9000)}`, found(`gat_${"a".repeat(9000)}`)],
    [`Bearer ${"a".repeat(9000)}`, notAnApiKey],
  ])("%j", (header, expected) => {
    assert.deepEqual(parseBearer(header), expected)
  })
})

describe("any header", () => {
  const space = fc.string({ unit: fc.constantFrom(" ", "\t"), minLength: 1, maxLength: 4 })
  const word = fc.string({ unit: "grapheme-ascii", minLength: 1 }).map((text) => text.replaceAll(" ", "_"))
  const scheme = fc
    .array(fc.boolean(), { minLength: 6, maxLength: 6 })
    .map((upper) =>
      ["b", "e", "a", "r", "e", "r"]
        .map((letter, index) => (upper[index] === true ? letter.toUpperCase() : letter))
        .join(""),
    )

  it("finds the key behind Bearer in any case and any white space", () => {
    fc.assert(
      fc.property(scheme, space, word, (bearer, between, rest) => {
        assert.deepEqual(parseBearer(`${bearer}${between}gat_${rest}`), found(`gat_${rest}`))
      }),
    )
  })

  it("has a credential only with exactly two parts and the scheme Bearer", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(word, scheme, fc.constant("gat_k")), { maxLength: 4 }), space, (words, between) => {
        const result = parseBearer(words.join(between))
        const isCredential = words.length === 2 && words[0]?.toLowerCase() === "bearer"
        const expected = words[1]?.startsWith("gat_") === true ? found(words[1]) : notAnApiKey
        assert.deepEqual(result, isCredential ? expected : missing)
      }),
    )
  })

  it("takes time in proportion to its length, not to its square", () => {
    for (const filler of [" ", "\t", "a", " a", "Bearer "]) {
      assert.isFalse(parseBearer(`Bearer ${filler.repeat(200_000)} x y`).ok)
    }
  })
})
