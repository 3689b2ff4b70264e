/** Phone numbers at the edge: which are accepted, how a CSV writes them, and how they stay out of messages. */

const e164 = /^\+[1-9][0-9]{6,14}$/

/** Whether a text is an E.164 number: `+` and 7 to 15 digits, the first not zero. Nothing is stripped or added. */
export const isE164 = (text: string): boolean => e164.test(text)

const csvPunctuation = /[ .()-]/g

/**
 * The E.164 number in a CSV cell, null where there is none: spaces, dots, dashes and parentheses are stripped and a
 * missing `+` is added before the digits are counted.
 */
export const readCsvNumber = (cell: string): string | null => {
  const digits = cell.replace(csvPunctuation, "")
  const number = digits.startsWith("+") ? digits : `+${digits}`
  return isE164(number) ? number : null
}

const maskedRunMinDigits = 7

// Digits of any script: what a reader can dial must not be in a message.
const longDigitRun = new RegExp(`\\p{Nd}{${maskedRunMinDigits},}`, "gu")

/** Masks runs of seven or more digits, digit by digit: messages never carry phone numbers (specification, "Errors"). */
export const maskDigits = (text: string): string => text.replace(longDigitRun, (run) => "*".repeat([...run].length))

/** Messages quote at most so much of a value. */
export const quotedMaxCharacters = 64

/** The part of a value that a message may quote: its first 64 characters, long digit runs masked even where the cut divides them. */
export const quotable = (value: string): string => {
  // A run that starts before the cut shows its seventh digit at most six characters after it.
  const seen = firstCharacters(value, quotedMaxCharacters + maskedRunMinDigits - 1)
  return firstCharacters(maskDigits(seen), quotedMaxCharacters)
}

/** Whole characters, of one or two code units each; the rest of a long value is not looked at. */
const firstCharacters = (text: string, count: number): string =>
  Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join("")
