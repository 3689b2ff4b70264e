import { choicesOf, fieldsOf, isObject, nameOf, schemas } from "./NullPlaces.ts"

/** The steps from a body to a value in it: names of fields, and 0 into a list. */
export type Path = ReadonlyArray<string | 0>

export type Body = Readonly<Record<string, unknown>>

const resolve = (schema: unknown): Body => {
  if (!isObject(schema)) return {}
  const name = nameOf(schema)
  return name === undefined ? schema : resolve(schemas[name])
}

/** What a schema offers but null. */
const valuesOf = (given: unknown): ReadonlyArray<Body> => {
  const schema = resolve(given)
  const choices = choicesOf(schema)
  return choices.length === 0 ? (schema["type"] === "null" ? [] : [schema]) : choices.flatMap(valuesOf)
}

/** The name that an entry has where names are free. */
const anyName = "en"

/** A value that has everything that its schema names; `samples` has what a field of a name is, where not every value of its type is taken. */
export const wholeOf = (given: unknown, samples: Body, name = ""): unknown => {
  if (Object.hasOwn(samples, name)) return samples[name]
  const [{ additionalProperties, enum: words, items, minimum = 1, type, ...schema } = {}] = valuesOf(given)
  if (Array.isArray(words)) return words[0]
  switch (type) {
    case "array":
      return [wholeOf(items, samples)]
    case "boolean":
      return true
    case "string":
      return "x"
    case "object":
      return isObject(additionalProperties)
        ? { [anyName]: wholeOf(additionalProperties, samples) }
        : Object.fromEntries(
            Object.entries(fieldsOf(schema)).map(([key, field]) => [key, wholeOf(field, samples, key)]),
          )
    default:
      return minimum
  }
}

/** Where a body may have null. */
export const nullPaths = (given: unknown, path: Path = []): ReadonlyArray<Path> => {
  const here = choicesOf(resolve(given)).some((choice) => isObject(choice) && choice["type"] === "null") ? [path] : []
  const inside = valuesOf(given).flatMap(({ additionalProperties, items, ...schema }) => [
    ...Object.entries(fieldsOf(schema)).flatMap(([key, field]) => nullPaths(field, [...path, key])),
    ...(isObject(items) ? nullPaths(items, [...path, 0]) : []),
    ...(isObject(additionalProperties) ? nullPaths(additionalProperties, [...path, anyName]) : []),
  ])
  return [...here, ...inside]
}

/** A value with null at a place. */
export const nulledAt = (value: unknown, [step, ...rest]: Path): unknown => {
  if (step === undefined) return null
  if (Array.isArray(value)) return [nulledAt(value[0], rest)]
  return isObject(value) ? { ...value, [step]: nulledAt(value[step], rest) } : value
}
