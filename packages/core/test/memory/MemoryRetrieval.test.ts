import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { RetrievalIndex } from "../../src/knowledge/RetrievalIndex.ts"
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
})
