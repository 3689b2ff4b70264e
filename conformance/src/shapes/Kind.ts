import { isObject } from "../http/Json.ts"

/** What a field of a resource may hold. */
export interface Kind {
  /** How the kind is named in a failure. */
  readonly name: string
  readonly accepts: (value: unknown) => boolean
}

const kind = (name: string, accepts: (value: unknown) => boolean): Kind => ({ name, accepts })

export const text = kind("a string", (value) => typeof value === "string")
export const number = kind("a number", (value) => typeof value === "number" && Number.isFinite(value))
export const integer = kind("an integer", Number.isSafeInteger)
export const boolean = kind("a boolean", (value) => typeof value === "boolean")
export const object = kind("an object", isObject)
export const array = kind("an array", Array.isArray)

const utcTimestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]00:00)$/

/** True for an ISO-8601 timestamp in UTC. */
export const isUtcTimestamp = (value: unknown): boolean =>
  typeof value === "string" && utcTimestamp.test(value) && !Number.isNaN(Date.parse(value))

export const timestamp = kind("an ISO-8601 UTC timestamp", isUtcTimestamp)

export const e164 = kind("an E.164 number", (value) => typeof value === "string" && /^\+\d{7,15}$/.test(value))

/** One of some literals. */
export const literal = (...values: ReadonlyArray<string | number | boolean | null>): Kind =>
  kind(`one of ${JSON.stringify(values)}`, (value) => values.some((each) => each === value))

/** The kind, or null. */
export const nullable = (of: Kind): Kind => kind(`${of.name} or null`, (value) => value === null || of.accepts(value))

/** The kind, or no such field. */
export const optional = (of: Kind): Kind =>
  kind(`${of.name}, or no such field`, (value) => value === undefined || of.accepts(value))

/** An array whose items are all of one kind. */
export const arrayOf = (of: Kind): Kind =>
  kind(`an array whose items are each ${of.name}`, (value) => Array.isArray(value) && value.every(of.accepts))

/** An object with at least these fields. */
export const record = (fields: Readonly<Record<string, Kind>>): Kind =>
  kind(
    `{${Object.entries(fields)
      .map(([name, of]) => `${name}: ${of.name}`)
      .join(", ")}}`,
    (value) => isObject(value) && Object.entries(fields).every(([name, of]) => of.accepts(value[name])),
  )

/** Either kind. */
export const either = (a: Kind, b: Kind): Kind =>
  kind(`${a.name} or ${b.name}`, (value) => a.accepts(value) || b.accepts(value))
