import { Result, Schema, SchemaIssue } from "effect"
import { invalid, malformed, missing, type Refusal } from "./Refusal.ts"

const missingReason = "is required"

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (leaf) => {
    if (leaf._tag === "MissingKey") return missingReason
    if (leaf._tag === "UnexpectedKey") return "is not a field of this body"
    const message = ("ast" in leaf ? leaf.ast.annotations : leaf.annotations)?.["message"]
    return typeof message === "string" ? message : "is not valid"
  },
})

const fieldName = (path: ReadonlyArray<unknown>): string => {
  let name = ""
  for (const segment of path) {
    const key = typeof segment === "object" && segment !== null && "key" in segment ? segment.key : segment
    name += typeof key === "number" ? `[${key}]` : name === "" ? String(key) : `.${String(key)}`
  }
  return name
}

const refusalOf = (issue: SchemaIssue.Issue): Refusal => {
  const [first] = format(issue).issues
  const field = fieldName(first?.path ?? [])
  if (field === "") return malformed("The request body must be a JSON object.")
  return first === undefined || first.message !== missingReason ? invalid(field, first?.message ?? "") : missing(field)
}

/** Decodes a value with a schema that names every field; throws the refusal of the first one that is wrong. */
export const decode = <S extends Schema.Decoder<unknown>>(schema: S, value: unknown): S["Type"] => {
  const decoded = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })(value)
  if (Result.isFailure(decoded)) throw refusalOf(decoded.failure.issue)
  return decoded.success
}

/** Reads a JSON body; none at all is an empty object. */
export const readJson = (body: Uint8Array): unknown => {
  if (body.length === 0) return {}
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
  } catch {
    throw malformed("The request body is not valid JSON.")
  }
}
