import { InvalidField } from "./Errors.ts"
import { transientUtf8 } from "./engine/Utf8Bytes.ts"

/** A UTF-16 code unit takes three bytes of UTF-8 at most. */
const bytesPerUnit = 3

/** The bytes that a text takes in UTF-8. */
export const textBytes = (text: string): number => transientUtf8(text).length

/** A value as JSON; what JSON cannot say is nothing. */
export const jsonText = (value: unknown): string => JSON.stringify(value) ?? ""

/** The bytes that a value takes as JSON in UTF-8. */
export const jsonBytes = (value: unknown): number => textBytes(jsonText(value))

/** Whether a text takes at most so many bytes in UTF-8. Most are so short that nobody needs to count. */
export const textFits = (text: string, bytes: number): boolean =>
  text.length * bytesPerUnit <= bytes || (text.length <= bytes && textBytes(text) <= bytes)

/** Whether a value takes at most so many bytes as JSON in UTF-8. */
export const fits = (value: unknown, bytes: number): boolean => textFits(jsonText(value), bytes)

/** The one of the fields that takes most; the first of several. */
const largest = (document: object, fields: ReadonlyArray<string>): string => {
  let [found = ""] = fields
  let most = -1
  for (const field of fields) {
    const bytes = jsonBytes(Reflect.get(document, field))
    if (bytes > most) [found, most] = [field, bytes]
  }
  return found
}

/**
 * Why a document may not be stored as a write leaves it: it takes more bytes than one may and more than the one before, if there is one. Named is the largest
 * of the fields that were sent. What only becomes smaller is always taken.
 */
export const oversized = (
  noun: string,
  document: object,
  sent: ReadonlyArray<string>,
  bytes: number,
  before?: object,
): InvalidField | null => {
  if (fits(document, bytes)) return null
  if (before !== undefined) {
    const stood = Object.fromEntries(Object.keys(document).map((field) => [field, Reflect.get(before, field)]))
    if (jsonBytes(document) <= jsonBytes(stood)) return null
  }
  return new InvalidField({
    field: largest(document, sent),
    reason: `makes the ${noun} larger than ${bytes} bytes of JSON`,
  })
}
