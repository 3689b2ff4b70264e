const quote = 0x22
const backslash = 0x5c
const colon = 0x3a

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** The offset behind the text that opens at `start`. Every text of a valid document is closed. */
const endOfText = (document: string, start: number): number => {
  let at = start + 1
  for (let code = document.charCodeAt(at); code !== quote; code = document.charCodeAt(at))
    at += code === backslash ? 2 : 1
  return at + 1
}

/** A valid document with a plain name for every key, and the keys in their order. Looks at each character once. */
const withPlainKeys = (document: string): { readonly plain: string; readonly keys: ReadonlyArray<string> } => {
  const keys: Array<string> = []
  let plain = ""
  let from = 0
  for (let start = document.indexOf('"'); start >= 0;) {
    const end = endOfText(document, start)
    let next = end
    while (isBlank(document.charCodeAt(next))) next++
    if (document.charCodeAt(next) === colon) {
      // A text alone has no keys: it is read rightly.
      const key: unknown = JSON.parse(document.slice(start, end))
      plain += `${document.slice(from, start)}"k${keys.push(String(key)) - 1}"`
      from = end
    }
    start = document.indexOf('"', next)
  }
  return { plain: plain + document.slice(from), keys }
}

/**
 * `JSON.parse` for text with escapes in its keys, which V8 misreads from version 13 on: once any object had the key `\`, the key `"\""`
 * comes back as `\` too (nodejs/node#63785), so one caller's body could rename the keys in another's. Here the parser sees a plain
 * name for every key, and each object gets its real keys afterwards. Duplicates, order and refusals are those of `JSON.parse`.
 * Keys that `isDropped` names are left out.
 */
export const parseEscapedKeys = (text: string, isDropped: (key: string) => boolean): unknown => {
  // What is not valid is refused first, by the parser: nothing else looks at texts that never end.
  JSON.parse(text)
  const { keys, plain } = withPlainKeys(text)
  return JSON.parse(plain, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([name, held]) => {
            const key = keys[Number(name.slice(1))]
            return key === undefined || isDropped(key) ? [] : [[key, held]]
          }),
        )
      : value,
  )
}
