import { eventTypes } from "@carillon/core/domain"
import { assert, describe, it } from "vitest"
import { asyncApiDocument } from "../src/AsyncApi.ts"
import { openApiDocument } from "../src/OpenApi.ts"
import { SchemaJudge } from "./SchemaJudge.ts"

const document = asyncApiDocument()

const referencesIn = (value: unknown): ReadonlyArray<string> =>
  [...JSON.stringify(value).matchAll(/"\$ref":"#\/([^"]+)"/g)].flatMap(([, path]) => path ?? [])

const at = (path: string): unknown =>
  path.split("/").reduce<unknown>((value, key) => (value === undefined ? value : Object(value)[key]), document)

describe("the AsyncAPI document", () => {
  it("has the eight events, each with its message, its operation and an example that its schema allows", () => {
    const judge = new SchemaJudge(document.components.schemas)
    assert.sameMembers(Object.keys(document.operations), [...eventTypes])
    assert.sameMembers(Object.keys(document.channels.events.messages), [...eventTypes])
    for (const type of eventTypes) {
      const message = document.components.messages[type]
      assert.isNotEmpty(message?.examples, type)
      for (const { payload } of message?.examples ?? []) {
        assert.deepStrictEqual(judge.judge(message?.payload, payload), [], type)
      }
    }
  })

  it("refers to nothing that it has not, and has the very schemas of the OpenAPI document", () => {
    const references = referencesIn(document)
    assert.isAbove(references.length, 20)
    for (const reference of references) assert.isDefined(at(reference), reference)
    const { schemas } = openApiDocument().components
    for (const [name, schema] of Object.entries(document.components.schemas))
      assert.deepStrictEqual(schema, schemas[name])
  })

  it("says the same thing every time", () => {
    assert.strictEqual(JSON.stringify(asyncApiDocument()), JSON.stringify(document))
  })
})
