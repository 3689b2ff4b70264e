import { eventTypes } from "@carillon/core/domain"
import { assert, describe, it } from "vitest"
import { errorClasses } from "../src/Errors.ts"
import { examples } from "../src/ExampleData.ts"
import { type DocumentMedia, openApiDocument } from "../src/OpenApi.ts"
import { routes } from "../src/Routes.ts"
import { SchemaJudge } from "./SchemaJudge.ts"

const document = openApiDocument()
const judge = new SchemaJudge(document.components.schemas)

/** Every body that the document describes, with a name that says where it stands. */
const bodies: ReadonlyArray<{ readonly at: string; readonly media: DocumentMedia }> = [
  ...routes.flatMap((route) => {
    const operation = document.paths[route.path]?.[route.method.toLowerCase()]
    const named = (at: string, content: Readonly<Record<string, DocumentMedia>> = {}) =>
      Object.entries(content).map(([type, media]) => ({ at: `${route.name} ${at} ${type}`, media }))
    return [
      ...named("request", operation?.requestBody?.content),
      ...Object.entries(operation?.responses ?? {}).flatMap(([status, { content }]) => named(status, content)),
    ]
  }),
  ...eventTypes.map((type) => {
    const media = document.webhooks[type]?.post.requestBody.content["application/json"]
    return { at: `event ${type}`, media: media ?? { schema: {} } }
  }),
]

const valuesOf = ({ examples: shown = {} }: DocumentMedia): ReadonlyArray<unknown> =>
  Object.values(shown).map((example) =>
    "$ref" in example
      ? document.components.examples[example.$ref.replace("#/components/examples/", "")]?.value
      : example.value,
  )

/** What a body can be: each member of a choice of schemas, or the one schema. */
const forms = ({ schema }: DocumentMedia): ReadonlyArray<unknown> =>
  Array.isArray(schema["anyOf"]) ? schema["anyOf"] : [schema]

describe("the examples of the document", () => {
  it("are what their schema says, with no field that it does not name", () => {
    assert.isAbove(bodies.length, 800)
    for (const { at, media } of bodies) {
      for (const value of valuesOf(media)) assert.deepStrictEqual(judge.judge(media.schema, value), [], at)
    }
  })

  it("are there for every body, and for each form that it can have", () => {
    for (const { at, media } of bodies) {
      const values = valuesOf(media)
      assert.isNotEmpty(values, at)
      for (const form of forms(media)) {
        assert.isTrue(
          values.some((value) => judge.judge(form, value).length === 0),
          `${at} has no example of ${JSON.stringify(form)}`,
        )
      }
    }
  })

  it("are of operations and errors that there are", () => {
    assert.sameMembers(
      Object.keys(examples.operations),
      routes.map(({ name }) => name),
    )
    assert.sameMembers(
      Object.keys(examples.errors),
      errorClasses.map(({ name }) => name),
    )
    for (const { name, path, method, successStatuses } of routes) {
      const answered = Object.keys(document.paths[path]?.[method.toLowerCase()]?.responses ?? {})
      assert.includeMembers(answered, Object.keys(examples.operations[name]?.responses ?? {}), name)
      assert.isNotEmpty(successStatuses, name)
    }
  })

  it("would be found out", () => {
    const call = examples.operations["calls.get"]?.responses["200"]?.["call"]
    assert.isObject(call)
    const schema = { $ref: "#/components/schemas/Call" }
    const wrong = [
      { ...Object(call), cost: null },
      { ...Object(call), status: "engaged" },
      { ...Object(call), retry_count: 0.5 },
      { ...Object(call), of_nobody: 1 },
      Object.fromEntries(Object.entries(Object(call)).filter(([name]) => name !== "is_terminal")),
      [call],
    ]
    for (const value of wrong) assert.isNotEmpty(judge.judge(schema, value))
  })
})
