import { Schema, SchemaTransformation } from "effect"
import { described } from "./Annotations.ts"
import { Flag, integerBetween, isOffsetTimestamp, offsetTimestampReason } from "./Scalars.ts"

/** A query parameter as it arrives: one string. A parameter that is repeated arrives as a list and is refused. */
export const queryText = Schema.String.annotate({ message: "must be given once" })

/** A whole number in a query string: decimal digits, nothing else. */
export const queryInteger = (minimum: number, maximum: number) =>
  queryText
    .check(Schema.isPattern(/^-?\d+$/u, { message: "must be an integer" }))
    .pipe(
      Schema.decodeTo(
        integerBetween(minimum, maximum),
        SchemaTransformation.transform({ decode: Number, encode: String }),
      ),
    )

/** A boolean in a query string: `true` or `false`, in either case, because some languages write `True`. */
export const queryFlag = queryText
  .check(Schema.isPattern(/^(?:true|false)$/i, { message: "must be true or false" }))
  .pipe(
    Schema.decodeTo(
      Flag,
      SchemaTransformation.transform({ decode: (text) => text.toLowerCase() === "true", encode: String }),
    ),
  )

/** A moment in a query string, with its UTC offset. */
export const queryTimestamp = queryText
  .annotate({ format: "date-time" })
  .check(Schema.makeFilter(isOffsetTimestamp, { message: offsetTimestampReason }))

/** The query parameter that every endpoint takes (specification, "Conventions"). */
export const organizationQuery = {
  organization_id: described(
    Schema.optionalKey(queryText),
    "Validated, never an override: any value other than the key's own organization is refused with 1102.",
  ),
}
