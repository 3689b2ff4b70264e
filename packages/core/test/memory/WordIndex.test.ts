import { assert, describe, it } from "vitest"
import * as fc from "fast-check"
import { WordIndex, wordsOf } from "../../src/memory/WordIndex.ts"

/** How many letters have to be put in, left out or changed (Levenshtein). */
const distanceOf = (one: string, other: string): number => {
  let above = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const next = [row]
    for (let at = 1; at <= other.length; at++) {
      const changed = (above[at - 1] ?? 0) + (one[row - 1] === other[at - 1] ? 0 : 1)
      next.push(Math.min(changed, (next[at - 1] ?? 0) + 1, (above[at] ?? 0) + 1))
    }
    above = next
  }
  return above[other.length] ?? 0
}

const isFound = (asked: string, word: string): boolean => {
  if (word === asked) return true
  if (asked.length > 3 && word.startsWith(asked)) return true
  return (
    asked.length > 5 && asked.length <= 32 && distanceOf(asked, word) <= Math.min(2, Math.round(asked.length * 0.2))
  )
}

const letters = fc.constantFrom("a", "b", "\u5b57", "\u{1f600}")
const word = fc
  .array(letters, { minLength: 1, maxLength: 12 })
  .map((list) => list.join(""))
  .chain((some) => fc.constantFrom(some, `abab${some}`, `aaaaaaaaaa${some}`))
const separator = fc.constantFrom(" ", "\n", ", ", "\u3000", "-")

const text = fc.array(fc.tuple(word, separator)).map((list) => list.flat().join(""))

/** Some texts, and a word that may be in them, or nearly. */
const asked = fc.array(text, { maxLength: 8 }).chain((texts) => {
  const words = texts.flatMap(wordsOf)
  return fc.record({
    texts: fc.constant(texts),
    asked: words.length === 0 ? word : fc.oneof(word, fc.constantFrom(...words)),
  })
})

describe("an index of words", () => {
  it("finds the texts that have a word, one that begins with it, or one that is nearly it", () => {
    fc.assert(
      fc.property(asked, ({ asked, texts }) => {
        const { found, places } = new WordIndex(texts).find(asked, 4, false)
        const having = texts.map((one) => new Set(wordsOf(one).filter((of) => isFound(asked, of))))
        assert.sameMembers(
          [...found.keys()],
          having.flatMap((words, nth) => (words.size > 0 ? [nth] : [])),
        )
        assert.strictEqual(
          places,
          having.reduce((sum, words) => sum + words.size, 0),
        )
        for (const value of found.values()) assert.isAbove(value, 0)
      }),
      { numRuns: 2_000 },
    )
  })

  it("passes over what is only nearly the word where it shall take little", () => {
    const index = new WordIndex(["refund", "refunds", "refunt"])
    assert.sameMembers([...index.find("refund", 1, false).found.keys()], [0, 1, 2])
    const { compared, found } = index.find("refund", 1, true)
    assert.sameMembers([...found.keys()], [0, 1])
    assert.strictEqual(compared, 0)
  })

  it("prefers the word itself, where it stands often, in a short text", () => {
    const index = new WordIndex([
      "refund refund ten days",
      "refund ten days later",
      "refunds ten days later",
      "refund a b c d e f g h",
    ])
    const { found } = index.find("refund", 4, false)
    const places = [...found].toSorted(([, a], [, b]) => b - a).map(([nth]) => nth)
    assert.deepStrictEqual(places, [0, 1, 3, 2])
    assert.strictEqual(index.count, 4 + 4 + 4 + 9)
  })

  it("compares no more letters than the words have, however alike they are", () => {
    // Each word is within two letters of the one that is looked for, all but its end.
    const alike = Array.from({ length: 150 }, (_, nth) => `${"a".repeat(29)}${(nth + 1_000).toString(36)}b`)
    const word = "a".repeat(32)
    const letters = alike.join("").length
    assert.isAtMost(new WordIndex([alike.join(" ")]).find(word, 1, false).compared, letters * (word.length + 1))
  })
})
