import { InvalidField } from "./Errors.ts"
import { utf8Length } from "./engine/rules/Utf8Bytes.ts"

/** A UTF-16 code unit takes three bytes of UTF-8 at most. */
const bytesPerUnit = 3

/** The bytes that a text takes in UTF-8. */
export const textBytes = (text: string): number => utf8Length(text)

/** A value as JSON; what JSON cannot say is nothing. */
export const jsonText = (value: unknown): string => JSON.stringify(value) ?? ""

/** The bytes that a value takes as JSON in UTF-8. */
export const jsonBytes = (value: unknown): number => textBytes(jsonText(value))

/** Whether a text takes at most so many bytes in UTF-8. Most are so short that nobody needs to count. */
export const textFits = (text: string, bytes: number): boolean =>
  text.length * bytesPerUnit <= bytes || (text.length <= bytes && textBytes(text) <= bytes)

/** Whether a value takes at most so many bytes as JSON in UTF-8. */
export const fits = (value: unknown, bytes: number): boolean => textFits(jsonText(value), bytes)

/** A UTF-16 code unit takes six bytes of JSON at most, as `\u0000`, and a number 24. */
const jsonBytesPerUnit = 6
const jsonBytesOfNumber = 24

/**
 * No fewer bytes than plain data takes as JSON in UTF-8, a separator included; several times as many as a rule. It costs a third of writing
 * it out, and makes no text.
 */
export const jsonBytesAtMost = (value: unknown): number => {
  if (typeof value === "string") return value.length * jsonBytesPerUnit + 3
  if (typeof value !== "object" || value === null) return jsonBytesOfNumber + 1
  let most = 3
  if (!Array.isArray(value)) for (const name of Object.keys(value)) most += name.length * jsonBytesPerUnit + 3
  for (const held of Object.values(value)) most += jsonBytesAtMost(held)
  return most
}

/** Bytes of JSON for half of a letter that stands alone, such as `\ud83d`. */
const bytesPerHalf = 6

/** How many halves of letters stand alone in the texts of a value. To write one out as JSON takes a hundred times as long as a letter. */
const halves = (value: unknown): number => {
  if (typeof value === "string") return value.isWellFormed() ? 0 : halvesOf(value)
  if (typeof value !== "object" || value === null) return 0
  return Object.values(value).reduce((sum: number, held) => sum + halves(held), 0)
}

const halvesOf = (text: string): number => {
  let found = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0
    if (code > 0xffff) at += 1
    else if (code >= 0xd800 && code <= 0xdfff) found += 1
  }
  return found
}

/** How much a value is to read: the letters of its texts and names, and one for each value. It costs a fraction of writing it out as JSON. */
const letters = (value: unknown): number => {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null) return 1
  let sum = 1
  if (!Array.isArray(value)) for (const name of Object.keys(value)) sum += name.length
  for (const held of Object.values(value)) sum += letters(held)
  return sum
}

/** The one of the fields that is most to read; the first of several. */
const largest = (document: object, fields: ReadonlyArray<string>): string => {
  let [found = ""] = fields
  let most = -1
  for (const field of fields) {
    const size = letters(Reflect.get(document, field))
    if (size > most) [found, most] = [field, size]
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
  const least = halves(document) * bytesPerHalf
  const stood =
    before === undefined
      ? 0
      : jsonBytes(Object.fromEntries(Object.keys(document).map((field) => [field, Reflect.get(before, field)])))
  // Written out once and at most once: a megabyte that has to be escaped takes tens of milliseconds.
  if (least <= Math.max(bytes, stood) && fits(document, Math.max(bytes, stood))) return null
  return new InvalidField({
    field: largest(document, sent),
    reason: `makes the ${noun} larger than ${bytes} bytes of JSON`,
  })
}
