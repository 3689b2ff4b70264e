import { Schema } from "effect"
import type { Seen } from "./FarEnd.ts"

const Kind = Schema.Struct({
  $ref: Schema.optional(Schema.String),
  type: Schema.optional(Schema.String),
  format: Schema.optional(Schema.String),
  pattern: Schema.optional(Schema.String),
  enum: Schema.optional(Schema.Array(Schema.String)),
})
type Kind = typeof Kind.Type

const Operation = Schema.Struct({
  parameters: Schema.optional(
    Schema.Array(
      Schema.Struct({
        name: Schema.String,
        in: Schema.String,
        required: Schema.optional(Schema.Boolean),
        schema: Kind,
      }),
    ),
  ),
  requestBody: Schema.optional(
    Schema.Struct({
      content: Schema.Struct({
        "application/x-www-form-urlencoded": Schema.Struct({
          schema: Schema.Struct({
            properties: Schema.Record(Schema.String, Kind),
            required: Schema.optional(Schema.Array(Schema.String)),
          }),
        }),
      }),
    }),
  ),
})
type Operation = typeof Operation.Type

const Document = Schema.Struct({
  paths: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown)),
  components: Schema.Struct({ schemas: Schema.Record(Schema.String, Schema.Unknown) }),
})

/** Twilio's API document, as far as it says what may be asked. */
export class Contract {
  readonly #document: typeof Document.Type

  constructor(document: unknown) {
    this.#document = Schema.decodeUnknownSync(Document)(document)
  }

  /** What of a request the document does not allow; empty where it allows it all. */
  faults({ form, method, path, query }: Seen): ReadonlyArray<string> {
    const template = Object.keys(this.#document.paths).find((known) =>
      new RegExp(`^${known.replace(/\{\w+\}/g, "[^/]+").replaceAll(".", "\\.")}$`).test(path),
    )
    const found = template === undefined ? undefined : this.#document.paths[template]?.[method.toLowerCase()]
    if (template === undefined || found === undefined) return [`${method} ${path} is not in the document`]
    const operation = Schema.decodeUnknownSync(Operation)(found)
    return [
      ...this.#pathFaults(operation, template, path),
      ...this.#pairFaults(this.#kinds(operation, "query"), query),
      ...this.#formFaults(operation, form),
    ]
  }

  #kinds({ parameters = [] }: Operation, place: string): Readonly<Record<string, Kind>> {
    return Object.fromEntries(parameters.filter((of) => of.in === place).map(({ name, schema }) => [name, schema]))
  }

  #pathFaults(operation: Operation, template: string, path: string): ReadonlyArray<string> {
    const kinds = this.#kinds(operation, "path")
    const parts = path.split("/")
    return template.split("/").flatMap((part, at) => {
      const [, name] = /\{(\w+)\}/.exec(part) ?? []
      const kind = name === undefined ? undefined : kinds[name]
      const value = (parts[at] ?? "").replace(/\.json$/, "")
      return name === undefined || kind === undefined ? [] : this.#valueFaults(name, kind, value)
    })
  }

  #formFaults({ requestBody }: Operation, form: URLSearchParams): ReadonlyArray<string> {
    const schema = requestBody?.content["application/x-www-form-urlencoded"].schema
    if (schema === undefined) return form.size === 0 ? [] : ["it takes no form"]
    const missing = (schema.required ?? []).filter((name) => !form.has(name)).map((name) => `${name} is missing`)
    return [...missing, ...this.#pairFaults(schema.properties, form)]
  }

  #pairFaults(kinds: Readonly<Record<string, Kind>>, pairs: URLSearchParams): ReadonlyArray<string> {
    return [...new Set(pairs.keys())].flatMap((name) => {
      const kind = kinds[name]
      const values = pairs.getAll(name)
      if (kind === undefined) return [`${name} is not in the document`]
      if (kind.type !== "array" && values.length > 1) return [`${name} comes ${values.length} times`]
      return values.flatMap((value) => this.#valueFaults(name, kind, value))
    })
  }

  #valueFaults(name: string, kind: Kind, value: string): ReadonlyArray<string> {
    const reference = kind.$ref?.split("/").at(-1)
    if (reference !== undefined) {
      const known = Schema.decodeUnknownSync(Kind)(this.#document.components.schemas[reference])
      return this.#valueFaults(name, known, value)
    }
    const isRight =
      (kind.enum?.includes(value) ?? true) &&
      (kind.pattern === undefined || new RegExp(kind.pattern).test(value)) &&
      (kind.type !== "integer" || /^-?\d+$/.test(value)) &&
      (kind.type !== "boolean" || /^(true|false)$/.test(value)) &&
      (kind.format !== "uri" || URL.canParse(value)) &&
      (kind.format !== "date-time" || !Number.isNaN(Date.parse(value)))
    return isRight ? [] : [`${name} is not what the document asks for`]
  }
}
