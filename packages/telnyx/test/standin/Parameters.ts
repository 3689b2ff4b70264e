import type { ParameterTable, Rule } from "./Contract.ts"
import { ok, type Or, refused } from "./Errors.ts"

/** What a body says, once it was read by its table. */
export class Asked {
  readonly #values: ReadonlyMap<string, unknown>

  constructor(values: ReadonlyMap<string, unknown>) {
    this.#values = values
  }

  text(name: string): string | null {
    const value = this.#values.get(name)
    return typeof value === "string" ? value : null
  }

  number(name: string): number | null {
    const value = this.#values.get(name)
    return typeof value === "number" ? value : null
  }

  is(name: string): boolean | null {
    const value = this.#values.get(name)
    return typeof value === "boolean" ? value : null
  }

  /** What an object of the body has under a name. */
  under(name: string, key: string): unknown {
    const value = this.#values.get(name)
    return isMap(value) ? value[key] : undefined
  }
}

export interface Reading {
  readonly asked: Asked
  readonly unknown: ReadonlyArray<string>
}

export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isBase64 = (text: string): boolean =>
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)

const fits = (rule: Rule, value: unknown): boolean => {
  switch (rule) {
    case "text":
      return typeof value === "string"
    case "state":
      return typeof value === "string" && isBase64(value)
    case "number":
      return Number.isInteger(value)
    case "flag":
      return typeof value === "boolean"
    case "list":
      return Array.isArray(value)
    case "map":
      return isMap(value)
    default:
      return rule.some((word) => word === value)
  }
}

const inRange = (range: readonly [number, number] | undefined, value: unknown): boolean =>
  range === undefined || typeof value !== "number" || (value >= range[0] && value <= range[1])

/** Reads a body by its table. What is unknown is told apart: nothing is written of what Telnyx does with it. */
export const readParameters = (table: ParameterTable, body: Readonly<Record<string, unknown>>): Or<Reading> => {
  const missing = table.required.find((name) => body[name] === undefined || body[name] === null || body[name] === "")
  if (missing !== undefined) return refused(10004, missing)
  const values = new Map<string, unknown>()
  for (const [name, rule] of Object.entries(table.rules)) {
    const value = Object.hasOwn(body, name) ? body[name] : null
    if (value === null || value === undefined) continue
    if (!fits(rule, value) || !inRange(table.ranges[name], value)) return refused(10015, name)
    values.set(name, value)
  }
  const unknown = Object.keys(body).filter((name) => !Object.hasOwn(table.rules, name))
  return ok({ asked: new Asked(values), unknown })
}
