import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { Transliterator } from "@carillon/core"
import { Pacing } from "@carillon/core/ports"

const write = (language: string, ...texts: ReadonlyArray<string>) =>
  Effect.flatMap(Transliterator, (port) =>
    port.transliterate({ texts, target_language_code: language, source_language_code: null }),
  ).pipe(Effect.provide(Transliterator.layer))

describe("the default transliterator", () => {
  it.effect("writes common names as they are written", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* write("hi", "Rahul Sharma", "NEHA", "Kumar", "Krishnan", "Vijay", "Anjali Patil", "Mr. Rakesh 2nd"),
        ["राहुल शर्मा", "नेहा", "कुमार", "कृष्णन", "विजय", "अंजलि पाटिल", "Mr. राकेश 2nd"],
      )
    }),
  )

  it.effect("spells the others by sound, a final vowel long", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* write("mr-IN", "Tejaswini", "Bhola", "Chetan"), ["तेजस्विनी", "भोला", "चेतन"])
    }),
  )

  it.effect("leaves other scripts and other languages as they are", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* write("hi", "नेहा", "Łukasz", "", "123"), ["नेहा", "Łukasz", "", "123"])
      assert.deepStrictEqual(yield* write("ta", "Rahul"), ["Rahul"])
    }),
  )

  it.effect("waits for its turn now and then, where much is to be written", () =>
    Effect.gen(function* () {
      let turns = 0
      const pacing = Effect.sync(() => void turns++)
      const texts = Array.from({ length: 20 }, () => "rohit sharma ".repeat(700))
      const written = yield* Effect.provideService(write("hi", ...texts), Pacing, pacing)
      assert.strictEqual(written.length, texts.length)
      assert.isAtLeast(turns, 10)
    }),
  )

  it.effect("says which language it does not know", () =>
    Effect.gen(function* () {
      const unknown = (target_language_code: string, source_language_code: string | null) =>
        Effect.flatMap(Transliterator, (port) => port.unknown({ target_language_code, source_language_code })).pipe(
          Effect.provide(Transliterator.layer),
        )
      for (const target of ["hi", "MR-in", "ne_NP"]) {
        for (const source of [null, "en", "EN-gb"]) assert.isNull(yield* unknown(target, source))
        assert.strictEqual(yield* unknown(target, "ar"), "source_language_code")
      }
      for (const target of ["xx", "", "hindi"]) assert.strictEqual(yield* unknown(target, null), "target_language_code")
    }),
  )

  it("answers one composed text for each, of any kind, and a second time nothing new", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: "grapheme" })), (texts) =>
        Effect.runPromise(
          Effect.gen(function* () {
            const once = yield* write("hi", ...texts)
            assert.strictEqual(once.length, texts.length)
            for (const text of once) assert.strictEqual(text, text.normalize("NFC"))
            assert.deepStrictEqual(yield* write("hi", ...once), once)
          }),
        ),
      ),
    ))
})
