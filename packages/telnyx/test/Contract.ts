import { Schema } from "effect"
import type { Seen } from "./FarEnd.ts"

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const fields = (value: unknown): Fields => (isFields(value) ? value : {})
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const text = (value: unknown): string => (typeof value === "string" ? value : "")

const Document = Schema.Struct({
  paths: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown)),
  components: Schema.Record(Schema.String, Schema.Unknown),
})

const deepest = 12

/** Telnyx's API document (OpenAPI 3), as far as it says what may be asked. */
export class Contract {
  readonly #document: typeof Document.Type

  constructor(document: unknown) {
    this.#document = Schema.decodeUnknownSync(Document)(document)
  }

  /** What of a request the document does not allow; empty where it allows it all. */
  faults({ body, method, path, query }: Seen): ReadonlyArray<string> {
    const asked = path.replace(/^\/v2/, "")
    const template = Object.keys(this.#document.paths).find((known) =>
      new RegExp(`^${known.replaceAll(/\{[\w-]+\}/g, "[^/]+")}$`).test(asked),
    )
    const item = template === undefined ? undefined : this.#document.paths[template]
    const operation = fields(item?.[method.toLowerCase()])
    if (item === undefined || Object.keys(operation).length === 0) return [`${method} ${path} is not in the document`]
    const parameters = [...list(item["parameters"]), ...list(operation["parameters"])].map((of) => this.#resolved(of))
    const media = fields(fields(this.#resolved(operation["requestBody"])["content"])["application/json"])
    const schema = media["schema"]
    const bodyFaults = schema === undefined ? Object.keys(body).map((name) => `${name}: it takes no body`) : []
    return [
      ...this.#queryFaults(parameters, query),
      ...bodyFaults,
      ...(schema === undefined ? [] : this.#faults(schema, body, "body", 0)),
    ]
  }

  #resolved(value: unknown): Fields {
    const reference = text(fields(value)["$ref"])
    if (reference === "") return fields(value)
    const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(.+)$/.exec(reference) ?? []
    return this.#resolved(fields(this.#document.components[kind])[name])
  }

  /** A parameter of the form `filter[leg_id]`, or the property `leg_id` of a deep object `filter`. */
  #queryFaults(parameters: ReadonlyArray<Fields>, query: URLSearchParams): ReadonlyArray<string> {
    const known = parameters.filter((parameter) => parameter["in"] === "query")
    return [...query].flatMap(([name, value]) => {
      const own = known.find((parameter) => parameter["name"] === name)
      if (own !== undefined) return this.#faults(own["schema"], value, name, 0)
      const [, head = "", inner = ""] = /^(\w+)\[(.+)\]$/.exec(name) ?? []
      const deep = known.find((parameter) => parameter["name"] === head)
      const property = fields(this.#resolved(deep?.["schema"])["properties"])[inner]
      return property === undefined ? [`${name} is not in the document`] : this.#faults(property, value, name, 0)
    })
  }

  #faults(schema: unknown, value: unknown, at: string, depth: number): ReadonlyArray<string> {
    if (depth > deepest) return []
    const of = this.#resolved(schema)
    const inner = (one: unknown) => this.#faults(one, value, at, depth + 1)
    const all = list(of["allOf"])
    // Each part of an `allOf` has some of the fields, so that unknown ones can be told of all parts together alone.
    if (all.length > 0) return this.#faults(this.#merged(all), value, at, depth + 1)
    const some = [...list(of["oneOf"]), ...list(of["anyOf"])]
    if (some.length > 0) return some.some((one) => inner(one).length === 0) ? [] : [`${at} is none of its kinds`]
    if (isFields(value)) return this.#objectFaults(of, value, at, depth)
    return this.#isRight(of, value) ? [] : [`${at} is not what the document asks for`]
  }

  #merged(parts: ReadonlyArray<unknown>): Fields {
    const resolved = parts.map((part) => this.#resolved(part))
    return {
      type: "object",
      properties: Object.assign({}, ...resolved.map((part) => fields(part["properties"]))),
      required: resolved.flatMap((part) => list(part["required"])),
    }
  }

  #objectFaults(of: Fields, value: Fields, at: string, depth: number): ReadonlyArray<string> {
    const properties = fields(of["properties"])
    const isOpen = Object.keys(properties).length === 0 || of["additionalProperties"] !== undefined
    const missing = list(of["required"])
      .map(text)
      .filter((name) => !(name in value))
      .map((name) => `${at}.${name} is missing`)
    const wrong = Object.entries(value).flatMap(([name, one]) => {
      const property = properties[name]
      if (property === undefined) return isOpen ? [] : [`${at}.${name} is not in the document`]
      return this.#faults(property, one, `${at}.${name}`, depth + 1)
    })
    return [...missing, ...wrong]
  }

  #isRight(of: Fields, value: unknown): boolean {
    const words = list(of["enum"])
    if (words.length > 0 && !words.includes(value)) return false
    const number = typeof value === "number" ? value : Number(value)
    switch (text(of["type"])) {
      case "string":
        return typeof value === "string" && (of["format"] !== "uri" || URL.canParse(value))
      case "integer":
        return Number.isInteger(number) && this.#isWithin(of, number)
      case "number":
        return Number.isFinite(number) && this.#isWithin(of, number)
      case "boolean":
        return typeof value === "boolean"
      case "array":
        return Array.isArray(value)
      case "object":
        return false
      default:
        return true
    }
  }

  #isWithin({ maximum, minimum }: Fields, value: number): boolean {
    return (typeof minimum !== "number" || value >= minimum) && (typeof maximum !== "number" || value <= maximum)
  }
}
