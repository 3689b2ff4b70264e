import { Hash } from "@carillon/core/domain"
import { type DocumentOperation, openApiDocument } from "@carillon/api/documents"
import { formOf, type Part } from "../Forms.ts"

/** Draws that follow from a seed, one after the other. */
export class Draws {
  readonly #seed: string
  #nth = 0

  constructor(seed: string) {
    this.#seed = seed
  }

  unit(): number {
    return Hash.unit(this.#seed, this.#nth++)
  }

  below(n: number): number {
    return Math.floor(this.unit() * n)
  }

  chance(probability: number): boolean {
    return this.unit() < probability
  }

  of<A>(items: ReadonlyArray<A>): A {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error("There is nothing to draw from.")
    return item
  }
}

type Schema = Readonly<Record<string, unknown>>

const document = openApiDocument()

const isRecord = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const recordsIn = (value: unknown): ReadonlyArray<Schema> => (Array.isArray(value) ? value.filter(isRecord) : [])

const resolve = (schema: Schema): Schema => {
  const { $ref } = schema
  const name = typeof $ref === "string" ? $ref.split("/").at(-1) : undefined
  return name === undefined ? schema : resolve(document.components.schemas[name] ?? {})
}

/** Values that people and attackers send and that fit nothing in particular. */
const strange: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  "",
  " ",
  "\u0000",
  "\ud800",
  "😀".repeat(40),
  "a".repeat(25_000),
  "' OR 1=1 --",
  "../../etc/passwd",
  "<script>",
  "${jndi:ldap://x}",
  "__proto__",
  "+15555550100",
  "2026-01-05T09:00:00Z",
  "2026-02-30T09:00:00Z",
  [],
  {},
  [[]],
  { constructor: { prototype: { polluted: true } } },
]

/** Files that people and attackers send. */
const contents: ReadonlyArray<string> = [
  "%PDF-1.7\nParking is free.",
  "%PDF-1.7\nRefunds are paid within ten days. ".repeat(100),
  "\u0089PNG\r\n\u001a\n",
  "to_number,name\n+15555550100,Ada\n+15555550101,Bob\n",
  "to_number\n1\nx\n",
  "PK\u0003\u0004%PDF-1.7",
  "<html>",
  "",
]

/** What is known of the world: values that answers have carried, by the name of their field. */
export class Known {
  readonly #values = new Map<string, Array<string>>()

  learn(value: unknown): void {
    if (Array.isArray(value)) value.forEach((item) => this.learn(item))
    else if (isRecord(value)) {
      for (const [name, member] of Object.entries(value)) {
        if (typeof member === "string" && /(_id|_name|number|collection)$/.test(name)) this.add(name, member)
        else if (typeof member === "object") this.learn(member)
      }
    }
  }

  add(name: string, value: string): void {
    const values = this.#values.get(name) ?? []
    if (!values.includes(value)) values.push(value)
    if (values.length > 12) values.shift()
    this.#values.set(name, values)
  }

  draw(draws: Draws, name: string): string | undefined {
    // The other agents of a body are agents too.
    const values = this.#values.get(name) ?? (name.endsWith("agent_id") ? this.#values.get("agent_id") : undefined)
    return values === undefined || values.length === 0 ? undefined : draws.of(values)
  }
}

const digits = (draws: Draws, count: number): string =>
  Array.from({ length: count }, () => String(draws.below(10))).join("")

const text = (draws: Draws, schema: Schema, name: string, known: Known): string => {
  const { format, maxLength, minLength } = schema
  if (draws.chance(0.6)) {
    const value = known.draw(draws, name)
    if (value !== undefined) return value
  }
  if (format === "binary") return draws.of(contents)
  if (name === "collection" && draws.chance(0.8)) return `docs-${draws.below(40)}`
  if (format === "e164") return `+1555${digits(draws, 7)}`
  if (format === "date-time") return new Date(Date.UTC(2026, 0, 5, 9) + draws.below(40) * 86_400_000).toISOString()
  if (name === "timezone") return draws.of(["UTC", "Europe/Paris", "Asia/Kolkata", "Mars/Olympus"])
  if (name === "start" || name === "end") return `${digits(draws, 2)}:${digits(draws, 2)}`
  if (name === "country") return draws.of(["US", "IN", "us"])
  if (name === "status") return draws.of(["draft", "active", "paused", "concluded", "ACTIVE", "INACTIVE", "completed"])
  const least = typeof minLength === "number" ? minLength : 0
  const most = typeof maxLength === "number" ? maxLength : 12
  return "Abc -_.1".repeat(40).slice(0, Math.max(least, draws.below(Math.min(most, 30) + 1)))
}

