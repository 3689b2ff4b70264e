import { counted, E164, Timestamp as Instants } from "@carillon/core/domain"
import { Schema } from "effect"

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** Any text. */
export const Text = Schema.String.annotate({ message: "must be a string" })

/** Text that is not empty. */
export const NonEmptyText = Text.check(Schema.isMinLength(1, { message: "must not be empty" }))

/** Text of at most so many characters; counted as people count them, not in UTF-16 units. */
export const textUpTo = (maximum: number) =>
  Text.check(Schema.isMaxCodePoints(maximum, { message: `must have at most ${plural(maximum, "character")}` }))

/** Text of 1 to so many characters. */
export const nonEmptyTextUpTo = (maximum: number) =>
  NonEmptyText.check(Schema.isMaxCodePoints(maximum, { message: `must have at most ${plural(maximum, "character")}` }))

/** True or false. */
export const Flag = Schema.Boolean.annotate({ message: "must be true or false" })

const boundsOf = (minimum: number, maximum: number): string =>
  maximum === Number.MAX_SAFE_INTEGER
    ? `must be at least ${minimum}`
    : `must be between ${counted(minimum)} and ${counted(maximum)}`

/** A whole number within bounds. */
export const integerBetween = (minimum: number, maximum: number) =>
  Schema.Number.annotate({ message: "must be an integer" }).check(
    Schema.isInt({ message: "must be an integer" }),
    Schema.isBetween({ minimum, maximum }, { message: boundsOf(minimum, maximum) }),
  )

/** A whole number. */
export const Integer = Schema.Number.annotate({ message: "must be an integer" }).check(
  Schema.isInt({ message: "must be an integer" }),
)

/** A finite number. */
export const Quantity = Schema.Number.annotate({ message: "must be a number" }).check(
  Schema.isFinite({ message: "must be a number" }),
)

/** A number that is not negative. */
export const NonNegative = Quantity.check(
  Schema.isGreaterThanOrEqualTo(0, { message: "must be a number of at least 0" }),
)

/** A JSON object that is kept as given. */
export const JsonObject = Schema.JsonObject.annotate({ message: "must be an object" })

/** One of a closed list of words. */
export const oneOf = <const Words extends ReadonlyArray<string>>(words: Words) =>
  Schema.Literals(words).annotate({ message: `must be one of ${words.join(", ")}` })

/** A list. */
export const listOf = <S extends Schema.Top>(item: S) => Schema.Array(item).annotate({ message: "must be an array" })

/** An object of named fields; fields it does not name are ignored. */
export const objectOf = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields).annotate({ message: "must be an object" })

/** An object of named fields; fields it does not name are kept as given. */
export const openObjectOf = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, Schema.Json)]).annotate({
    message: "must be an object",
  })

/** A value or null; what is told of the value is told of both: "must be true, false or null". */
export const nullable = <S extends Schema.Top>(schema: S) => {
  const reason = schema.ast.annotations?.["message"]
  return Schema.NullOr(schema).annotate({
    message: typeof reason === "string" ? `${reason.replace(" or ", ", ")} or null` : "is not valid",
  })
}

/** A phone number in E.164: a plus and 7 to 15 digits. */
export const PhoneNumber = Text.annotate({ format: "e164" }).check(
  Schema.makeFilter(E164.isE164, {
    message: "must be an E.164 number with 7 to 15 digits",
    toJsonSchema: () => ({ pattern: "^\\+[1-9][0-9]{6,14}$" }),
  }),
)

/** Whether a text is an RFC 3339 timestamp with its UTC offset. */
export const isOffsetTimestamp = (text: string): boolean => Instants.parseTimestamp(text).ok

/** What anything else is told. */
export const offsetTimestampReason = "must be a timestamp with a UTC offset"

/** A moment as a caller writes it: RFC 3339 with a UTC offset. */
export const OffsetTimestamp = Text.annotate({ format: "date-time" }).check(
  Schema.makeFilter(isOffsetTimestamp, { message: offsetTimestampReason }),
)

/** A moment as an answer writes it: ISO 8601 in UTC. */
export const Timestamp = Text.annotate({ format: "date-time" })
