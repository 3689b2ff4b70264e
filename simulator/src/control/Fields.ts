import { E164, Timestamp } from "@carillon/core/domain"
import { type JsonSchema, Schema } from "effect"

/** The building blocks of the bodies. Each says in its `message` what it wants, to complete "Invalid value for '<field>': …". */

export const Text = Schema.String.annotate({ message: "must be a string" })

export const Flag = Schema.Boolean.annotate({ message: "must be true or false" })

export const Quantity = Schema.Number.annotate({ message: "must be a number" }).check(
  Schema.isFinite({ message: "must be a number" }),
)

export const quantityBetween = (minimum: number, maximum: number) =>
  Quantity.check(Schema.isBetween({ minimum, maximum }, { message: `must be between ${minimum} and ${maximum}` }))

export const Weight = Quantity.check(Schema.isGreaterThanOrEqualTo(0, { message: "must be at least 0" }))

export const integerBetween = (minimum: number, maximum: number) =>
  Schema.Number.annotate({ message: "must be an integer" }).check(
    Schema.isInt({ message: "must be an integer" }),
    Schema.isBetween({ minimum, maximum }, { message: `must be between ${minimum} and ${maximum}` }),
  )

/** Text of 1 to so many characters. */
export const words = (maximum: number) =>
  Text.check(Schema.isBetweenCodePoints(1, maximum, { message: `must have 1 to ${maximum} characters` }))

/** Text that passes a test; the document says of it what JSON Schema can say. */
export const textThat = (test: (text: string) => boolean, message: string, published: JsonSchema.JsonSchema) =>
  Text.check(Schema.makeFilter(test, { message, toJsonSchema: () => published }))

export const Moment = textThat((text) => Timestamp.parseTimestamp(text).ok, "must be a timestamp with a UTC offset", {
  format: "date-time",
})

export const PhoneNumber = textThat(E164.isE164, "must be an E.164 number with 7 to 15 digits", {
  pattern: "^\\+[1-9][0-9]{6,14}$",
})

export const oneOf = <const Words extends ReadonlyArray<string>>(choices: Words) =>
  Schema.Literals(choices).annotate({ message: `must be one of ${choices.join(", ")}` })

export const listOf = <S extends Schema.Top>(item: S) => Schema.Array(item).annotate({ message: "must be an array" })

export const objectOf = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields).annotate({ message: "must be an object" })

export const orNull = <S extends Schema.Top>(schema: S) => Schema.NullOr(schema)

export const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(schema)
