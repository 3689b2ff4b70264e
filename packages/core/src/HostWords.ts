import { Effect, Result, Schema, SchemaIssue } from "effect"
import { InvalidField } from "./Errors.ts"

/**
 * What a host or its carrier hands in is judged by these: its types are no proof. Each schema says what it wants in words, so that the first field that is
 * wrong is named with its reason.
 */

export const says = <S extends Schema.Top>(schema: S, message: string) => schema.annotate({ message })
export const Text = says(Schema.String, "must be a string")
export const Quantity = says(Schema.Number, "must be a number").check(Schema.isFinite({ message: "must be a number" }))
export const NonNegative = Quantity.check(
  Schema.isGreaterThanOrEqualTo(0, { message: "must be a number of at least 0" }),
)
export const Flag = says(Schema.Boolean, "must be true or false")
export const oneOf = <const Words extends ReadonlyArray<string>>(words: Words) =>
  says(Schema.Literals(words), `must be one of ${words.join(", ")}`)
export const fields = <const Fields extends Schema.Struct.Fields>(of: Fields) =>
  says(Schema.Struct(of), "must be an object")
export const listOf = <S extends Schema.Top>(item: S) => says(Schema.Array(item), "must be an array")

const messageOf = (annotations: Schema.Annotations.Annotations | undefined): string => {
  const message = annotations?.["message"]
  return typeof message === "string" ? message : "is not valid"
}
/** A union says nothing of its own of what is none of its members. */
export const orNull = <S extends Schema.Top>(schema: S) =>
  says(Schema.NullOr(schema), `${messageOf(schema.ast.annotations)} or null`)
/** A field that may be left out. */
export const optional = <S extends Schema.Constraint>(schema: S) =>
  says(Schema.optional(schema), messageOf(schema.ast.annotations))

const leafReason: SchemaIssue.LeafHook = (leaf) => {
  if (leaf._tag === "MissingKey") return "is required"
  return messageOf("ast" in leaf ? leaf.ast.annotations : leaf.annotations)
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leafReason })

const fieldName = (path: ReadonlyArray<unknown>): string => {
  let name = ""
  for (const segment of path) {
    const key = typeof segment === "object" && segment !== null && "key" in segment ? segment.key : segment
    name += typeof key === "number" ? `[${key}]` : `${name === "" ? "" : "."}${String(key)}`
  }
  return name
}

const invalid = ({ issue }: { readonly issue: SchemaIssue.Issue }): InvalidField => {
  const first = format(issue).issues[0]
  return new InvalidField({ field: fieldName(first?.path ?? []), reason: first?.message ?? "is not valid" })
}

/** What finds the first field of a value that is not as the schema says; null where all of them are. */
export const judge = (schema: Schema.Decoder<unknown>) => {
  const read = Schema.decodeUnknownResult(schema)
  return (value: unknown): InvalidField | null => {
    const result = read(value)
    return Result.isFailure(result) ? invalid(result.failure) : null
  }
}

/**
 * Reads a value by its whole schema, and names the first field that is wrong. Who looks for that one reads what the schemas `by` ask first, in their order:
 * what tells the members of a union apart, without which nobody can say what else is missing. They ask nothing that the whole does not ask.
 */
export const reader = (whole: Schema.Decoder<unknown>, ...by: ReadonlyArray<Schema.Decoder<unknown>>) => {
  const judged = judge(whole)
  const judges = by.map(judge)
  return (value: unknown): Effect.Effect<void, InvalidField> => {
    const fault = judged(value)
    if (fault === null) return Effect.void
    for (const faultOf of judges) {
      const earlier = faultOf(value)
      if (earlier !== null) return Effect.fail(earlier)
    }
    return Effect.fail(fault)
  }
}
