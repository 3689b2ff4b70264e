import { E164 } from "@carillon/core/domain"
import { Result, Schema, SchemaIssue } from "effect"

/** Why a request was refused: the first offending field in schema order. `reason` completes "Invalid value for '<field>': <reason>." */
export interface DecodeFailure {
  /** `missing` is answered 1002, `invalid` 1001. */
  readonly kind: "missing" | "invalid"
  /** Dotted, with brackets for indexes (`contacts[3].to_number`); empty when the whole value has the wrong type. */
  readonly field: string
  readonly reason: string
}

const missingReason = "is required"
const unknownReason = "is not valid"

// The schemas carry their reasons as `message` annotations; what has none is told no more than that.
const leafReason: SchemaIssue.LeafHook = (leaf) => {
  if (leaf._tag === "MissingKey") return missingReason
  const message = ("ast" in leaf ? leaf.ast.annotations : leaf.annotations)?.["message"]
  return typeof message === "string" ? message : unknownReason
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leafReason })

const fieldName = (path: ReadonlyArray<unknown>): string => {
  let name = ""
  for (const segment of path) {
    const key = typeof segment === "object" && segment !== null && "key" in segment ? segment.key : segment
    if (typeof key === "number") name += `[${key}]`
    else name += name === "" ? E164.quotable(String(key)) : `.${E164.quotable(String(key))}`
  }
  return name
}

/** Turns a schema issue into what is told to the caller. */
export const decodeFailure = (issue: SchemaIssue.Issue): DecodeFailure => {
  const first = format(issue).issues[0]
  const reason = first === undefined ? unknownReason : first.message
  return {
    kind: reason === missingReason ? "missing" : "invalid",
    field: first === undefined ? "" : fieldName(first.path ?? []),
    reason,
  }
}

/**
 * Compiles a schema once and decodes with it. Unknown fields are ignored and decoding stops at the first offending field in
 * schema order (decisions, "Request pipeline" 4).
 */
export const decoder = <S extends Schema.Decoder<unknown>>(
  schema: S,
): ((input: unknown) => Result.Result<S["Type"], DecodeFailure>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (input) => Result.mapError(decode(input), (error) => decodeFailure(error.issue))
}
