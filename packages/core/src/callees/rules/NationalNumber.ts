import { isE164, readCsvNumber } from "../../phone/E164.ts"

/** A calling code as it stands before national numbers: one to three digits, a plus before them tolerated. */
const callingCode = /^\+?([1-9][0-9]{0,2})$/

/** The digits of a calling code; null for what is none. */
export const readCallingCode = (text: string): string | null => callingCode.exec(text)?.[1] ?? null

const punctuation = /[ .()/-]/g
const fraction = /\.[0-9]$/

/** What a spreadsheet makes of a number, and what some write to say that a zero is left out abroad: read on, both would be other numbers. */
const isMisread = (text: string): boolean => fraction.test(text) || (text.includes("+") && text.includes("(0)"))

const northAmerica = "1"
const northAmerican = /^1?([2-9][0-9]{9})$/
const areaCode = /^[2-9][0-9]{2}$/
const localNumber = /^[0-9]{3}-?[0-9]{4}$/

/** Countries in which the first zero is a part of the number. */
const zeroStays = new Set(["39", "225", "241", "242"])

/** Countries that write one zero before a number at home and none abroad. In others a zero at the beginning says nothing for sure. */
const zeroGoes = new Set(
  (
    "20 27 31 32 33 40 41 43 44 46 49 51 58 60 61 62 63 64 66 81 84 90 91 92 93 94 95 98 " +
    "212 213 218 233 234 243 249 250 251 254 255 256 260 261 262 263 264 353 355 358 359 374 380 381 382 383 385 386 387 389 " +
    "421 590 593 594 595 596 855 856 880 886 961 962 963 964 966 967 970 971 972 977 994 995 996"
  ).split(" "),
)

/** A national number by the calling code of its country. One that might be another number is none. */
const nationalNumber = (digits: string, code: string): string | null => {
  if (code === northAmerica) {
    const ten = northAmerican.exec(digits)?.[1]
    return ten === undefined ? null : `+${code}${ten}`
  }
  // It may have its calling code already.
  if (digits.startsWith("00") || digits.startsWith(code)) return null
  if (!digits.startsWith("0") || zeroStays.has(code)) return `+${code}${digits}`
  return zeroGoes.has(code) ? `+${code}${digits.slice(1)}` : null
}

/** The number of a text: as a CSV of contacts writes it, or a national one where its country's calling code is given. */
export const numberOfText = (text: string, code: string | null): string | null => {
  const written = text.trim()
  if (isMisread(written)) return null
  if (code === null || written.startsWith("+")) return readCsvNumber(written)
  const number = nationalNumber(written.replace(punctuation, ""), code)
  return number !== null && isE164(number) ? number : null
}

/**
 * The number of a row without a header: its only cell with a text, or the area code and the rest of a North American number. Several columns may be
 * anything else, and put together they would be somebody's number.
 */
export const numberOfRow = (cells: ReadonlyArray<string>, code: string | null): string | null => {
  const [first = "", second = "", ...others] = cells.map((cell) => cell.trim()).filter((cell) => cell !== "")
  if (second === "") return numberOfText(first, code)
  const isDivided = code === northAmerica && others.length === 0 && areaCode.test(first) && localNumber.test(second)
  return isDivided ? numberOfText(first + second, code) : null
}
