import type { Json } from "../../Json.ts"

/**
 * The canonical text of a JSON value (RFC 8785): no white space, members sorted by UTF-16 code units, numbers and strings as
 * ECMAScript writes them. Equal values have equal texts. Throws a `TypeError` on what I-JSON cannot carry: a number that is
 * not finite, a lone surrogate.
 */
export const canonicalJson = (value: Json): string => {
  if (value === null || typeof value === "boolean") return String(value)
  if (typeof value === "number") return canonicalNumber(value)
  if (typeof value === "string") return canonicalString(value)
  if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`
  let members = ""
  for (const name of sorted(Object.keys(value))) {
    members += `${members === "" ? "" : ","}${canonicalString(name)}:${canonicalJson(value[name] ?? null)}`
  }
  return `{${members}}`
}

/** Above this many names the platform's sort is faster. */
const fewNames = 24

/** Sorts in place by UTF-16 code units, which is the default order of texts. */
const sorted = (names: Array<string>): ReadonlyArray<string> => {
  if (names.length > fewNames) return names.sort()
  for (let index = 1; index < names.length; index++) {
    const name = names[index]!
    let place = index
    for (; place > 0 && names[place - 1]! > name; place--) names[place] = names[place - 1]!
    names[place] = name
  }
  return names
}

// `Array.isArray` does not narrow a readonly array away from the union.
const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

const canonicalNumber = (value: number): string => {
  if (!Number.isFinite(value)) throw new TypeError(`JSON has no ${value}`)
  return JSON.stringify(value)
}

/** Printable ASCII without what JSON escapes: most texts there are, and written as they stand. */
const plain = /^[ !#-[\]-~]*$/

const canonicalString = (value: string): string => {
  if (plain.test(value)) return `"${value}"`
  if (!value.isWellFormed()) throw new TypeError("JSON text has no lone surrogates")
  return JSON.stringify(value)
}
