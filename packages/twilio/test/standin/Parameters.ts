import type { Parameter, ParameterTable, Rule, Shape } from "./Contract.ts"
import { ok, type Or, refused } from "./Errors.ts"

const e164 = /^\+[1-9]\d{6,14}$/
const addresses = /^(?:sip:[^\s@]+@[^\s@]+|client:\S+)$/
const digits = /^[0-9A-D#*wW]{1,32}$/
const wholeNumber = /^\d{1,9}$/
/** https://www.twilio.com/docs/api/errors/21609 */
const longestUrl = 4_000

export const isPhoneNumber = (text: string): boolean => e164.test(text)

/** http or https, with a host in which there is no underscore: the document, at `StatusCallback`. */
const isUrl = (text: string): boolean => {
  if (!URL.canParse(text) || text.length > longestUrl) return false
  const { hostname, protocol } = new URL(text)
  return (protocol === "http:" || protocol === "https:") && hostname !== "" && !hostname.includes("_")
}

const fits = (shape: Shape, value: string): boolean => {
  if (typeof shape === "object") return shape.oneOf.includes(value)
  switch (shape) {
    case "text":
    case "texts":
    case "twiml":
      return true
    case "uri":
      return isUrl(value)
    case "endpoint":
      return isPhoneNumber(value) || addresses.test(value)
    case "http-method":
      return value === "GET" || value === "POST"
    case "integer":
      return wholeNumber.test(value)
    case "boolean":
      return value === "true" || value === "false"
    case "AP":
    case "BY":
      return new RegExp(`^${shape}[0-9a-fA-F]{32}$`).test(value)
  }
}

const holds = (rule: Rule, value: string): boolean => {
  if ("words" in rule) return rule.words.includes(value)
  if ("longest" in rule) return value.length <= rule.longest
  if ("url" in rule) return isUrl(value)
  if ("digits" in rule) return digits.test(value)
  return Number(value) >= rule.from && Number(value) <= rule.to
}

const isRight = ({ rule, shape }: Parameter, value: string): boolean =>
  fits(shape, value) && (rule === undefined || holds(rule, value))

/** What a request asked for, checked. */
export class Asked {
  readonly #values: ReadonlyMap<string, ReadonlyArray<string>>

  constructor(values: ReadonlyMap<string, ReadonlyArray<string>>) {
    this.#values = values
  }

  text(name: string): string | null {
    return this.#values.get(name)?.at(-1) ?? null
  }

  texts(name: string): ReadonlyArray<string> {
    return this.#values.get(name) ?? []
  }

  number(name: string): number | null {
    const value = this.text(name)
    return value === null ? null : Number(value)
  }

  is(name: string): boolean {
    return this.text(name) === "true"
  }

  /** All of it, as it came. */
  entries(): ReadonlyArray<readonly [name: string, value: string]> {
    return [...this.#values].flatMap(([name, values]) => values.map((value) => [name, value] as const))
  }

  /** This, with what a later request says in its place. */
  with(later: Asked): Asked {
    return new Asked(new Map([...this.#values, ...later.#values]))
  }
}

/** What was asked, and the names that nobody knows: they are ignored (https://www.twilio.com/docs/api/errors/20001). */
export interface Reading {
  readonly asked: Asked
  readonly unknown: ReadonlyArray<string>
}

/** An empty value is none, and the last of several counts, but for what may come several times. */
export const readParameters = (table: ParameterTable, form: URLSearchParams): Or<Reading> => {
  const values = new Map<string, Array<string>>()
  const unknown = new Set<string>()
  for (const [name, value] of form) {
    const parameter = Object.hasOwn(table, name) ? table[name] : undefined
    if (parameter === undefined) unknown.add(name)
    if (parameter === undefined || value === "") continue
    if (!isRight(parameter, value)) {
      const code = parameter.code ?? 20001
      return refused(code, code === 20001 || code === 21205 ? name : value)
    }
    values.set(name, [...(parameter.shape === "texts" ? (values.get(name) ?? []) : []), value])
  }
  return ok({ asked: new Asked(values), unknown: [...unknown] })
}
