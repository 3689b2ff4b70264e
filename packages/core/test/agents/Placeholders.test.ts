import * as fc from "fast-check"
import { expect, it } from "vitest"
import { placeholdersOf } from "../../src/agents/Placeholders.ts"

const name = fc
  .string({ unit: fc.constantFrom("a", "B", "é", "_", "7"), minLength: 1, maxLength: 6 })
  .filter((text) => !text.startsWith("7"))

it("finds every token of the greeting and of all prompts, once, in order of appearance", () => {
  fc.assert(
    fc.property(fc.array(name), fc.array(name), fc.array(name), (greeting, conversation, summary) => {
      const written = (names: ReadonlyArray<string>) => names.map((one) => `x {${one}} {`).join("} ")
      const found = placeholdersOf({
        greeting_message: written(greeting),
        prompts: { conversation: { system: written(conversation) }, summarization: { system: written(summary) } },
      })
      expect(found).toEqual([...new Set([...greeting, ...conversation, ...summary])])
    }),
  )
})

it("takes nothing else for a token", () => {
  expect(
    placeholdersOf({ greeting_message: "{} { a } {a b} {7a} {a.b} a}{", prompts: { x: 1, y: [{}, "{z}"] } }),
  ).toEqual([])
  expect(placeholdersOf({ greeting_message: null, prompts: {} })).toEqual([])
})
