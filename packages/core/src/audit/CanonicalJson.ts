import type { Json } from "../Json.ts"

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
  // The default order of texts is that of their UTF-16 code units.
  for (const name of Object.keys(value).sort()) {
    members += `${members === "" ? "" : ","}${canonicalString(name)}:${canonicalJson(value[name] ?? null)}`
  }
  return `{${members}}`
}

// `Array.isArray` does not narrow a readonly array away from the union.
const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

const canonicalNumber = (value: number): string => {
  if (!Number.isFinite(value)) throw new TypeError(`JSON has no ${value}`)
  return JSON.stringify(value)
}

const canonicalString = (value: string): string => {
  if (!value.isWellFormed()) throw new TypeError("JSON text has no lone surrogates")
  return JSON.stringify(value)
}
