import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { twilioDocument } from "../../../../scripts/vendors/TwilioDocument.ts"
import {
  callFields,
  callFilters,
  callRecordingFields,
  callRecordingFilters,
  createParameters,
  type Field,
  type FieldTable,
  pageFields,
  type ParameterTable,
  recordingFields,
  recordingFilters,
  type Shape,
  updateParameters,
} from "./Contract.ts"

/** Holds the contract against Twilio's document, which is not kept here. */
const place = twilioDocument()

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly pattern?: string
  readonly nullable?: boolean
  readonly enum?: ReadonlyArray<string>
  readonly required?: ReadonlyArray<string>
  readonly properties?: { readonly [name: string]: Schema }
}

interface Operation {
  readonly parameters: ReadonlyArray<{ readonly in: string; readonly name: string }>
  readonly requestBody?: { readonly content: { readonly [type: string]: { readonly schema: Schema } } }
  readonly responses: {
    readonly [status: string]: { readonly content: { readonly "application/json": { readonly schema: Schema } } }
  }
}

interface OpenApi {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly components: { readonly schemas: { readonly [name: string]: Schema } }
}

const sidPattern = (prefix: string) => `^${prefix}[0-9a-fA-F]{32}$`

const schemaOf = (shape: Shape): Schema => {
  if (typeof shape === "object") return { type: "string", enum: shape.oneOf }
  switch (shape) {
    case "text":
      return { type: "string" }
    case "uri":
    case "endpoint":
    case "twiml":
      return { type: "string", format: shape }
    case "http-method":
      return { type: "string", format: shape, enum: ["GET", "POST"] }
    case "integer":
    case "boolean":
      return { type: shape }
    case "texts":
      return { type: "array" }
    case "AP":
    case "BY":
      return { type: "string", pattern: sidPattern(shape) }
  }
}

const schemaOfField = ({ format, nullable, oneOf, sid, type }: Field): Schema => ({
  ...(type === "any" ? {} : { type }),
  ...(format === undefined ? {} : { format }),
  ...(nullable === true ? { nullable } : {}),
  ...(oneOf === undefined ? {} : { enum: oneOf }),
  ...(sid === undefined ? {} : { pattern: sidPattern(sid) }),
})

const document = (path: string) => {
  const openApi = JSON.parse(readFileSync(path, "utf8")) as OpenApi

  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (openApi.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? schema)
  /** What the contract tells of a schema, and no more. */
  const told = (schema: Schema): Schema => {
    const { enum: words, format, nullable, pattern, type } = resolved(schema)
    return {
      ...(type === undefined ? {} : { type }),
      ...(format === undefined ? {} : { format }),
      ...(nullable === true ? { nullable } : {}),
      ...(words === undefined ? {} : { enum: words }),
      ...(pattern === undefined ? {} : { pattern }),
    }
  }
  const operation = (method: string, rest: string): Operation => {
    const found = openApi.paths[`/2010-04-01/Accounts/{AccountSid}${rest}`]?.[method]
    if (found === undefined) throw new Error(`The document has no ${method} ${rest}`)
    return found
  }
  return {
    form: (rest: string) => {
      const schema = operation("post", rest).requestBody?.content["application/x-www-form-urlencoded"]?.schema
      const parameters = Object.entries(schema?.properties ?? {}).map(([name, property]) => [name, told(property)])
      return { parameters: Object.fromEntries(parameters), required: schema?.required ?? [] }
    },
    filters: (rest: string) =>
      operation("get", rest)
        .parameters.filter((parameter) => parameter.in === "query")
        .map(({ name }) => name)
        .toSorted(),
    answer: (method: string, rest: string, status: number) => {
      const schema = resolved(operation(method, rest).responses[status]?.content["application/json"].schema ?? {})
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, field]) => [name, told(field)]))
    },
  }
}

const formOf = (table: ParameterTable) => ({
  parameters: Object.fromEntries(Object.entries(table).map(([name, { shape }]) => [name, schemaOf(shape)])),
  required: Object.keys(table).filter((name) => table[name]?.required === true),
})

const answerOf = (table: FieldTable) =>
  Object.fromEntries(Object.entries(table).map(([name, field]) => [name, schemaOfField(field)]))

if (place === null) {
  it("cannot be run: against Twilio's API document (neither the npm registry nor TWILIO_OPENAPI has it)", ({ skip }) =>
    skip())
} else {
  const read = document(place)

  it("has the parameters of the document", () => {
    expect(formOf(createParameters)).toEqual(read.form("/Calls.json"))
    expect(formOf(updateParameters)).toEqual(read.form("/Calls/{Sid}.json"))
  })

  it("has the filters of the document", () => {
    expect(callFilters.toSorted()).toEqual(read.filters("/Calls.json"))
    expect(callRecordingFilters.toSorted()).toEqual(read.filters("/Calls/{CallSid}/Recordings.json"))
    expect(recordingFilters.toSorted()).toEqual(read.filters("/Recordings.json"))
  })

  it("has the answers of the document", () => {
    expect(answerOf(callFields)).toEqual(read.answer("post", "/Calls.json", 201))
    expect(answerOf(callFields)).toEqual(read.answer("get", "/Calls/{Sid}.json", 200))
    expect(answerOf(callFields)).toEqual(read.answer("post", "/Calls/{Sid}.json", 200))
    expect(answerOf(callRecordingFields)).toEqual(read.answer("get", "/Calls/{CallSid}/Recordings/{Sid}.json", 200))
    expect(answerOf(recordingFields)).toEqual(read.answer("get", "/Recordings/{Sid}.json", 200))
  })

  it("has the pages of the document", () => {
    const list = { type: "array" }
    expect({ ...answerOf(pageFields), calls: list }).toEqual(read.answer("get", "/Calls.json", 200))
    expect({ ...answerOf(pageFields), recordings: list }).toEqual(read.answer("get", "/Recordings.json", 200))
  })
}
