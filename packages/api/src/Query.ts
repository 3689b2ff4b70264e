import { Schema, SchemaTransformation } from "effect"
import { described, documentedAs, wordOf } from "./Annotations.ts"
import { Flag, integerBetween, isOffsetTimestamp, offsetTimestampReason } from "./Scalars.ts"

/** A query parameter as it arrives: one string. A parameter that is repeated arrives as a list and is refused. */
export const queryText = Schema.String.annotate({ message: "must be given once" })

/**
 * A word of a closed list in a query string. The list is for the document: a word outside of it is judged by `Filters.ts`, because it is
 * malformed input (1000) and no validation failure.
 */
export const queryWord = (words: ReadonlyArray<string>) => documentedAs(Schema.optionalKey(queryText), wordOf(words))

/** Words of a closed list in a query string, joined by commas. */
export const queryWords = (words: ReadonlyArray<string>) =>
  documentedAs(Schema.optionalKey(queryText), { type: "array", minItems: 1, items: wordOf(words) })

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

/** The query parameter that every endpoint takes (specification, "Conventions used throughout"). */
export const organizationQuery = {
  organization_id: described(
    Schema.optionalKey(queryText),
    "Validated, never an override: any value other than the key's own organization is refused with 1102.",
  ),
}
