import { invalid, malformed, missing } from "./errors.ts"

export type Json = Readonly<Record<string, unknown>>

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Reads one value at a path, or throws the refusal that names it. */
export type Read<T> = (value: unknown, path: string) => T

/** The fields of an object, read in the order of the schema: the first offending one is named. */
export class Fields {
  readonly values: Json
  readonly #path: string

  constructor(values: Json, path = "") {
    this.values = values
    this.#path = path
  }

  has(name: string): boolean {
    return this.values[name] !== undefined
  }

  required<T>(name: string, read: Read<T>): T {
    const value = this.values[name]
    if (value === undefined) throw missing(this.#at(name))
    return read(value, this.#at(name))
  }

  optional<T>(name: string, read: Read<T>): T | undefined {
    const value = this.values[name]
    return value === undefined ? undefined : read(value, this.#at(name))
  }

  #at(name: string): string {
    return this.#path === "" ? name : `${this.#path}.${name}`
  }
}

export const text =
  (min = 0, max = Number.POSITIVE_INFINITY): Read<string> =>
  (value, path) => {
    if (typeof value !== "string") throw invalid(path, "must be a string")
    const { length } = [...value]
    if (length < min) throw invalid(path, min === 1 ? "must not be empty" : `must have at least ${min} characters`)
    if (length > max) throw invalid(path, `must have at most ${max} characters`)
    return value
  }

export const number =
  (min: number, max = Number.MAX_SAFE_INTEGER): Read<number> =>
  (value, path) => {
    if (typeof value !== "number") throw invalid(path, "must be a number")
    if (value >= min && value <= max) return value
    // The largest number that there is says nothing to anybody.
    const bound = max === Number.MAX_SAFE_INTEGER ? `must be at least ${min}` : `must be between ${min} and ${max}`
    throw invalid(path, bound)
  }

export const integer =
  (min: number, max = Number.MAX_SAFE_INTEGER): Read<number> =>
  (value, path) => {
    if (!Number.isInteger(value)) throw invalid(path, "must be an integer")
    return number(min, max)(value, path)
  }

export const flag: Read<boolean> = (value, path) => {
  if (typeof value !== "boolean") throw invalid(path, "must be true or false")
  return value
}

export const json: Read<Json> = (value, path) => {
  if (!isJson(value)) throw invalid(path, "must be an object")
  return value
}

export const anything: Read<unknown> = (value) => value

export const orNull =
  <T>(read: Read<T>): Read<T | null> =>
  (value, path) =>
    value === null ? null : read(value, path)

/** A list is shown whole by its first wrong entry. */
export const list =
  <T>(read: Read<T>, max = Number.POSITIVE_INFINITY): Read<Array<T>> =>
  (value, path) => {
    if (!Array.isArray(value)) throw invalid(path, "must be an array")
    if (value.length > max) throw invalid(path, `must have at most ${max} entries`)
    return value.map((entry: unknown, index) => read(entry, `${path}[${index}]`))
  }

/** An object with values of one kind. */
export const map =
  <T>(read: Read<T>): Read<Record<string, T>> =>
  (value, path) =>
    Object.fromEntries(Object.entries(json(value, path)).map(([name, one]) => [name, read(one, `${path}.${name}`)]))

export const within =
  <T>(read: (fields: Fields) => T): Read<T> =>
  (value, path) =>
    read(new Fields(json(value, path), path))

export const oneOf =
  <const Words extends ReadonlyArray<string>>(words: Words): Read<Words[number]> =>
  (value, path) => {
    const found = words.find((word) => word === value)
    if (found === undefined) throw invalid(path, `must be one of ${words.join(", ")}`)
    return found
  }

/** E.164: a plus and 7 to 15 digits. */
export const isPhone = (value: string): boolean => /^\+[1-9]\d{6,14}$/.test(value)

export const phone: Read<string> = (value, path) => {
  if (typeof value !== "string" || !isPhone(value)) throw invalid(path, "must be an E.164 number with 7 to 15 digits")
  return value
}

const instant =
  /^(\d{4})-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/

/** Epoch milliseconds of a timestamp with a UTC offset; null where it is none. */
export const parseInstant = (value: string): number | null => {
  const [, year, month, day] = instant.exec(value) ?? []
  if (year === undefined) return null
  const last = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > last) return null
  const ms = Date.parse(value.replace(",", ".").replace(/([+-]\d\d)(\d\d)$/, "$1:$2"))
  return Number.isNaN(ms) ? null : ms
}

export const moment: Read<number> = (value, path) => {
  const ms = typeof value === "string" ? parseInstant(value) : null
  if (ms === null) throw invalid(path, "must be a timestamp with a UTC offset")
  return ms
}

/** An IANA zone; an unknown one is 1000. */
export const zone: Read<string> = (value, path) => {
  const name = text(1)(value, path)
  try {
    if (/^[+-]/.test(name)) throw new RangeError("an offset is no zone")
    new Intl.DateTimeFormat("en", { timeZone: name })
  } catch {
    throw malformed(`Unknown timezone in '${path}'.`)
  }
  return name
}

export const iso = (at: number): string => new Date(at).toISOString()

export const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at))

/** Without the fields that are undefined. */
export const defined = (values: Json): Json =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
