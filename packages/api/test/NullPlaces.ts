import { openApiDocument } from "../src/OpenApi.ts"

type Member = Readonly<Record<string, unknown>>

/** The document that the places are in. */
export const document = openApiDocument()
export const { schemas } = document.components

const components = "#/components/schemas/"

export const isObject = (value: unknown): value is Member =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const listed = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** The schemas that a schema offers, or puts together. */
export const choicesOf = (schema: Member): ReadonlyArray<unknown> =>
  ["anyOf", "oneOf", "allOf"].flatMap((word) => listed(schema[word]))

/** The fields that a schema names. */
export const fieldsOf = ({ properties }: Member): Member => (isObject(properties) ? properties : {})

/** The name of the component that a schema refers to. */
export const nameOf = ({ $ref }: Member): string | undefined =>
  typeof $ref === "string" ? $ref.replace(components, "") : undefined

/** What a schema is made of, each with the place of its values. */
const partsOf = (schema: Member, at: string): ReadonlyArray<readonly [unknown, string]> => [
  ...choicesOf(schema).map((choice) => [choice, at] as const),
  ...Object.entries(fieldsOf(schema)).map(([name, field]) => [field, `${at}.${name}`] as const),
  [schema["items"], `${at}[]`],
  [schema["additionalProperties"], `${at}{}`],
]

/** The places of a component that may be null. Other components that it refers to have places of their own. */
export const nullable = (schema: unknown, at: string): ReadonlyArray<string> => {
  if (!isObject(schema)) return []
  const here = choicesOf(schema).some((choice) => isObject(choice) && choice["type"] === "null") ? [at] : []
  return [...here, ...partsOf(schema, at).flatMap(([part, place]) => nullable(part, place))]
}

/** The names of the components that a schema leads to. */
export const reached = (schema: unknown, found = new Set<string>()): ReadonlySet<string> => {
  if (!isObject(schema)) return found
  const name = nameOf(schema)
  if (name !== undefined && !found.has(name)) reached(schemas[name], found.add(name))
  for (const [part] of partsOf(schema, "")) reached(part, found)
  return found
}

/** The places of all components that a schema leads to that may be null. */
export const nullableFrom = (schema: unknown): ReadonlyArray<string> =>
  [...reached(schema)].flatMap((name) => nullable(schemas[name], name))

/** The places at which a value is null. */
export const nullIn = (schema: unknown, value: unknown, at: string): ReadonlyArray<string> => {
  if (!isObject(schema)) return []
  const name = nameOf(schema)
  if (name !== undefined) return nullIn(schemas[name], value, name)
  if (value === null) return [at]
  const choices = choicesOf(schema).flatMap((choice) => nullIn(choice, value, at))
  if (Array.isArray(value)) return [...choices, ...value.flatMap((item) => nullIn(schema["items"], item, `${at}[]`))]
  if (!isObject(value)) return choices
  const fields = fieldsOf(schema)
  return [
    ...choices,
    ...Object.entries(value).flatMap(([key, member]) =>
      key in fields
        ? nullIn(fields[key], member, `${at}.${key}`)
        : nullIn(schema["additionalProperties"], member, `${at}{}`),
    ),
  ]
}
