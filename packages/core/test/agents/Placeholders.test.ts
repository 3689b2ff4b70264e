import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { placeholderReader } from "../../src/agents/ports/Placeholders.ts"
import { Pacing } from "../../src/engine/ports/Pacing.ts"

const name = fc
  .string({ unit: fc.constantFrom("a", "B", "é", "_", "7", "\u{10400}"), minLength: 1, maxLength: 6 })
  .filter((text) => !text.startsWith("7"))

/** The names in texts, found at once. */
const namesIn = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(
    texts.flatMap((text) => [...text.matchAll(/\{([\p{L}_][\p{L}\p{Nd}_]*)\}/gu)].map(([, found = ""]) => found)),
  ),
]

const read = (greeting_message: string | null, prompts: Record<string, never> | object, size?: number) =>
  Effect.runSync(
    Effect.provideService(
      placeholderReader(size)({ greeting_message, prompts: JSON.parse(JSON.stringify(prompts)) }),
      Pacing,
      Effect.void,
    ),
  )

describe("the placeholders of an agent", () => {
  it("are every token of the greeting and of all prompts, once, in order of appearance", () => {
    fc.assert(
      fc.property(fc.array(name), fc.array(name), fc.array(name), (greeting, conversation, summary) => {
        const written = (names: ReadonlyArray<string>) => names.map((one) => `x {${one}} {`).join("} ")
        const found = read(written(greeting), {
          conversation: { system: written(conversation) },
          summarization: { system: written(summary) },
        })
        assert.deepStrictEqual(found, [...new Set([...greeting, ...conversation, ...summary])])
      }),
    )
  })

  it("are nothing else", () => {
    assert.deepStrictEqual(read("{} { a } {a b} {7a} {a.b} a}{", { x: 1, y: [{}, "{z}"], z: "b}" }), [])
    assert.deepStrictEqual(read(null, {}), [])
  })

  it("are the same however the texts are cut into pieces", () => {
    const text = fc.string({ unit: fc.constantFrom("{", "{", "}", "a", "b", "7", " ", "\n", "\u{10400}") })
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), fc.integer({ min: 1, max: 9 }), (texts, size) => {
        const [greeting = "", ...others] = texts
        assert.deepStrictEqual(read(greeting, Object.fromEntries(others.entries()), size), namesIn(texts))
      }),
    )
  })

  it.effect("are looked for in turns, in one long text as in many short ones", () =>
    Effect.gen(function* () {
      let turns = 0
      const pacing = Effect.sync(() => void turns++)
      const reader = placeholderReader()
      const long = { greeting_message: null, prompts: { system: "{a}".repeat(200_000) } }
      assert.deepStrictEqual(yield* Effect.provideService(reader(long), Pacing, pacing), ["a"])
      assert.isAtLeast(turns, 600_000 / (16 * 1024))
      turns = 0
      const short = { greeting_message: "{a}".repeat(1_000), prompts: {} }
      for (let nth = 0; nth < 100; nth++) yield* Effect.provideService(reader(short), Pacing, pacing)
      assert.isAtLeast(turns, 25)
      turns = 0
      yield* Effect.provideService(placeholderReader()(short), Pacing, pacing)
      assert.strictEqual(turns, 0)
    }),
  )
})