/** A value that the schema describes, now and then one that it does not. */
export const valueOf = (draws: Draws, given: Schema, name: string, known: Known, depth = 0): unknown => {
  if (draws.chance(0.03)) return draws.of(strange)
  const schema = resolve(given)
  const choices = [...recordsIn(schema["anyOf"]), ...recordsIn(schema["oneOf"])]
  if (choices.length > 0) return valueOf(draws, draws.of(choices), name, known, depth)
  if (Array.isArray(schema["enum"])) return draws.of(schema["enum"])
  const type = Array.isArray(schema["type"]) ? draws.of(schema["type"]) : schema["type"]
  switch (type) {
    case "null":
      return null
    case "boolean":
      return draws.chance(0.5)
    case "integer":
    case "number": {
      const { maximum = 100, minimum = 0 } = schema
      const [least, most] = [Number(minimum), Number(maximum)]
      const value = least + draws.unit() * (most - least)
      return draws.chance(0.1) ? most + 1 : type === "integer" ? Math.round(value) : value
    }
    case "array": {
      const items = isRecord(schema["items"]) ? schema["items"] : {}
      return Array.from({ length: draws.below(depth > 3 ? 2 : 4) }, () => valueOf(draws, items, name, known, depth + 1))
    }
    case "object":
      return objectOf(draws, schema, known, depth)
    case "string":
      return text(draws, schema, name, known)
    default:
      return draws.of(strange)
  }
}

const objectOf = (draws: Draws, schema: Schema, known: Known, depth: number): Schema => {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {}
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  const entries: Array<readonly [string, unknown]> = []
  for (const [name, property] of Object.entries(properties)) {
    const wanted = required.includes(name) ? !draws.chance(0.03) : draws.chance(depth === 0 ? 0.3 : 0.4)
    if (wanted && isRecord(property)) entries.push([name, valueOf(draws, property, name, known, depth + 1)])
  }
  if (draws.chance(0.1))
    entries.push([draws.of(["extra", "__proto__", "constructor", "toString", ""]), draws.of(strange)])
  return Object.fromEntries(entries)
}

/** The query of an operation. */
export const queryOf = (draws: Draws, operation: DocumentOperation, known: Known): string => {
  const query = new URLSearchParams()
  for (const { in: place, name, schema } of operation.parameters) {
    if (place !== "query" || !draws.chance(0.15)) continue
    // Nearly everything would be refused otherwise.
    if (name === "organization_id" && !draws.chance(0.1)) continue
    query.append(name, String(valueOf(draws, schema, name, known)))
    if (draws.chance(0.03)) query.append(name, String(draws.of(strange)))
  }
  return query.toString()
}

/** A body as the parts of a form. */
const partsOf = (draws: Draws, given: Schema, body: unknown): ReadonlyArray<Part> => {
  const { properties } = resolve(given)
  return Object.entries(isRecord(body) ? body : {}).flatMap(([name, value]) => {
    const property: unknown = isRecord(properties) ? properties[name] : undefined
    const schema = isRecord(property) ? resolve(property) : {}
    const items = isRecord(schema["items"]) ? resolve(schema["items"]) : schema
    const isFile = items["format"] === "binary" && !draws.chance(0.03)
    const values: ReadonlyArray<unknown> = Array.isArray(value) && schema["type"] === "array" ? value : [value]
    return values.map((one) => ({
      name,
      value: typeof one === "string" ? one : JSON.stringify(one),
      ...(isFile ? { filename: draws.of(["a.pdf", "list.csv", "../a.png", ""]) } : {}),
    }))
  })
}

/** A request body that the operation describes, now and then one that it does not. */
export const bodyOf = (draws: Draws, operation: DocumentOperation, known: Known) => {
  const content = operation.requestBody?.content ?? {}
  const types = Object.keys(content)
  if (types.length === 0) return { told: undefined, headers: {}, bytes: null }
  const type = draws.of(types)
  const schema = content[type]?.schema ?? {}
  const told = valueOf(draws, schema, "", known)
  if (type !== "multipart/form-data") {
    const headers = { "content-type": draws.chance(0.98) ? "application/json" : "text/plain" }
    return { told, headers, bytes: bytesOf(draws, new TextEncoder().encode(JSON.stringify(told))) }
  }
  const { bytes, headers } = formOf(partsOf(draws, schema, told))
  const { "content-length": _, ...unmeasured } = headers
  return { told, headers: draws.chance(0.9) ? headers : unmeasured, bytes: bytesOf(draws, bytes) }
}

/** A body's bytes, which are not always what they should be. */
const bytesOf = (draws: Draws, bytes: Uint8Array): Uint8Array => {
  if (!draws.chance(0.04)) return bytes
  const damaged = bytes.slice(0, draws.below(bytes.length + 1))
  if (damaged.length > 0 && draws.chance(0.5)) damaged[draws.below(damaged.length)] = draws.below(256)
  return damaged
}

/** A path with its placeholders filled. */
export const pathOf = (draws: Draws, path: string, known: Known): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = draws.chance(0.85) ? known.draw(draws, name) : undefined
    return value ?? draws.of(["x", "agt_0", "%00", "%F0%9F%98%80", "%ff", "..", "a%2Fb", "a".repeat(200), "%", "é"])
  })
