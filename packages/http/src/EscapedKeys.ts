const quote = 0x22
const backslash = 0x5c
const colon = 0x3a

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** A document whose keys need no escape, and the keys that stand behind numbers in it because they do. */
interface Plain {
  readonly document: string
  readonly keys: ReadonlyArray<string>
}

/** Names no key that anybody else would write, so that the numbers of keys are told apart from plain ones. */
const mark = "\u{E000}key "

/** Whether JSON writes a key with an escape, or may: a half of a letter has one where it stands alone. */
const needsEscape = (key: string): boolean => {
  for (let at = 0; at < key.length; at++) {
    const code = key.charCodeAt(at)
    if (code < 0x20 || code === quote || code === backslash || (code >= 0xd800 && code <= 0xdfff)) return true
  }
  return false
}

/** So many characters are looked at before it is somebody else's turn. */
const pieceCharacters = 128 * 1024

/** Looks at each character once, and pauses now and then. What else is wrong with the document is left to the parser. */
function* withPlainKeys(document: string): Generator<void, Plain> {
  const keys: Array<string> = []
  let plain = ""
  let from = 0
  let pauseAt = pieceCharacters
  for (let start = document.indexOf('"'); start >= 0;) {
    let hasEscape = false
    let end = start + 1
    for (; document.charCodeAt(end) !== quote; end++) {
      if (end >= document.length) throw new SyntaxError("A text never ends.")
      if (document.charCodeAt(end) === backslash) {
        hasEscape = true
        end++
      }
      if (end > pauseAt) {
        yield
        pauseAt = end + pieceCharacters
      }
    }
    end++
    let next = end
    while (isBlank(document.charCodeAt(next))) next++
    if (document.charCodeAt(next) === colon && (hasEscape || document.startsWith(mark, start + 1))) {
      // A text alone has no keys: it is read rightly.
      const key = String(JSON.parse(document.slice(start, end)))
      const name = needsEscape(key) || key.startsWith(mark) ? `${mark}${keys.push(key) - 1}` : key
      plain += `${document.slice(from, start)}"${name}"`
      from = end
    }
    start = document.indexOf('"', next)
    if (start > pauseAt) {
      yield
      pauseAt = start + pieceCharacters
    }
  }
  return { document: plain + document.slice(from), keys }
}

/** The value with its real keys. It is as deep as a body may be. */
const withRealKeys = (value: unknown, keys: ReadonlyArray<string>): unknown => {
  if (Array.isArray(value)) return value.map((element) => withRealKeys(element, keys))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => {
      const key = name.startsWith(mark) ? keys[Number(name.slice(mark.length))] : undefined
      return [key ?? name, withRealKeys(held, keys)]
    }),
  )
}

/**
 * `JSON.parse` for text with escapes in its keys, which V8 misreads from version 13 on: once any object had the key `\`, the key `"\""`
 * comes back as `\` too (nodejs/node#63785), so one caller's body could rename the keys in another's. Here the parser sees a plain
 * name for every key, and each object gets its real keys afterwards. Duplicates, order and refusals are those of `JSON.parse`. It pauses now
 * and then, so that others may have their turn.
 */
export function* parsingEscapedKeys(text: string): Generator<void, unknown> {
  const { document, keys } = yield* withPlainKeys(text)
  yield
  const value: unknown = JSON.parse(document)
  return keys.length === 0 ? value : withRealKeys(value, keys)
}

/** The same of a short text, without a pause. */
export const parseEscapedKeys = (text: string): unknown => {
  const parsing = parsingEscapedKeys(text)
  for (;;) {
    const { done, value } = parsing.next()
    if (done === true) return value
  }
}
