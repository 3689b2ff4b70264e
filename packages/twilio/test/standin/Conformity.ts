import type { Field, FieldTable } from "./Contract.ts"

const rfc2822 =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} \+0000$/
const currency = /^[A-Z]{3}$/

const isRecord = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isOfType = (type: Field["type"], value: unknown): boolean => {
  switch (type) {
    case "any":
      return true
    case "object":
      return isRecord(value)
    case "integer":
      return Number.isInteger(value)
    case "number":
    case "string":
      return typeof value === type
  }
}

const isOfFormat = (format: Field["format"], value: unknown): boolean => {
  switch (format) {
    case undefined:
      return true
    case "date-time-rfc-2822":
      return rfc2822.test(String(value))
    case "currency":
      return currency.test(String(value))
    case "uri":
      return URL.canParse(String(value), "https://api.twilio.com")
    case "uri-map":
      return isRecord(value) && Object.values(value).every((uri) => typeof uri === "string")
  }
}

const isRight = ({ format, nullable, oneOf, sid, type }: Field, value: unknown): boolean => {
  if (value === null) return nullable === true
  if (!isOfType(type, value) || !isOfFormat(format, value)) return false
  if (oneOf !== undefined && !oneOf.includes(String(value))) return false
  return sid === undefined || new RegExp(`^${sid}[0-9a-fA-F]{32}$`).test(String(value))
}

/** What of an answer is not as the contract has it: what is wrong, what is missing, and what nobody knows. */
export const nonconformities = (fields: FieldTable, answer: unknown): ReadonlyArray<string> => {
  if (!isRecord(answer)) return ["not an object"]
  const wrong = Object.entries(fields)
    .filter(([name, field]) => !Object.hasOwn(answer, name) || !isRight(field, answer[name]))
    .map(([name]) => `${name}: ${JSON.stringify(answer[name])}`)
  const unknown = Object.keys(answer).filter((name) => !Object.hasOwn(fields, name))
  return [...wrong, ...unknown.map((name) => `${name} is unknown`)]
}
