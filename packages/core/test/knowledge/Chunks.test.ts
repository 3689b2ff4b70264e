import { assert, describe, it } from "vitest"
import * as fc from "fast-check"
import { Effect } from "effect"
import { Pacing } from "../../src/engine/ports/Pacing.ts"
import * as Chunks from "../../src/knowledge/Chunks.ts"

const all = Number.MAX_SAFE_INTEGER

/** One space or line break for every run of white space, and no control characters: said of the whole text. */
const normalized = (text: string): string =>
  text
    .replace(/(?!\s)[\p{Cc}\p{Cs}]/gu, "")
    .replace(/\s+/g, (space) => (space.includes("\n") ? "\n" : " "))
    .trim()

/** The chunks of a text that is cut in pieces of so many characters, by default in one. */
const chunksOf = (
  text: string,
  settings: Chunks.ChunkSettings,
  chunks: number,
  characters = all,
  size = Math.max(1, text.length),
): ReadonlyArray<string> => {
  const cutting = new Chunks.Cutting(text, settings, { chunks, characters }, size)
  while (cutting.advance());
  return cutting.chunks
}

const separators = [" ", "  ", "\n", "\r\n", "\t", " \u0000", "\u00a0"]

/**
 * Texts of words and white space, with words longer than chunks and characters of two code units. No character comes twice, so that
 * it can be told where a chunk was cut out.
 */
const text = fc
  .array(
    fc.record({
      length: fc.oneof(
        { weight: 8, arbitrary: fc.nat(12) },
        { weight: 1, arbitrary: fc.integer({ min: 30, max: 120 }) },
      ),
      first: fc.constantFrom(0x4e00, 0x20000),
      separator: fc.constantFrom(...separators),
    }),
    { maxLength: 60 },
  )
  .map((words) => {
    let used = 0
    const letters = (first: number, length: number) =>
      String.fromCodePoint(...Array.from({ length }, () => first + used++))
    return words.map(({ first, length, separator }) => letters(first, length) + separator).join("")
  })

const settings = fc
  .integer({ min: 8, max: 64 })
  .chain((chunk_size) => fc.record({ chunk_size: fc.constant(chunk_size), overlapping: fc.nat(chunk_size - 1) }))

/** Where the chunks lie in the text. */
const places = (plain: string, chunks: ReadonlyArray<string>) =>
  chunks.map((chunk) => {
    const start = plain.indexOf(chunk)
    assert.isAtLeast(start, 0)
    return { start, end: start + chunk.length }
  })

