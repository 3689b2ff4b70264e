/** What an example, or any other value, says that its schema does not. */
export type Finding = string

type Schema = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const fieldsOf = ({ properties }: Schema): Schema => (isRecord(properties) ? properties : {})

/** Words that judge nothing. A word that is in neither place is not known here, and is a finding. */
const telling = new Set(["description", "title", "format", "contentMediaType", "x-origin", "identifier"])

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : Number.isInteger(value) ? "integer" : typeof value

/**
 * Judges values by the schemas of one document. Stricter than JSON Schema in one thing: a field that no schema names is a finding unless
 * the object says that it is open, because an example must not show what is not described.
 */
export class SchemaJudge {
  readonly #schemas: Readonly<Record<string, unknown>>

  constructor(schemas: Readonly<Record<string, unknown>>) {
    this.#schemas = schemas
  }

  judge(schema: unknown, value: unknown, at = "$"): ReadonlyArray<Finding> {
    if (!isRecord(schema)) return [`${at}: no schema`]
    const whole = this.#flat(schema)
    return Object.entries(whole).flatMap(([word, told]) => this.#judgeWord(word, told, whole, value, at))
  }

  /** The schema with what it refers to, and with all that it puts together, as one. */
  #flat(schema: Schema): Schema {
    const { $ref, allOf, ...own } = schema
    const named = typeof $ref === "string" ? [this.#schemas[$ref.replace("#/components/schemas/", "")]] : []
    const members = [...named, ...(Array.isArray(allOf) ? allOf : [])].filter(isRecord).map((part) => this.#flat(part))
    return [...members, own].reduce<Record<string, unknown>>(
      (all, part) => ({
        ...all,
        ...part,
        ...(isRecord(all["properties"]) || isRecord(part["properties"])
          ? { properties: { ...fieldsOf(all), ...fieldsOf(part) } }
          : {}),
        ...(Array.isArray(all["required"]) && Array.isArray(part["required"])
          ? { required: [...all["required"], ...part["required"]] }
          : {}),
      }),
      {},
    )
  }

  #judgeWord(word: string, told: unknown, schema: Schema, value: unknown, at: string): ReadonlyArray<Finding> {
    const unless = (holds: boolean): ReadonlyArray<Finding> =>
      holds ? [] : [`${at}: ${word} ${JSON.stringify(told)} is not ${JSON.stringify(value)?.slice(0, 100)}`]
    const number = Number(told)
    if (telling.has(word)) return []
    switch (word) {
      case "type":
        return unless(told === typeOf(value) || (told === "number" && typeof value === "number"))
      case "enum":
        return unless(Array.isArray(told) && told.includes(value))
      case "const":
        return unless(told === value)
      case "minimum":
        return unless(typeof value !== "number" || value >= number)
      case "maximum":
        return unless(typeof value !== "number" || value <= number)
      case "minLength":
        return unless(typeof value !== "string" || [...value].length >= number)
      case "maxLength":
        return unless(typeof value !== "string" || [...value].length <= number)
      case "pattern":
        return unless(typeof value !== "string" || new RegExp(String(told), "u").test(value))
      case "minItems":
        return unless(!Array.isArray(value) || value.length >= number)
      case "maxItems":
        return unless(!Array.isArray(value) || value.length <= number)
      case "items":
        return Array.isArray(value) ? value.flatMap((item, nth) => this.judge(told, item, `${at}[${nth}]`)) : []
      case "anyOf":
        return unless(Array.isArray(told) && told.some((member) => this.judge(member, value, at).length === 0))
      case "required":
        return unless(!isRecord(value) || (Array.isArray(told) && told.every((name) => String(name) in value)))
      case "properties":
      case "additionalProperties":
        return word === "properties" || !isRecord(schema["properties"]) ? this.#judgeFields(schema, value, at) : []
      default:
        return [`${at}: nothing here judges ${word}`]
    }
  }

  #judgeFields(schema: Schema, value: unknown, at: string): ReadonlyArray<Finding> {
    if (!isRecord(value)) return []
    const { additionalProperties, properties } = schema
    return Object.entries(value).flatMap(([name, field]) => {
      if (isRecord(properties) && name in properties) return this.judge(properties[name], field, `${at}.${name}`)
      if (isRecord(additionalProperties)) return this.judge(additionalProperties, field, `${at}.${name}`)
      return additionalProperties === true ? [] : [`${at}: ${name} is not described`]
    })
  }
}
