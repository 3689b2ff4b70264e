/**
 * How rows become JSON documents and texts become columns.
 *
 * No key is stored that JSON writes with an escape: Node 24 and later may read such a key as another one, once the process has read an
 * object whose key is the part before the escape and a backslash (nodejs/node#63785), and customers choose the keys of their variables.
 */
const mark = "~"

/** What follows the mark where a key was spelled anew; a key that only begins with the mark has a second one. */
const spelled = "~:"

/** A key that has an escape or begins with the mark, anywhere in a JSON text; texts in lists that look alike cost only time. */
const marksNeeded = /[{,]"(?:~|[^"\\]*\\)/

/** What JSON writes with an escape, and the sign by which it is spelled here. */
const escaped = /["\\%\p{Cc}\p{Surrogate}]/gu

const hasEscape = (key: string): boolean => JSON.stringify(key).includes("\\")

const spell = (key: string): string =>
  spelled + key.replace(escaped, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

const unspell = (text: string): string =>
  text
    .slice(spelled.length)
    .replace(/%([0-9a-f]{4})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)))

const marked = (key: string): string => (hasEscape(key) ? spell(key) : key.startsWith(mark) ? mark + key : key)

const unmarked = (key: string): string =>
  key.startsWith(spelled) ? unspell(key) : key.startsWith(mark) ? key.slice(mark.length) : key

const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const withKeys = (value: unknown, change: (key: string) => string): unknown => {
  if (Array.isArray(value)) return value.map((item) => withKeys(item, change))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key), withKeys(item, change)]))
}

/** The JSON text under which a row is stored. */
export const documentOf = (row: object): string => {
  const text = JSON.stringify(row)
  if (!marksNeeded.test(text)) return text
  return JSON.stringify({ [mark]: withKeys(row, marked) })
}

/** What a table holds was written by `documentOf` from a row of that very type; nothing else writes to it. */
const isOwn = <Row>(value: unknown): value is Row => value !== undefined

/** The row of a stored document. */
export const rowOf = <Row>(document: Row): Row => {
  if (!isPlainObject(document) || !Object.hasOwn(document, mark)) return document
  const row = withKeys(document[mark], unmarked)
  return isOwn<Row>(row) ? row : document
}

/**
 * Where PostgreSQL cannot read into a document of the column `row`: its keys are spelled anew, or one of its texts has a NUL or a lone
 * surrogate, at which every operator of `json` fails. Whoever needs a field of such a row takes the whole of it.
 */
export const isOpaque = String.raw`row::text ~ '^\{"~":|\\u(0000|[dD][89a-fA-F])'`

const unstorable = /[\\\0\p{Surrogate}]/gu

/**
 * A text as PostgreSQL can hold it: without NUL and lone surrogates, which customers may send and UTF-8 columns refuse. Equal texts stay
 * equal and others different; ids and numbers stay as they are.
 */
export const textOf = (text: string): string =>
  text.replace(unstorable, (unit) =>
    unit === "\\" ? "\\\\" : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )

/**
 * Texts as PostgreSQL reads a `text[]`, for lists of thousands: given a list, the driver writes it text by text, which takes some ten milliseconds
 * for eight thousand of them, in one turn of the event loop.
 */
export const textsOf = (texts: ReadonlyArray<string>): string =>
  `{${texts.map((text) => `"${textOf(text).replace(/["\\]/g, String.raw`\$&`)}"`).join()}}`

/** Bytes, as hexadecimal digits, that sort as the engine compares texts: by UTF-16 code unit. */
export const orderKeyOf = (text: string): string => Buffer.from(text, "utf16le").swap16().toString("hex")

/** Bytes, as hexadecimal digits, in which a part of a text can be found: one that begins within a character is never met. */
export const searchKeyOf = (text: string): string => Buffer.from(text.toLowerCase(), "utf8").toString("hex")