describe("chunks", () => {
  it("cover the whole text in order, within their size, sharing no more than allowed", () => {
    fc.assert(
      fc.property(text, settings, (raw, { chunk_size, overlapping }) => {
        const plain = normalized(raw)
        const chunks = chunksOf(raw, { chunk_size, overlapping }, all)
        for (const chunk of chunks) {
          assert.isAbove(chunk.length, 0)
          assert.isAtMost(chunk.length, chunk_size)
          assert.strictEqual(chunk, chunk.trim())
          assert.isTrue(chunk.isWellFormed())
        }
        const at = places(plain, chunks)
        assert.strictEqual(at.at(-1)?.end ?? 0, plain.length)
        at.forEach(({ end, start }, nth) => {
          const before = at[nth - 1]?.end ?? 0
          assert.isAbove(end, before)
          assert.isAtLeast(start, before - overlapping)
          assert.strictEqual(plain.slice(before, start).trim(), "")
        })
      }),
      { numRuns: 500 },
    )
  })

  it("cut no word that fits into a chunk", () => {
    fc.assert(
      fc.property(text, settings, (raw, { chunk_size, overlapping }) => {
        const words = new Set(
          normalized(raw)
            .split(/\s/)
            .filter((word) => word.length <= chunk_size),
        )
        const long = normalized(raw)
          .split(/\s/)
          .filter((word) => word.length > chunk_size)
        for (const chunk of chunksOf(raw, { chunk_size, overlapping }, all)) {
          for (const word of chunk.split(/\s/)) {
            const known = words.has(word) || long.some((whole) => whole.includes(word))
            assert.isTrue(known, JSON.stringify(word))
          }
        }
        const found = new Set(chunksOf(raw, { chunk_size, overlapping }, all).flatMap((chunk) => chunk.split(/\s/)))
        for (const word of words) if (word !== "") assert.isTrue(found.has(word), JSON.stringify(word))
      }),
      { numRuns: 300 },
    )
  })

  it("are the first of them where there is a limit", () => {
    fc.assert(
      fc.property(text, settings, fc.nat(6), (raw, cut, limit) => {
        assert.deepStrictEqual(chunksOf(raw, cut, limit), chunksOf(raw, cut, all).slice(0, limit))
      }),
    )
  })

  it("are the same in whatever pieces the text is cut", () => {
    fc.assert(
      fc.property(
        text,
        settings,
        fc.nat(40),
        fc.nat(400),
        fc.integer({ min: 1, max: 90 }),
        (raw, cut, chunks, characters, size) => {
          const [most, length] = [chunks === 40 ? all : chunks, characters === 400 ? all : characters]
          assert.deepStrictEqual(chunksOf(raw, cut, most, length, size), chunksOf(raw, cut, most, length))
        },
      ),
      { numRuns: 1000 },
    )
  })

  it("are cut a piece in a turn, of whatever the text consists", async () => {
    const characters = 2_000_000
    const texts = {
      letters: "a ".repeat(characters / 2),
      blanks: " ".repeat(characters),
      "no end of a word": "\u5b57".repeat(characters),
      marks: "e\u0301".repeat(characters / 2),
      controls: "\u0001".repeat(characters),
    }
    for (const [name, long] of Object.entries(texts)) {
      let turns = 0
      const counted = Effect.sync(() => void turns++)
      const cut = Chunks.chunksOf(long, { chunk_size: 512, overlapping: 128 }, { chunks: all, characters: all })
      await Effect.runPromise(Effect.provideService(cut, Pacing, counted))
      // A piece is 32 Ki characters, of which a slow machine cuts the worst in some milliseconds.
      assert.isAtLeast(turns, Math.floor(characters / 32_768), name)
    }
  })

  it("are no more once they have more characters than are asked for", () => {
    fc.assert(
      fc.property(text, settings, fc.nat(200), (raw, cut, characters) => {
        let taken = 0
        const expected = chunksOf(raw, cut, all).filter((chunk) => {
          const before = taken
          taken += chunk.length
          return before <= characters
        })
        assert.deepStrictEqual(chunksOf(raw, cut, all, characters), expected)
      }),
    )
  })

  it("come of a text without control characters, halves of pairs and white space beyond one space or line break", () => {
    const units = fc.constantFrom(
      "a",
      " ",
      "\n",
      "\r",
      "\t",
      "\u00a0",
      "\u2028",
      "\u0000",
      "\u0085",
      "\ud83d",
      "\ude00",
    )
    fc.assert(
      fc.property(fc.array(units, { maxLength: 40 }), fc.integer({ min: 1, max: 50 }), (list, size) => {
        const text = list.join("")
        const plain = normalized(text)
        const [whole = "", ...others] = chunksOf(text, { chunk_size: 50, overlapping: 0 }, all, all, size)
        assert.deepStrictEqual([whole, others], [plain, []])
      }),
      { numRuns: 1000 },
    )
  })

  it("repeat the whole words that fit", () => {
    assert.deepStrictEqual(chunksOf("one two three four five", { chunk_size: 13, overlapping: 5 }, all), [
      "one two three",
      "three four",
      "four five",
    ])
    assert.deepStrictEqual(chunksOf("one two three four five", { chunk_size: 13, overlapping: 0 }, all), [
      "one two three",
      "four five",
    ])
    assert.deepStrictEqual(chunksOf(" \n\t ", { chunk_size: 32, overlapping: 0 }, all), [])
  })

  it("are cut in time that grows with the text alone", () => {
    const long = "x".repeat(2_000_000)
    assert.lengthOf(chunksOf(long, { chunk_size: 500, overlapping: 499 }, all), 4_000)
    const words = "ab ".repeat(100_000)
    assert.isAtMost(chunksOf(words, { chunk_size: 32, overlapping: 31 }, all).length, 100_000)
  })
})
