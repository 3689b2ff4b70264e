import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Pacing } from "../../src/engine/ports/Pacing.ts"
import { RetrievalIndex } from "../../src/knowledge/ports/RetrievalIndex.ts"
import { RetrievalTable, retrievalLayer } from "../../src/memory/MemoryRetrieval.ts"

const words = ["lorem", "ipsum", "dolor", "amet", "elit", "tempor", "labore", "magna", "aliqua", "veniam"]

const filled = (chunks: number) =>
  Effect.gen(function* () {
    const index = yield* RetrievalIndex
    const texts = Array.from({ length: chunks }, (_, chunk) => ({
      file: "a.pdf",
      chunk,
      text: chunk === 7 ? "the refund is paid" : `the ${words.join(" ")} ${chunk}`,
    }))
    yield* index.add("org_1", "kb_1", "doc_1", texts)
    return (query: string, limit = 5) => index.search("org_1", "kb_1", query, limit)
  })

const layer = retrievalLayer(new RetrievalTable())

describe("retrieval in memory", () => {
  it.effect("weighs a repeated word once, and answers a question made of nothing else", () =>
    Effect.gen(function* () {
      const ask = yield* filled(2000)
      // Each repetition would be weighed against every chunk: 400 times 2,000.
      assert.deepStrictEqual(yield* ask("magna ".repeat(400)), yield* ask("magna"))
      assert.lengthOf(yield* ask("the ".repeat(500)), 5)
    }).pipe(Effect.provide(layer)),
  )

  it.effect("does not look for what is like a word of any length", () =>
    Effect.gen(function* () {
      const ask = yield* filled(10)
      assert.lengthOf(yield* ask("refunt"), 1)
      assert.deepStrictEqual(yield* ask("x".repeat(2000)), [])
      assert.deepStrictEqual(yield* ask(`${"refund".repeat(6)}s`), [])
    }).pipe(Effect.provide(layer)),
  )

  it.effect("finds the rare word among the common ones, wherever the question has it", () =>
    Effect.gen(function* () {
      const ask = yield* filled(1000)
      const [best] = yield* ask(`the the the is the ${"of ".repeat(100)} the refund`)
      assert.strictEqual(best?.chunk, 7)
    }).pipe(Effect.provide(layer)),
  )

  it.effect("lets others have their turn, whatever it is asked over however many words", () =>
    Effect.gen(function* () {
      const index = yield* RetrievalIndex
      let words = 0
      const text = () => Array.from({ length: 80 }, () => `abcd${(words++).toString(36)}`).join(" ")
      const chunks = Array.from({ length: 1_000 }, (_, chunk) => ({ file: "a.pdf", chunk, text: text() }))
      yield* index.add("org_2", "kb_1", "doc_1", chunks)
      let turns = 0
      const others = Effect.forever(
        Effect.andThen(
          Effect.sync(() => turns++),
          Effect.yieldNow,
        ),
      )
      // Eighty thousand words begin like this one: each of them is a look-up of its own.
      const hits = yield* Effect.raceFirst(index.search("org_2", "kb_1", "abcd", 5), others)
      assert.lengthOf(hits, 5)
      assert.isAtLeast(turns, 10)
    }).pipe(Effect.provide(layer)),
  )

  it.effect("indexes a few thousand characters in a turn, whatever they are", () =>
    Effect.gen(function* () {
      const index = yield* RetrievalIndex
      const characters = 500_000
      // Words of one letter that are all different in a part: an index that compares each new word with those before takes minutes.
      const letters = (from: number, length: number) =>
        Array.from(
          { length: length / 2 },
          (_, nth) => `${String.fromCharCode(0x4e00 + ((from + nth) % 20_000))} `,
        ).join("")
      const texts = {
        "one letter": Array.from({ length: characters / 500 }, (_, nth) => letters(nth * 250, 500)),
        "no blanks": Array.from({ length: characters / 500 }, () => "\u5b57".repeat(500)),
        "chunks of nothing else": Array.from({ length: characters / 2 }, () => "a"),
      }
      for (const [name, list] of Object.entries(texts)) {
        let turns = 0
        const adding = index.add(
          "org_3",
          name,
          "doc_1",
          list.map((text, chunk) => ({ file: "a.pdf", chunk, text })),
        )
        yield* Effect.provideService(
          adding,
          Pacing,
          Effect.sync(() => void turns++),
        )
        const all = list.reduce((sum, { length }) => sum + length, 0)
        assert.isAtLeast(turns, all / 5_000, name)
      }
      let turns = 0
      const answer = index.search("org_3", "chunks of nothing else", "a", 50)
      const hits = yield* Effect.provideService(
        answer,
        Pacing,
        Effect.sync(() => void turns++),
      )
      assert.lengthOf(hits, 50)
      // Fifty thousand places are weighed, and then entered, those of one part in a turn.
      assert.isAtLeast(turns, 20)
    }).pipe(Effect.provide(layer)),
  )

  it.effect("compares letters in turns, and no more than so many for one question", () =>
    Effect.gen(function* () {
      const index = yield* RetrievalIndex
      const word = (nth: number) => `${"a".repeat(24)}${(nth + 50_000).toString(36)}${"b".repeat(4)}`
      const chunks = Array.from({ length: 2_000 }, (_, chunk) => ({
        file: "a.pdf",
        chunk,
        text: Array.from({ length: 15 }, (_, nth) => word(chunk * 15 + nth)).join(" "),
      }))
      yield* index.add("org_4", "kb_1", "doc_1", chunks)
      let turns = 0
      const questions = Array.from({ length: 24 }, (_, nth) => `${"a".repeat(25)}c${nth + 10}${"d".repeat(4)}`)
      const hits = yield* Effect.provideService(
        index.search("org_4", "kb_1", questions.join(" "), 5),
        Pacing,
        Effect.sync(() => void turns++),
      )
      assert.deepStrictEqual(hits, [])
      // A quarter of a million in a turn, a hundred million at most and the look-ups themselves.
      assert.isAtLeast(turns, 40)
      assert.isAtMost(turns, 500)
    }).pipe(Effect.provide(layer)),
  )
})
